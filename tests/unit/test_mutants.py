"""Planted mutants: terms deleted, signs flipped, arms lost, by script.  Every one must die.

One child process loads the libraries, then forks for each mutant: the fork imports a copy of the
package with one change and runs `tests/mutant_check.py`, which must raise.  Mutants of `AREAS` are
checked by the function of that name in `tests/mutant_areas.py`, those of `TESTED` by a test file.
"""

import compileall
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import torseur

SOURCE = Path(torseur.__path__[0])
TESTS = Path(__file__).parents[1]

MUTANTS = {
    # formalisms/newton_euler
    "Coriolis product of a slide": ("formalisms/newton_euler.py", " + cross(w + w_P, V_J[3:])", ""),
    "half of it": ("formalisms/newton_euler.py", "cross(w + w_P, V_J[3:])", "cross(w, V_J[3:])"),
    "velocity product of angular velocities": (
        "formalisms/newton_euler.py",
        " + cross(w_P, V_J[:3])",
        "",
    ),
    "gyroscopic moment": ("formalisms/newton_euler.py", " + (J[2] - J[1]) * yz", ""),
    "gyroscopic product of inertia": ("formalisms/newton_euler.py", " + J[5] * (yy - zz)", ""),
    "moment arm of the force": ("formalisms/newton_euler.py", " + cross(link.inertia.h, acc)", ""),
    "acceleration of the joint's place": (
        "formalisms/newton_euler.py",
        "parent.a + parent.U @ X.p",
        "parent.a",
    ),
    "centripetal part": ("formalisms/newton_euler.py", "(-(yy + zz), xy - dz", "(yy + zz, xy - dz"),
    "rotors in the efforts": (
        "formalisms/newton_euler.py",
        " + vector(I * x for I, x in zip(link.armature, a, strict=True))",
        "",
    ),
    "bias of the joint": ("formalisms/newton_euler.py", "S @ a + joint.bias(K, q, v)", "S @ a"),
    "weight upside down": ("formalisms/newton_euler.py", "ZERO3, -gravity", "ZERO3, gravity"),
    "external wrench added": ("formalisms/newton_euler.py", "F[i] - external", "F[i] + external"),
    # the other formalisms
    "rotors in the mass matrix": (
        "formalisms/composite_body.py",
        "M[row, row] = M[row, row] + k.armature[row - k.v.start]",
        "pass",
    ),
    "only own inertia": (
        "formalisms/composite_body.py",
        "I[k.parent] + I[k.index]",
        "0 or I[k.index]",
    ),
    "velocity product, articulated": (
        "formalisms/articulated_body.py",
        " + V.cross(joint_twist)",
        "",
    ),
    "gyroscopic wrench, articulated": (
        "formalisms/articulated_body.py",
        "V.cross(link.inertia @ V))  ",
        "Wrench())  ",
    ),
    "bias through the joint": (
        "formalisms/articulated_body.py",
        " + projected.times(motion.c.array)",
        "",
    ),
    "half of the shift": ("formalisms/articulated_body.py", " - B2 @ P", ""),
    "Hamel's terms": ("formalisms/lagrange.py", "N.T @ (force + hamel_terms)", "N.T @ force"),
    "kinetic energy's slope": ("formalisms/lagrange.py", "(dU - dT)", "(dU + dT)"),
    # spatial
    "arm of a velocity": ("spatial/pose.py", "V.linear + cross(V.angular, self.p)", "V.linear"),
    "arm of a force": (
        "spatial/pose.py",
        "self.rotate(F.moment) + cross(self.p, f)",
        "self.rotate(F.moment)",
    ),
    "motion product": (
        "spatial/screws.py",
        "cross(w, other.linear) + cross(v, other.angular)\n            )  # SA.6",
        "cross(w, other.linear)\n            )",
    ),
    "force product": (
        "spatial/screws.py",
        "cross(w, other.moment) + cross(v, other.force)",
        "cross(w, other.moment)",
    ),
    "parallel axes": ("spatial/inertia.py", "g = H if h is ZERO3 else h + H", "g = H + H"),
    "momentum of an offset mass": (
        "spatial/inertia.py",
        "self.mass * v - cross(self.h, w)",
        "self.mass * v + cross(self.h, w)",
    ),
    "turned tensor": (
        "spatial/rotation_types.py",
        "J[i, i] - e, J[j, j] + e",
        "J[i, i] + e, J[j, j] - e",
    ),
    "exponential": ("spatial/exponential.py", " + cross(w, wv) * c", ""),
    "logarithm": ("spatial/exponential.py", "p - wp * 0.5", "p + wp * 0.5"),
    "rate of a quaternion": (
        "spatial/rotations.py",
        "(w, -z, y), (z, w, -x)",
        "(w, z, -y), (z, w, -x)",
    ),
    # joints
    "sign of a lead": ("joints/helical.py", "*along(a, K.number", "*along(-a, K.number"),
    "sign of a column": (
        "joints/_elementary_sequence.py",
        "X.pull_twist(step.twist(K, 1)).array",
        "(-X.pull_twist(step.twist(K, 1))).array",
    ),
    "sign of a bias": ("joints/_elementary_sequence.py", "s.cross(V).array", "V.cross(s).array"),
    "order of the steps": (
        "joints/_elementary_sequence.py",
        "X = step.pose(K, q) @ X\n        return S",
        "X = X @ step.pose(K, q)\n        return S",
    ),
    "rate of a turned subspace": ("joints/free.py", "-(skew(w) @ turn)", "skew(w) @ turn"),
    "step of a free body": ("joints/free.py", ".rotate(slide(K, w, u))", ".rotate(u)"),
    "closure of a hinge": (
        "joints/_elementary_sequence.py",
        "first, second = across(axis)",
        "first, second = (across(axis)[0],) * 2",
    ),
    "closure of a cardan": (
        "joints/universal.py",
        "a @ X_FM.R @ b - a @ b",
        "b @ X_FM.R @ a - a @ b",
    ),
    # kinematics and the tree form
    "acceleration of a point": (
        "kinematics/motion.py",
        "A.linear + cross(V.angular, V.linear)",
        "A.linear",
    ),
    "rate of a column": ("kinematics/motion.py", " + cross(s.angular, dr)", ""),
    "another body's screws": ("kinematics/quantities.py", "J - transport", "J + transport"),
    "Coriolis blocks": (
        "dynamics/tree_form_matrices.py",
        "np.hstack([gyroscopic, h @ w]), *np.hstack([-(w @ h),",
        "np.hstack([-gyroscopic, h @ w]), *np.hstack([w @ h,",
    ),
    "columns that turn": ("dynamics/tree_form_matrices.py", " + s.cross(relative)", ""),
    "mass off its point": (
        "dynamics/tree_form_matrices.py",
        " + X.rotate(link.inertia.h)\n    return",
        "\n    return",
    ),
    # lowering
    "welded mass lost": (
        "system/lowering/tree.py",
        "total = k.inertia + inertia.moved(place.X_LB)",
        "total = k.inertia",
    ),
    "child frame the wrong way": (
        "system/lowering/tree.py",
        "_attachment(beams, name, X_CM).inverse(), j.kind",
        "_attachment(beams, name, X_CM), j.kind",
    ),
    "roll and yaw swapped": (
        "system/lowering/bodies.py",
        'angles_to_matrix(value, "zyx", angles[::-1])',
        'angles_to_matrix(value, "zyx", angles)',
    ),
}

