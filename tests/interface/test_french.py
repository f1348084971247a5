"""The page in French: every text of its own has a translation, and a page read in French keeps no
English sentence."""

import ast
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
import zoo
from browser import Browser, chromium
from french_walk import WALK, english

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import Drive, DriveStage, law, line
from torseur.joints import joint
from torseur.show.french import ELEMENT_NAMES, ENGLISH_WORDS, EVENT_VERBS, translate_sentence
from torseur.show.panel_base import create_panels
from torseur.show.text import (
    AXIS_PREPOSITIONS,
    GUARD_VERBS,
    SKIPPED_FIELDS,
    describe_event,
    split_identifier,
)

ROOT = Path(__file__).parents[2]
SRC, WEB = Path(ts.__path__[0]), ROOT / "web" / "src"
SCRIPTS = [*sorted((SRC / "show").rglob("*.py")), *sorted(SRC.glob("*/panels/*.py"))]


def dictionary() -> set[str]:
    """English texts that the page's own dictionary holds."""
    text = (WEB / "words.js").read_text(encoding="utf-8")
    return set(re.findall(r'"((?:[^"\\]|\\.)+)":', text[: text.index("let learnt")]))


def asked() -> set[str]:
    """English texts that the page is asked to say: scripts, marked elements, cards, headings."""
    out = set()
    for file in [*sorted(WEB.glob("*.js")), WEB / "page.html", *SCRIPTS]:
        text = re.sub(r"""['"]\s*\n\s*f?['"]""", "", file.read_text(encoding="utf-8"))
        out |= set(re.findall(r'\bsay\((?:\w+ \? )?"((?:[^"\\]|\\.)+)"', text))
        out |= set(re.findall(r"data-say>([^<{]+)<", text))
        for head in re.findall(r"<(?:h2|caption)>([^<{]+)</", text):
            out.add(head)
        out |= set(re.findall(r'"data-say": true \}, "([^"]+)"', text))
        out |= set(re.findall(r'\brows\("([^"]+)"', text))
        out |= set(re.findall(r'aria-label="([^"{]+)"', text)) - {"Français"}
        if file.parent.name == "cards":
            out |= set(re.findall(r'"([A-Z][a-z]+(?: [a-z]+)*|[a-z]+(?: [a-z]+)+)"', text))
    out |= {p.title for p in create_panels().values()}
    out |= set(re.findall(r'\["([A-Z][a-z ]+)", (?:true|false)\]', (WEB / "view.js").read_text()))
    return {" ".join(x.replace("&tau;", "τ").split()) for x in out} - set(ELEMENT_NAMES)


def test_every_text_of_the_page_has_its_french():
    texts = asked()
    assert len(texts) > 80 and "Plots" in texts and "constraints hold" in texts
    assert not sorted(texts - dictionary())


def test_every_element_and_its_numbers_have_a_name():
    every = (
        *law.values(),
        *line.values(),
        *joint.values(),
        *constraint.values(),
        Drive,
        DriveStage,
    )
    lost = {
        word
        for kind in every
        for word in (
            split_identifier(kind.__name__),
            *(split_identifier(f.name) for f in fields(kind) if f.name not in SKIPPED_FIELDS),
        )
        if not word.startswith("_")
    } | {*AXIS_PREPOSITIONS.values()}
    assert not sorted(lost - set(ELEMENT_NAMES))


def guards():
    """Names of every event that some element can have."""
    for x in law.examples():
        inputs = tuple(ts.Input(n) for n in x.inputs)
        slide = ts.Joint("j", "world", "b", ts.Prismatic("x"))
        model = ts.Model(bodies=(ts.Body("b", 1),), joints=(slide,), inputs=inputs)
        yield replace(model, forces=(ts.JointForce("f", "j", x),))
    for x in constraint.examples():
        yield replace(zoo.mechanism(), constraints=(x,))
    for x in joint.examples():
        yield zoo.around(x)


def test_what_elements_do_has_its_french():
    assert not set(GUARD_VERBS.values()) - set(EVENT_VERBS)


