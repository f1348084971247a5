"""The model as a tree, and what `check` warned of."""

from __future__ import annotations

from ..base import Panel, Told, panel
from ..sentences import described, ends_of, number
from ..tables import small, text


@panel.named("model")
class ModelTree(Panel):
    """Bodies under the joints that carry them, then what else the model holds."""

    title = "Model"
    place = 50

    def html(self, told: Told) -> str:
        return model_tree(told.model, told.system.warnings if told.system is not None else ())


def model_tree(model, warnings=()) -> str:
    """Bodies under the joints that carry them, then what else the model holds."""
    if model is None:
        return '<p class="note" data-say>The model is not known to this run.</p>'
    below: dict[str, list] = {}
    for j in model.joints:
        below.setdefault(j.parent, []).append(j)
    masses = {b.name: b.mass for b in model.bodies}
    frames: dict[str, list] = {}
    for f in model.frames:
        frames.setdefault(f.body, []).append(f.name)

    def node(name) -> str:
        """The tree under a body, without recursion: chains may be long."""
        out, stack = [], [("open", name, None)]
        while stack:
            step, body, joint = stack.pop()
            if step == "close":
                out.append("</ul></li>" if below.get(body) else "</li>")
                continue
            out.append("<li>")
            if joint:
                out.append(f"{text(joint.name)} {small(kind_of(joint))} &rarr; ")
            out.append(f"<b>{text(body)}</b>")
            if body in masses:
                out.append(f" {small(f'{number(masses[body])} kg')}")
            if body in frames:
                out.append(small(f", frames {', '.join(frames[body])}"))
            if below.get(body):
                out.append("<ul>")
            stack.append(("close", body, None))
            stack += [("open", j.child, j) for j in reversed(below.get(body, ()))]
        return "".join(out)

    turning = {j.name for j in model.joints if {u for _, u in j.kind.coordinates} == {"rad"}}
    parts = [f'<h2>Bodies and joints</h2><ul class="tree">{node("world")}</ul>']
    for title, things, words in (
        ("Loops", model.loops, lambda x: f"{kind_of(x)} between {x.parent} and {x.child}"),
        ("Forces", model.forces, lambda x: _force(x, turning)),
        ("Constraints", model.constraints, lambda x: f"{described(x)} {ends_of(x)}"),
        ("Inputs", model.inputs, lambda x: f"{x.unit or ''}{f', {x.size} numbers' * (x.size > 1)}"),
    ):
        if things:
            items = "".join(f"<li>{text(x.name)} {small(words(x))}</li>" for x in things)
            parts.append(f"<h2>{title}</h2><ul>{items}</ul>")
    if model.parameters:
        units = getattr(model, "units", None) or {}
        items = "".join(
            f"<li>{text(n)} {small(f'= {number(x)} {units.get(n, str())}')}</li>"
            for n, x in model.parameters.items()
        )
        parts.append(f"<h2>Parameters</h2><ul>{items}</ul>")
    parts.append("<h2>Warnings</h2>")
    parts.append(
        "".join(f'<p class="warning">{text(w)}</p>' for w in warnings)
        or '<p class="note" data-say>None.</p>'
    )
    return "".join(parts)


def kind_of(x) -> str:
    """The kind of a joint in words."""
    return described(x.kind)


def _force(f, turning) -> str:
    law = getattr(f, "law", None)
    angle = getattr(f, "joint", None) in turning
    return f"{described(law if law is not None else f, angle)} {ends_of(f)}"