AREAS = {
    "forces": {
        "sign of a spring's rest": (
            "forces/laws/spring.py",
            "return s.x - self",
            "return s.x + self",
        ),
        "half of a spring's energy": ("forces/laws/spring.py", "* d * d * HALF", "* d * d"),
        "sign of a damper": (
            "forces/laws/viscous.py",
            '"damping") * s.rate',
            '"damping") * -s.rate',
        ),
        "reaction at the far end": (
            "forces/lines/point_force.py",
            "(XB, B, -pull)",
            "(XB, B, pull)",
        ),
        "arm of a pull": (
            "forces/lines/_base.py",
            "Wrench(cross(K.numbers(frame.X_LB.p), f), f)",
            "Wrench(0 * f, f)",
        ),
        "weight of a coordinate": (
            "forces/lines/_base.py",
            "rate + w * state.v[j]",
            "rate + state.v[j]",
        ),
        "moment of a bushing": ("forces/lines/bushing.py", "-(J.T @ T[:3])", "(J.T @ T[:3])"),
    },
    "constraints": {
        "ratio of a gear": ("constraints/gear.py", "minus(self.ratio)", "self.ratio"),
        "length of a rod": (
            "constraints/distance.py",
            "X_FM.p @ X_FM.p - L * L",
            "X_FM.p @ X_FM.p",
        ),
        "slip of a wheel": ("constraints/_contact_geometry.py", "u + cross(X_FM", "u - cross(X_FM"),
        "pose the wrong way": (
            "constraints/base.py",
            "X_AF.inverse() @ X_AM",
            "X_AM.inverse() @ X_AF",
        ),
        "right-hand side": ("dynamics/constraints/rows.py", "-time_rate(rate)", "time_rate(rate)"),
        "row through the rates": (
            "dynamics/constraints/rows.py",
            "part @ N for N in self.units[k.index]",
            "part @ N for N in reversed(self.units[k.index])",
        ),
        "a drive that stands": (
            "dynamics/constraints/rows.py",
            "rate + (self.K.derive(x, self.t) if isinstance(self.t, Node) else 0)",
            "rate + 0",
        ),
    },
    "integrate": {
        "a stage at the wrong time": (
            "integrate/explicit.py",
            "evaluate_rhs(run, t + run.C[i] * h, run.stage_rates[i])",
            "evaluate_rhs(run, t, run.stage_rates[i])",
        ),
        "the norm of an error": (
            "integrate/step_control.py",
            "        a = a * per_scale\n",
            "",
        ),
        "a guard that rises": (
            "integrate/event_functions.py",
            "if g_armed[k] > 0.0 and not g[k] > 0.0",
            "if g[k] > 0.0 and not g_armed[k] > 0.0",
        ),
        "the end of a step": (
            "integrate/step_control.py",
            "return t_stop - t",
            "return 0.5 * (t_stop - t)",
        ),
    },
    "compiler": {
        "sine and cosine exchanged": (
            "compiler/codegen/sincos.py",
            "ir.select_value(is_odd, c_, s_), ir.select_value(is_odd, s_, c_)",
            "ir.select_value(is_odd, s_, c_), ir.select_value(is_odd, c_, s_)",
        ),
        "the sign of a quadrant": (
            "compiler/codegen/sincos.py",
            'ir.binary_op("add", quadrant, ir.int_constant(1)',
            'ir.binary_op("add", quadrant, ir.int_constant(0)',
        ),
        "an addition": (
            "compiler/codegen/basic_block.py",
            'ir.binary_op("fsub", self.real_operand(a), self.real_operand(b ^ 1))',
            'ir.binary_op("fadd", self.real_operand(a), self.real_operand(b ^ 1))',
        ),
        "lanes swapped": (
            "compiler/codegen/tree_simd/blocks.py",
            "names.index(x[0]) * width + x[1]",
            "names.index(x[0]) * width + (x[1] ^ 1)",
        ),
        "a column for a row": (
            "compiler/codegen/tree_simd/stages.py",
            "(chunk * width + lane) * n + one",
            "one * n + chunk * width + lane",
        ),
        "a momentum of another column": (
            "kernels/tree_simd/mass_matrix.py",
            "ColumnAddress(c.column, number, lane,",
            "ColumnAddress(c.column, number, max(0, lane - 1),",
        ),
        "another lane's mask": (
            "compiler/codegen/tree_simd/stages.py",
            "1 << other % width",
            "2 << other % width",
        ),
        "the point of the tree": (
            "kernels/tree_simd/kinematics.py",
            '"p": (p - d, ',
            '"p": (p + d, ',
        ),
        "an inverse": ("compiler/program/casadi_reader.py", "b.div(b.one, x)", "b.div(x, b.one)"),
        "a shared divisor": (
            "compiler/program/normal_form.py",
            "b.mul(x, b.div(b.one, y))",
            "b.mul(x, y)",
        ),
    },
    "beams": {
        "a beam does not come nearer": (
            "system/beams.py",
            "vector((x - shortening, y, z))",
            "vector((x, y, z))",
        ),
        "whole of the shortening": ("system/beams.py", "* K.exact(0.5)", "* 1"),
        "the section does not turn": ("system/beams.py", "[yaw, pitch, roll]", "[yaw, 0, roll]"),
        "pitch the other way": ("system/beams.py", "[-x for x in slopes]", "slopes"),
        "turned while it moves": ("system/beams.py", " - cross(w, columns[:, j])", ""),
        "rate of the shortening": (
            "system/beams.py",
            'vector(-x for x in self._table_times(K, "shortening", v))',
            "vector([0] * self.nv)",
        ),
        "inertia of a twisted section": (
            "system/beams.py",
            "(self.EI[0] + self.EI[1])",
            "self.EI[0]",
        ),
        "stiffness by the cube": (
            "system/beams.py",
            "self.length**3 if",
            "self.length**2 if",
        ),
        "slices that forget each other": (
            "formalisms/newton_euler.py",
            "tau[link.v] + joint_tau",
            "joint_tau",
        ),
        "masses that forget each other": (
            "formalisms/composite_body.py",
            "M[row, inboard.v] + S[inboard",
            "S[inboard",
        ),
    },
    "symbolic": {
        "a rate for an acceleration": (
            "symbolic/evaluate.py",
            "(v, S.sums[n]) if n in S.sums else (a, S.rates[n])",
            "(v, S.sums[n]) if n in S.sums else (v, S.rates[n])",
        ),
        "sine for cosine": (
            "symbolic/evaluate.py",
            'np.cos if n[0] == "c"',
            'np.sin if n[0] == "c"',
        ),
        "a difference put in": (
            "symbolic/substitute.py",
            "return args[0] * args[1]",
            "return args[0] + args[1]",
        ),
        "powers in SymPy": ("symbolic/to_sympy.py", "atom(a) ** n for", "atom(a) for"),
        "the ring's relation": (
            "scalars/kinds/polynomial.py",
            "+ gens[c] ** 2 - 1) for s, c",
            "- gens[c] ** 2 - 1) for s, c",
        ),
    },
}

