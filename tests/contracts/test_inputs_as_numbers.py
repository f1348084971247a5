"""The name of an input where a law has a number is refused at check, with the way to use it."""

from dataclasses import fields, replace

import pytest

import torseur as ts
from torseur.forces import law

LAWS = [
    (x, f.name)
    for x in law.examples()
    for f in fields(x)
    if f.name in x.units and isinstance(getattr(x, f.name), int | float) and f.init
]


@pytest.mark.parametrize(
    ("own", "field"), LAWS, ids=lambda x: x if isinstance(x, str) else type(x).__name__
)
def test_every_number_of_every_law(own, field):
    try:
        force = ts.JointForce("push", "x", replace(own, **{field: "pedal"}))
    except (TypeError, ts.TorseurError):
        return  # it takes no names at all there
    model = ts.Model(
        bodies=(ts.Body("b", 1),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        inputs=tuple(map(ts.Input, ("pedal", *own.inputs))),
        forces=(force,),
    )
    try:
        system = model.check()
    except ts.ModelError as e:
        assert "'push'" in str(e) and ("'pedal'" in str(e) or "plain numbers" in str(e))
    else:  # an input is what it takes there, or nothing reads the number
        assert "pedal" in force.law.inputs or "pedal" not in system.symbols


def test_the_sentence_names_the_way():
    push = ts.JointForce("push", "x", ts.Effort("pedal"))
    model = ts.Model(
        bodies=(ts.Body("b", 1),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        inputs=(ts.Input("pedal"),),
        forces=(push,),
    )
    with pytest.raises(ts.ModelError, match=r"'push'.*is an input.*ts.Effort\(input='pedal'\)"):
        model.check()
