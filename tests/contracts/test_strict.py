"""Inertias that no mass has: an error, or a warning where the equations stay well posed."""

import dataclasses

import numpy as np
import pytest

import torseur as ts

PUMA3 = (0.066, 0.0125, 0.086, 0, 0, 0)  # link 3 of the PUMA 560, as published


def arm(inertia=PUMA3, **options):
    body = ts.Body("link3", 4.8, (0, -0.07, 0.014), inertia)
    joint = ts.Joint("elbow", "world", "link3", ts.Revolute("z"))
    return ts.Model("puma", bodies=(body,), joints=(joint,), **options)


def test_published_data_pass_with_a_warning(tmp_path):
    with pytest.raises(ts.ModelError, match="cannot have principal inertias"):
        arm().check()
    with pytest.warns(ts.ModelWarning, match="cannot have principal inertias"):
        system = arm(strict=False).check()
    assert any("principal inertias" in text for text in system.warnings)
    with pytest.warns(ts.ModelWarning):
        assert arm().check(strict=False).nv == 1
    with pytest.warns(ts.ModelWarning):
        M = ts.compile(arm(strict=False)).mass_matrix([0.3])
    np.testing.assert_allclose(M, [[0.086 + 4.8 * 0.07**2]], rtol=1e-12)
    arm(strict=False).save(tmp_path / "m.yaml")
    assert "strict: false" in (tmp_path / "m.yaml").read_text()
    assert ts.load(tmp_path / "m.yaml").strict is False
    text = (tmp_path / "m.yaml").read_text().replace("strict: false\n", "")
    (tmp_path / "m.yaml").write_text(text)
    assert (
        ts.load(tmp_path / "m.yaml").strict
        and not ts.load(tmp_path / "m.yaml", strict=False).strict
    )


def test_the_report_tells_it(tmp_path):
    with pytest.warns(ts.ModelWarning):
        run = ts.simulate(arm(strict=False), 0.01, output=2)
        run.report(tmp_path / "r.html")
    assert "cannot have principal inertias" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize("inertia", [(-0.1, 0.2, 0.2, 0, 0, 0), (0.1, 0.1, 0.1, 0.5, 0, 0)])
def test_what_is_ill_posed_is_an_error_all_the_same(inertia):
    with pytest.raises(ts.ModelError, match="none may be negative"):
        arm(inertia, strict=False).check()


def test_strictness_is_no_mathematics():
    sound = arm((0.1, 0.1, 0.1, 0, 0, 0))
    assert sound.check().digest == dataclasses.replace(sound, strict=False).check().digest
