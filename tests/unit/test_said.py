"""What a foreign exception says never reaches users: handlers speak through `errors.said`."""

import ast
from pathlib import Path

import pytest

import torseur as ts
from torseur.errors import (
    ModelError,
    NotInstalled,
    TorseurError,
    describe_call_mismatch,
    report_reader_failures,
)

SOURCE = Path(ts.__file__).parent
FOREIGN = {
    "TypeError", "ValueError", "ArithmeticError", "LookupError", "KeyError", "IndexError",
    "AttributeError", "Exception", "BaseException", "OverflowError", "ZeroDivisionError",
    "RuntimeError", "LinAlgError",
}  # fmt: skip
SPEAK_THEMSELVES = {
    "cli/commands/doctor.py": "a report of an installation's illness quotes it",
    "studies/metrics.py": "the cause of a failing measure that a user wrote",
    "model/formats/mjcf_reader.py": "MuJoCo's words, put into a sentence by `_told`",
    "compiler/runtime/machine.py": "what LLVM says of a processor it cannot write for",
    "show/panel_base.py": "told to who writes a panel in Python",
}


def caught(node) -> set[str]:
    if isinstance(node, ast.Tuple):
        return set().union(*map(caught, node.elts))
    return {getattr(node, "attr", getattr(node, "id", ""))}


def quotes(node, name: str) -> bool:
    """Whether an expression writes the exception itself: {e}, str(e), repr(e), e.args."""
    held = {ast.FormattedValue: "value", ast.Attribute: "value"}.get(type(node))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("str", "repr"):
        return any(getattr(a, "id", "") == name for a in node.args)
    if isinstance(node, ast.Attribute) and node.attr != "args":
        return False
    return held is not None and getattr(getattr(node, held), "id", "") == name


def quoting(tree: ast.AST):
    """Lines where a handler of Python's own exceptions quotes them."""
    for h in ast.walk(tree):
        if isinstance(h, ast.ExceptHandler) and h.name and h.type and caught(h.type) & FOREIGN:
            for n in (n for line in h.body for n in ast.walk(line)):
                if quotes(n, h.name):
                    yield n.lineno


def test_no_handler_quotes_a_foreign_exception():
    found = {}
    for path in SOURCE.rglob("*.py"):
        if lines := [*quoting(ast.parse(path.read_text(encoding="utf-8")))]:
            found[path.relative_to(SOURCE).as_posix()] = lines
    assert found.keys() == SPEAK_THEMSELVES.keys(), found


@pytest.mark.parametrize("line", ['f"{e}"', "str(e)", "repr(e)", "e.args[0]"])
def test_a_quotation_is_found(line):
    text = f"try:\n    x()\nexcept (OSError, TypeError) as e:\n    raise Y({line})\n"
    assert [*quoting(ast.parse(text))] == [4]
    assert not [*quoting(ast.parse(text.replace("TypeError", "TorseurError")))]


def test_whatever_falls_while_a_file_is_read_names_the_file():
    for e in (TorseurError("no value"), KeyError("x"), RecursionError(), OSError(2, "No such")):
        with pytest.raises(ModelError, match=r"arm\.yaml: "), report_reader_failures("arm.yaml"):
            raise e
    for e in (ModelError(["placed"]), NotInstalled("pip"), TorseurError("arm.yaml: told")):
        with pytest.raises(type(e), match=str(e).split()[-1]), report_reader_failures("arm.yaml"):
            raise e


def test_options_that_do_not_fit_are_named():
    def disc(radius, height=1.0, *, color): ...

    assert (
        describe_call_mismatch(disc, ["radius", "color"])
        == describe_call_mismatch(disc, ["color"], 1)
        == ""
    )
    assert describe_call_mismatch(disc, ["hight"], 1).startswith(
        "no option is named 'hight'; did you mean 'height'"
    )
    assert describe_call_mismatch(disc, []) == "it needs radius, color"
    assert describe_call_mismatch(lambda **more: 0, ["x"]) == ""


@pytest.mark.parametrize("text", ["exp(1000)", "log(0)", "1/0", "sqrt(-1)"])
@pytest.mark.parametrize("field", ["at", "rpy", "child_rpy"])
def test_a_number_without_value_is_told_wherever_it_stands(field, text):
    joint = ts.Joint("j", "world", "b", ts.Revolute("y"), **{field: (0, text, 0)})
    with pytest.raises(ModelError, match="joint 'j', " + field.replace("_", ", ")):
        ts.Model(bodies=(ts.Body("b", 1.0),), joints=(joint,)).check()