TESTED = {
    "show/test_software_renderer.py": {
        "pictures upside down": (
            "show/software_renderer.py",
            "self.middle[1] - self.scale",
            "self.middle[1] + self.scale",
        ),
        "pictures left for right": (
            "show/software_renderer.py",
            "x = self.middle[0] + self.scale",
            "x = self.middle[0] - self.scale",
        ),
        "a body turned the other way": (
            "show/software_renderer.py",
            "groups.append(TriangleMesh(x.corners @ R.T + p",
            "groups.append(TriangleMesh(x.corners @ R + p",
        ),
        "the trace of the future": (
            "show/software_renderer.py",
            "rows = [*range(0, row, step), row]",
            "rows = [*range(row, len(self.run.time), step)]",
        ),
        "the farther triangle is seen": (
            "show/software_renderer.py",
            "(z > depth_window)",
            "(z > 0)",
        ),
    },
    "show/test_animation.py": {
        "films played backwards": (
            "show/animation.py",
            "np.linspace(run.time[0], run.time[-1], n_frames)",
            "np.linspace(run.time[-1], run.time[0], n_frames)",
        ),
        "frames by rows": (
            "show/animation.py",
            "np.clip(np.searchsorted(run.time, times), 0, len(run.time) - 1)",
            "np.linspace(0, len(run.time) - 1, frames).astype(int)",
        ),
    },
    "show/test_svg_plots.py": {
        "y axis reversed": ("show/svg_plots.py", "v = bottom - (np", "v = top + (np"),
        "areas that do not add up": (
            "show/svg_plots.py",
            "total = total + y",
            "total = 0 * total + y",
        ),
        "peaks thinned out": ("show/svg_plots.py", "y[a:b].argmin()", "y[a:b].argmax()"),
    },
    "show/test_signal_packing.py": {
        "area of a triangle": (
            "show/signal_packing.py",
            "- (s0 - s[low:high])",
            "+ (s0 - s[low:high])",
        ),
        "a guide without its range": (
            "show/signal_packing.py",
            " / np.ptp(scaled, axis=1)[:, None]",
            "",
        ),
    },
    "show/test_model_numbers.py": {
        "origin of moving axes": (
            "show/model_numbers.py",
            "@ S - S.T @ origin",
            "@ S + S.T @ origin",
        ),
        "traces in moving axes": ("show/model_numbers.py", "Q, world - o)", "Q, world + o)"),
    },
    "show/test_report_numbers.py": {
        "force of a card": (
            "show/cards/forces.py",
            "yield Card(label, abs(value)",
            "yield Card(label, value",
        ),
        "body of a signal": (
            "show/page.py",
            "j.name: number[j.child]",
            "j.name: number.get(j.parent, 0)",
        ),
        "change of speed of an impact": ("show/cards/impact.py", "v - v[:, :1]", "v"),
    },
    "show/test_scene.py": {
        "length of a rod": (
            "show/default_shapes.py",
            "length / np.linalg.norm(arm) / 2)",
            "length / np.linalg.norm(arm))",
        ),
        "radius of a disc": ("show/default_shapes.py", "np.sqrt(2 * I / m)", "np.sqrt(I / m)"),
        "radii of gears": (
            "show/element_marks.py",
            "sizes = [r / max(ratios) for r in ratios]",
            "sizes = [max(ratios) / r for r in ratios]",
        ),
        "height of the ground": (
            "show/element_marks.py",
            "out.grounds.append(float(p @ out.up))",
            "out.grounds.append(-float(p @ out.up))",
        ),
        "a beam bent the other way": (
            "show/beam_shapes.py",
            "((2, rotation[2] @ q), (1",
            "((2, -rotation[2] @ q), (1",
        ),
        "a beam that grows": ("show/beam_shapes.py", "(xi - origin) - 0.5", "(xi - origin) + 0.5"),
    },
    "crash/test_crash_tab.py": {
        "deceleration of a pulse": ("crash/report.py", "ms, -a / G0, soft", "ms, a / G0, soft"),
        "line of the OLC": (
            "crash/report.py",
            "o.speed - float(o) * (o.end",
            "o.speed + float(o) * (o.end",
        ),
        "kilonewtons of the wall": (
            "crash/report.py",
            "Line(n, ms, kilo * x) for n, x in wall",
            "Line(n, ms, x) for n, x in wall",
        ),
        "a card in g": ("crash/report.py", 'float(m) / G0, "g")', 'float(m), "g")'),
    },
    "show/test_plots.py": {
        "factor of an axis": ("show/plots.py", "factor * table[name]", "table[name]"),
        "unit of the axis across": ("show/plots.py", "{first.units[x]}", "{first.units[names[0]]}"),
    },
    "vehicles/test_compliance.py": {
        "camber under loads": (
            "vehicles/compliance.py",
            "camber = -wheel.side * axle_change[2]",
            "camber = wheel.side * axle_change[2]",
        ),
        "toe of a wheel that leans": ("vehicles/compliance.py", "toe /= 1 - axle[2] ** 2", "pass"),
        "toe of the other side": ("vehicles/compliance.py", "toe = wheel.side * (", "toe = ("),
        "way of the contact": (
            "vehicles/compliance.py",
            "contact_displacement = displacement + np.cross(rotation, arm)",
            "contact_displacement = displacement - np.cross(rotation, arm)",
        ),
    },
    "vehicles/test_reports_by_hand.py": {
        "trail": ("vehicles/suspension.py", "ground[0] - contact[0]", "contact[0] - ground[0]"),
        "recession": (
            "vehicles/suspension.py",
            "-mm * (p - wheel.start)[0]",
            "mm * (p - wheel.start)[0]",
        ),
        "angle against dive": (
            "vehicles/suspension.py",
            "np.arctan2(path[0], path[2])",
            "np.arctan2(-path[0], path[2])",
        ),
        "roll steer": (
            "vehicles/axle.py",
            "deg((left_steer + right_steer) / 2)",
            "deg(sum(steer_angles))",
        ),
        "jacking": ("vehicles/axle.py", "1e3 * (level - low)", "1e3 * (low - level)"),
    },
}
"""Mutants by the test file that kills them."""
SAMPLE = 19  # every nineteenth in an ordinary run

