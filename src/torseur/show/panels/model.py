"""Model panel: tree of bodies, and warnings of the model check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..french import translate_name
from ..panel_base import Panel, ReportContext, panel
from ..text import (
    bilingual_html,
    describe_element,
    describe_ends,
    escape_text,
    format_number,
    small_html,
)

if TYPE_CHECKING:
    from ...model import Model


@panel.named("model")
class ModelTree(Panel):
    """Bodies below the joints that carry them, then loops, forces, constraints, inputs and
    parameters.
    """

    title = "Model"
    order = 50

    def html(self, context: ReportContext) -> str:
        return model_tree(
            context.model, context.system.warnings if context.system is not None else ()
        )


def model_tree(model: Model | None, warnings: Iterable[str] = ()) -> str:
    """HTML of the tree of bodies, then of all other elements and the warnings."""
    if model is None:
        return '<p class="note" data-say>The model is not known to this run.</p>'
    rotary_joints = {j.name for j in model.joints if {u for _, u in j.kind.coordinates} == {"rad"}}
    parts = [f'<h2>Bodies and joints</h2><ul class="tree">{_tree_html(model)}</ul>']
    for title, elements, describe in (
        ("Loops", model.loops, _describe_loop),
        ("Forces", model.forces, lambda x, say: _describe_force(x, rotary_joints, say)),
        (
            "Constraints",
            model.constraints,
            lambda x, say: f"{describe_element(x, say=say)} {describe_ends(x, say)}",
        ),
        ("Inputs", model.inputs, _describe_input),
    ):
        if elements:
            items = "".join(
                f"<li>{escape_text(x.name)} "
                f"{small_html(describe(x, str), describe(x, translate_name))}</li>"
                for x in elements
            )
            parts.append(f"<h2>{title}</h2><ul>{items}</ul>")
    if model.parameters:
        units = getattr(model, "units", None) or {}
        items = "".join(
            f"<li>{escape_text(n)} {small_html(f'= {format_number(x)} {units.get(n, str())}')}</li>"
            for n, x in dict(model.parameters).items()
        )
        parts.append(f"<h2>Parameters</h2><ul>{items}</ul>")
    parts.append("<h2>Warnings</h2>")
    parts.append(
        "".join(bilingual_html("p", w, css_class="warning") for w in warnings)
        or '<p class="note" data-say>None.</p>'
    )
    return "".join(parts)


def _tree_html(model: Model) -> str:
    """HTML of bodies below the joints that carry them, without recursion as chains can be long."""
    joints_below: dict[str, list] = {}
    for j in model.joints:
        joints_below.setdefault(j.parent, []).append(j)
    masses = {b.name: b.mass for b in model.bodies}
    frames: dict[str, list] = {}
    for f in model.frames:
        frames.setdefault(f.body, []).append(f.name)
    out: list[str] = []
    stack: list[tuple[str, str, Any]] = [("open", "world", None)]
    while stack:
        step, body, joint = stack.pop()
        if step == "close":
            out.append("</ul></li>" if joints_below.get(body) else "</li>")
            continue
        out.append("<li>")
        if joint:
            description = small_html(*describe_bilingual(joint.kind))
            out.append(f"{escape_text(joint.name)} {description} &rarr; ")
        out.append(f"<b>{escape_text(body)}</b>")
        if body in masses:
            out.append(f" {small_html(f'{format_number(masses[body])} kg')}")
        if body in frames:
            names = ", ".join(frames[body])
            out.append(small_html(f", frames {names}", f", repères {names}"))
        if joints_below.get(body):
            out.append("<ul>")
        stack.append(("close", body, None))
        stack += [("open", j.child, j) for j in reversed(joints_below.get(body, ()))]
    return "".join(out)


def describe_bilingual(element: Any) -> tuple[str, str]:
    """Describe an element in English and in French."""
    return describe_element(element), describe_element(element, say=translate_name)


def _describe_loop(x, say) -> str:
    bodies = f"{say('between')} {x.parent} {say('and')} {x.child}"
    return f"{describe_element(x.kind, say=say)} {bodies}"


def _describe_input(x, say) -> str:
    return (x.unit or "") + (f", {x.size} {say('numbers')}" if x.size > 1 else "")


def _describe_force(f, rotary_joints, say) -> str:
    law = getattr(f, "law", None)
    angle = getattr(f, "joint", None) in rotary_joints
    return f"{describe_element(law if law is not None else f, angle, say)} {describe_ends(f, say)}"