@pytest.mark.slow
def test_every_event_is_told():
    seen = set()
    for model in guards():
        try:
            names = [g.name for g in model.check().layout.guards]
        except ts.TorseurError:
            continue  # an example for another place than this
        seen |= {n.rpartition(": ")[2] for n in names}
        for name in names:
            found = describe_event(name)
            assert found["fr"] != found["what"], name
    assert len(seen) > 15


SPEAKERS = {
    "simulation/run/diagnostics.py": None,
    "simulation/run/method_selection.py": None,
    "simulation/run/contact_modes.py": ("note_initial_impact",),
    "simulation/run/constraint_method.py": ("__str__",),
    "simulation/run/budget.py": ("explain_spent_budget", "rtol_remedy", "kink_remedy"),
    "simulation/run/run.py": ("go", "describe_end"),
    "system/checks.py": ("check_angle", "check_right_angles"),
}
REST = "the motion came to rest on the {} stop of {} and then went through it"
WHOLE = {  # what is said in parts
    "stopped Q by Q": "stopped at t = 1 s by 'Q'",
    "stopped Q by Q: QQ": "stopped at t = 1 s by 'Q': its contact is no single point any more",
    " of Q s": "stopped at t = 1 s of 2 s: 9 s of work are more than max_seconds = 3",
    " and ": "the constraints slip by up to Q m/s or rad/s, more than Q of the speeds, "
    "from t = Q s on and the constraints are open by up to Q m or rad, more than Q of the "
    "mechanism's Q m, from t = Q s on",
    "Q: not a motion to trustQ": ": not a motion to trust; try a smaller rtol",
    "could not start: QQ": "could not start: its contact is no single point any more",
    "Q left its limits Q at Q (Q)": "Q left its limits 1 .. 2 m at t = 1 s",
    REST.format("Q", "Q"): REST.format("low", "Q"),
    "Q leaves the Q of its table at t = Q s": "Q leaves the end of its table at t = 2 s",
    "Q were taken, as many as Q allows": "9 steps were taken, as many as max_steps= allows",
    "Q evaluations of the rates": "9 evaluations of the rates were taken, as many as Q allows",
    "Q, the last of Q sQ: end sooner, loosen rtol, or raise Q": (
        ", the last of 1 s: end sooner, loosen rtol, or raise Q"
    ),
    "; some Q more would reach Q s": (
        ", the last of 1 s; some 9 more would reach 3 s: end sooner, loosen rtol, or raise Q"
    ),
}


def sentences(file: Path, only):
    """Every text of a file's functions that has several words, names and numbers put in."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docs = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docs.add(node.value)
    inner = {id(v) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for v in ast.walk(n)}
    for part in ast.walk(tree):
        if only and not (isinstance(part, ast.FunctionDef) and part.name in only):
            continue
        for node in ast.walk(part) if only else [part]:
            if isinstance(node, ast.JoinedStr):
                yield "".join(v.value if isinstance(v, ast.Constant) else "Q" for v in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from [node.value] if node not in docs and id(node) not in inner else []


@pytest.mark.parametrize("file", SPEAKERS)
def test_sentences_of_a_run_and_of_a_check_are_translated(file):
    found = [s for s in sentences(SRC / file, SPEAKERS[file]) if ENGLISH_WORDS.search(s)]
    assert found
    assert not [s for s in found if translate_sentence(WHOLE.get(s, s)) is None]


def books():
    from torseur.crash.french import FRENCH as crash
    from torseur.identify.french import FRENCH as identify
    from torseur.robots.french import FRENCH as robots
    from torseur.studies.french import FRENCH as studies

    return {
        "crash/report.py": crash,
        "identify/report.py": identify,
        "robots/report.py": robots,
        "studies/report.py": studies,
    }


def visible(file: Path):
    """Texts that a page's file puts before its reader: labels, heads, titles, words in HTML."""

    def text(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.JoinedStr):
            return "".join(v.value if isinstance(v, ast.Constant) else "Q" for v in node.values)
        return ""

    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in ("figure", "Line", "_table", "set_xlabel", "page") and node.args:
                heads = [x for a in node.args[:4] for x in getattr(a, "elts", ())]
                yield from map(text, [*node.args[:4], *heads])
            yield from (
                text(k.value) for k in node.keywords if k.arg in ("label", "xlabel", "title")
            )
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
            yield t if (t := text(node.elts[0]))[:1].isupper() else ""
        if "</" in text(node):
            yield from re.findall(r">([^<>]+)<", text(node))


