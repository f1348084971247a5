"""The model as a tree, and what `check` warned of."""

from __future__ import annotations

from ..french import name as in_french
from ..panel_base import Panel, Told, panel
from ..text import both, described, ends_of, number, small, text


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
                out.append(f"{text(joint.name)} {small(*spoken(joint.kind))} &rarr; ")
            out.append(f"<b>{text(body)}</b>")
            if body in masses:
                out.append(f" {small(f'{number(masses[body])} kg')}")
            if body in frames:
                named = ", ".join(frames[body])
                out.append(small(f", frames {named}", f", repères {named}"))
            if below.get(body):
                out.append("<ul>")
            stack.append(("close", body, None))
            stack += [("open", j.child, j) for j in reversed(below.get(body, ()))]
        return "".join(out)

    turning = {j.name for j in model.joints if {u for _, u in j.kind.coordinates} == {"rad"}}
    parts = [f'<h2>Bodies and joints</h2><ul class="tree">{node("world")}</ul>']
    for title, things, words in (
        ("Loops", model.loops, _loop),
        ("Forces", model.forces, lambda x, say: _force(x, turning, say)),
        (
            "Constraints",
            model.constraints,
            lambda x, say: f"{described(x, say=say)} {ends_of(x, say)}",
        ),
        ("Inputs", model.inputs, _input),
    ):
        if things:
            items = "".join(
                f"<li>{text(x.name)} {small(words(x, str), words(x, in_french))}</li>"
                for x in things
            )
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
        "".join(both("p", w, kind="warning") for w in warnings)
        or '<p class="note" data-say>None.</p>'
    )
    return "".join(parts)


def spoken(thing) -> tuple[str, str]:
    """An element in words, in English and in French."""
    return described(thing), described(thing, say=in_french)


def _loop(x, say) -> str:
    ends = f"{say('between')} {x.parent} {say('and')} {x.child}"
    return f"{described(x.kind, say=say)} {ends}"


def _input(x, say) -> str:
    return (x.unit or "") + (f", {x.size} {say('numbers')}" if x.size > 1 else "")


def _force(f, turning, say) -> str:
    law = getattr(f, "law", None)
    angle = getattr(f, "joint", None) in turning
    return f"{described(law if law is not None else f, angle, say)} {ends_of(f, say)}"