DRIVER = """
import json, os, sys
from importlib.util import cache_from_source
import casadi, numpy                                     # loaded once, shared by every fork
plan = json.load(sys.stdin)
sys.path[:0] = [plan["package"], plan["tests"]]
survivors = []
for area, name, path, old, new in plan["mutants"]:
    file = os.path.join(plan["package"], "torseur", path)
    text = open(file, encoding="utf8").read()
    if text.count(old) < 1:
        survivors.append(f"{name}: the text to change is gone from {path}")
        continue
    if os.path.exists(cache_from_source(file)):          # never taken for the mutant's
        os.unlink(cache_from_source(file))
    with open(file, "w", encoding="utf8") as f:
        f.write(text.replace(old, new, 1))
    child = os.fork()
    if child == 0:
        sys.dont_write_bytecode = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            if area.endswith(".py"):
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                import mutant_areas
                mutant_areas.run_test_file(area)
            elif area:
                import mutant_areas
                mutant_areas.AREAS[area]()
            else:
                import mutant_check
                mutant_check.run()
        except BaseException:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    with open(file, "w", encoding="utf8") as f:
        f.write(text)
    if status == 0:
        survivors.append(name)
print(json.dumps(survivors))
"""
EVERY = [("", name, *change) for name, change in MUTANTS.items()]
EVERY += [(area, n, *change) for area, group in AREAS.items() for n, change in group.items()]
EVERY += [(file, n, *change) for file, group in TESTED.items() for n, change in group.items()]
SOUND = ("formalisms/newton_euler.py", "cross(w + w_P, V_J[3:])", "cross(w_P + w, V_J[3:])")
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="the mutants run in forked processes")