PAPER_FIGURES = {"median", "time [s]"}  # labels of matplotlib figures, which are in English


@pytest.mark.parametrize("file", books())
def test_pages_of_other_rooms_have_their_french(file):
    book, found = books()[file], set(visible(SRC / file))
    texts = {" ".join(t.split()) for t in found if re.search(r"[a-z]{3}", t) and "_" not in t}
    lost = {t for t in texts if book(t) is None and "<" not in t}
    assert texts and not sorted(lost - PAPER_FIGURES)


def test_counts_of_a_fit_agree_with_their_words():
    book = books()["identify/report.py"]
    one = "1 number from 101 measurements of 1 test in 7 evaluations, chi2 = 2"
    two = "2 numbers from 1 measurement of 3 tests in 1 evaluation, chi2 = 2"
    assert book(one) == "1 nombre tiré de 101 mesures de 1 essai en 7 évaluations, chi2 = 2"
    assert book(two).startswith("2 nombres tirés de 1 mesure de 3 essais en 1 évaluation, chi2")


def test_what_the_script_of_a_study_says_has_its_french():
    from torseur.studies.french import FRENCH, SCRIPTS

    text = (SRC / "studies" / "assets" / "study.js").read_text(encoding="utf-8")
    asked = set(re.findall(r'say\("([^"]+)"\)', text))
    assert asked == set(SCRIPTS) and not [t for t in asked if FRENCH(t) is None]


def test_names_of_crash_metrics_have_their_french():
    from torseur.crash.french import FRENCH
    from torseur.crash.results import METRIC_LABELS as named

    text = "".join((SRC / "crash" / n).read_text("utf-8") for n in ("results.py", "sled_model.py"))
    keys = set(re.findall(r'\bout\["(\w+)"\]|\bout = \{"(\w+)"', text))
    found = {named.get(k, k.replace("_", " ")) for pair in keys for k in pair if k}
    lost = [n for n in found if FRENCH(n) is None and n not in ("OLC", "VPI", "ASI", "3 ms")]
    assert len(found) > 5 and not lost


def four_bar():
    """A closed mechanism with a spring, a stop, a contact's name and a right angle nearly met."""
    model = ts.load(ROOT / "examples" / "four_bar.yaml")
    first = model.joints[0]
    push = ts.JointForce("helper", first.name, ts.Parallel(ts.Spring("2 N m/rad"), ts.Viscous(0.1)))
    load = ts.Wrench("load", model.bodies[-1].name, (0, 0, 0, 0, 1, 0), law=ts.Spring(1.0))
    near = ts.Frame("near", model.bodies[0].name, rpy=(0, 0, 1.5707))
    return replace(
        model, forces=(*model.forces, push, load), frames=(*model.frames, near), inputs=("drive",)
    )


@pytest.mark.slow
@pytest.mark.skipif(chromium() is None, reason="no Chromium on this machine")
@pytest.mark.filterwarnings("ignore::torseur.errors.ModelWarning")
def test_a_page_in_french_has_no_english_sentence(tmp_path):
    drop = ts.Model(
        "balle",
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("j", "world", "b", ts.Prismatic("z")),),
        forces=(ts.JointForce("stop", "j", ts.Limits(0.0, 5.0, restitution=0.5)),),
        initial={"j.displacement": 1.0},
    )
    runs = {
        "loop": ts.simulate(four_bar(), t_end=0.2, output=40),
        "failed": ts.simulate(drop, t_end=3.0),  # a rigid stop on which it comes to rest
    }
    assert not runs["failed"].completed
    with Browser(tmp_path / "profile", size=(960, 600)) as b:
        for name, run in runs.items():
            b.open(run.report(tmp_path / f"{name}.html").as_uri() + "#lang=fr")
            b.run("document.querySelectorAll('[data-term]').forEach((e) => e.click())")
            texts = b.run(WALK)
            assert len(texts) > 100 and not english(texts)
            points = [t for t in texts if re.search(r"(?<![\w.])\d+\.\d+(?![\w.])", t)]
            assert not points  # decimal commas
            assert b.complaints() == []