def survivors_of(mutants, tmp_path):
    shutil.copytree(SOURCE, tmp_path / "torseur")
    compileall.compile_dir(tmp_path, quiet=2)  # what has no bytecode yet
    plan = {"package": str(tmp_path), "tests": str(TESTS), "mutants": mutants}
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    run = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps(plan),
        text=True,
        capture_output=True,
        env=environment
        | {"PYTHONDONTWRITEBYTECODE": "1", "TORSEUR_CACHE": str(tmp_path / "cache")},
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@FORKS
def test_a_sample_of_planted_mutants_dies(tmp_path):
    """And sound code passes each look: none dies of something else."""
    sample = EVERY[::SAMPLE]
    looks = dict.fromkeys(["", *AREAS, *(area for area, *_ in sample)])
    sound = [(area, area or "mechanics", *SOUND) for area in looks]
    names = [name for _, name, *_ in sound]
    assert survivors_of([*sound, *sample], tmp_path) == names


@FORKS
@pytest.mark.mutants
def test_every_planted_mutant_dies(tmp_path):
    sound = [(file, file, *SOUND) for file in TESTED]
    assert survivors_of([*sound, *EVERY], tmp_path) == [*TESTED]


def test_the_text_of_every_mutant_is_there():
    gone = [
        f"{name}: {path}"
        for _, name, path, old, _ in EVERY
        if old not in (SOURCE / path).read_text(encoding="utf-8")
    ]
    assert not gone
