"""Test files of laboratories: read whole or refused with a sentence, written and read back."""

import math
import zipfile

import numpy as np
import pytest

import torseur as ts

TIME = np.arange(-20, 60) * 1e-3
ROWS = (  # sensor, place, axis, unit, last, status, label, values in the header's unit
    ("AC", "FLLR", "XG", "G'S", 59, "AM", "LEFT FLOOR X", 2.0 - 30 * (TIME > 0)),
    ("AC", "FLRR", "XG", "G'S", 59, "AM", "RIGHT FLOOR X", 1.0 - 32 * (TIME > 0)),
    ("DS", "CHST", "XL", "MM", 59, "AM", "CHEST", -1000 * TIME),
    ("AV", "HDCG", "YL", "DPS", 59, "AM", "HEAD RATE", 180 * TIME),
    ("LC", "LC0101", "XG", "NWT", 59, "AM", "CELL A-01", -5e4 * (TIME > 0)),
    ("LC", "SHBT", "NA", "NWT", 59, "NO", "BELT: Not installed", None),
    ("AC", "ENGN", "XG", "G'S", 20, "CF", "ENGINE: No valid data after 20 ms", TIME[:41] * 0),
)


def header(rows=ROWS, announced=None):
    test = ["V5", "A TEST"] + [""] * 12 + ["36.0", "0", "0", "0", str(announced or len(rows)), "x"]
    car = ["1"] + ["x"] * 9 + ["1500"] + ["x"] * 5
    lines = ["# made by a test", "----- EV5 -----", "----- TEST -----", "|".join(test)]
    lines += ["----- VEHICLE -----", "|".join(car), "----- INSTRUMENTATION -----"]
    for n, (sensor, place, axis, unit, last, status, label, _) in enumerate(rows, 1):
        lines.append(
            f"1|{n}|{sensor}|NA|{place}|{axis}|SEC|{unit}|2800|maker|now|1|1|0"
            f"|-20|{last}|1000|{status}|P|{label}"
        )
    return "\n".join([*lines, "----- END ------"])


def folder(path, rows=ROWS, text=None):
    path.mkdir()
    (path / "v1.EV5").write_text(text or header(rows))
    for n, row in enumerate(rows, 1):
        if row[-1] is not None:
            pairs = zip(TIME, row[-1], strict=False)
            (path / f"v1.{n:03d}").write_text("".join(f"{t:.6f}\t{x:.9f}\n" for t, x in pairs))
    return path


@pytest.fixture
def lab(tmp_path):
    return folder(tmp_path / "v1")


def test_folder_header_and_zip_are_the_same_test(lab, tmp_path):
    with zipfile.ZipFile(tmp_path / "v1.zip", "w") as archive:
        for file in lab.iterdir():
            archive.write(file, f"inside/{file.name}")
    for path in (lab, lab / "v1.EV5", tmp_path / "v1.zip"):
        test = ts.crash.read_test(path)
        assert (test.name, test.speed, test.mass, len(test)) == ("v1", 10.0, 1500.0, 7)
        np.testing.assert_allclose(test[1].time, TIME, rtol=0, atol=1e-9)
        np.testing.assert_allclose(test[1].values, ROWS[0][-1] * 9.80665, rtol=1e-9)
        np.testing.assert_allclose(test[3].values, -TIME, rtol=0, atol=1e-9)
        np.testing.assert_allclose(test[4].values, math.pi * TIME, rtol=0, atol=1e-9)
        assert test["CELL A-01"] is test[5]
        assert test[7].values.size == 41  # records differ in length


def test_the_table_has_every_row_of_the_header(lab):
    table = ts.crash.read_test(lab).channels
    assert list(table.columns) == [
        "number", "sensor", "location", "axis", "unit", "status", "label",
    ]  # fmt: skip
    assert list(table["number"]) == [1, 2, 3, 4, 5, 6, 7]
    assert list(table["unit"][:3]) == ["G'S", "G'S", "MM"]
    assert list(table["status"][4:]) == ["AM", "NO", "CF"]


def test_rows_without_data_and_unknown_channels_are_told(lab):
    (lab / "v1.003").unlink()
    test = ts.crash.read_test(lab)
    with pytest.raises(ts.TorseurError, match=r"channel 6 .*has no data: status NO: it was not re"):
        _ = test[6].values
    with pytest.raises(
        ts.TorseurError, match=r"channel 3 .CHEST. has no data: .*v1.003 is missing"
    ):
        _ = test[3].time
    with pytest.raises(ts.TorseurError, match=r"no channel has number 8 .known: 1 to 7."):
        _ = test[8]
    with pytest.raises(ts.TorseurError, match="no channel is named 'CHES'; did you mean 'CHEST'"):
        _ = test["CHES"]


def cut(file, bytes_left):
    file.write_bytes(file.read_bytes()[:bytes_left])


DAMAGE = {
    "short channel": (
        lambda p: cut(p / "v1.001", 24 * 20),
        "v1.001 is damaged: it holds 22 samples",
    ),
    "text in a channel": (
        lambda p: (p / "v1.002").write_text("0.0 1.0\n0.1 many\n"),
        "v1.002 is damaged",
    ),
    "broken header": (lambda p: cut(p / "v1.EV5", 500), "breaks off|lacks the section"),
    "no header": (lambda p: (p / "v1.EV5").unlink(), "holds no header"),
    "other file": (lambda p: (p / "v1.EV5").write_text("hello"), "is no EV5 header: it lacks the"),
    "unknown unit": (
        lambda p: (p / "v1.EV5").write_text(header().replace("|MM|", "|FUR|")),
        "channel 3 .CHEST. is in the unknown unit 'FUR'",
    ),
    "wrong count": (
        lambda p: (p / "v1.EV5").write_text(header(announced=9)),
        "announces 9 channels and lists 7",
    ),
    "times": (
        lambda p: (p / "v1.001").write_text("0.0 1\n" * 80),
        "v1.001 is damaged: its times do not grow",
    ),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damaged_files_are_refused_with_a_sentence(lab, what):
    spoil, sentence = DAMAGE[what]
    spoil(lab)
    with pytest.raises(ts.TorseurError, match=sentence):
        ts.crash.read_test(lab)


def test_damaged_zips_and_other_files_are_refused(lab, tmp_path):
    place = tmp_path / "v1.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in lab.iterdir():
            archive.write(file, file.name)
    whole = place.read_bytes()
    place.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ts.TorseurError, match=r"no whole zip"):
        ts.crash.read_test(place)
    hole = bytearray(whole)
    hole[200:260] = b"\0" * 60
    place.write_bytes(hole)
    with pytest.raises(ts.TorseurError, match="damaged"):
        ts.crash.read_test(place)
    with pytest.raises(ts.TorseurError, match="no test file or folder"):
        ts.crash.read_test(tmp_path / "absent")


@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_iso_mme_is_written_and_read_back(lab, tmp_path, name):
    test = ts.crash.read_test(lab)
    ts.crash.write_test(test, tmp_path / name)
    back = ts.crash.read_test(tmp_path / name)
    assert (back.name, back.speed, back.mass) == ("v1", 10.0, 1500.0)
    kept = [r for r in test if r.record is not None]
    assert [r.label for r in back] == [r.label for r in kept]
    assert [r.number for r in back] == [r.number for r in kept]
    for a, b in zip(kept, back, strict=True):
        np.testing.assert_array_equal(a.values, b.values)
        np.testing.assert_allclose(a.time, b.time, rtol=0, atol=1e-12)
        assert a.si_unit == b.si_unit
    assert [r.sensor for r in back] == ["AC", "AC", "DS", "AV", "FO", "AC"]
    assert back[1].extra["code"] == "10FLLR000000ACX0"
    twice = ts.crash.Test("t", "", (kept[0], kept[0]))
    ts.crash.write_test(twice, tmp_path / "t.zip")
    codes = [r.extra["code"] for r in ts.crash.read_test(tmp_path / "t.zip")]
    assert codes == ["10FLLR000000ACX0", "10FLLR000002ACX0"]
    (tmp_path / "t.zip").unlink()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["v1", name])


def test_iso_mme_with_uneven_times_other_units_and_damage(tmp_path):
    time = np.array([0.0, 1e-3, 3e-3, 4e-3])
    row = ts.crash.Channel(1, "AC", "HEAD", "X", "m/s^2", "OK", "head", "m/s^2", {},
                           (time, np.arange(4.0)))  # fmt: skip
    ts.crash.write_test(ts.crash.Test("u", "uneven", (row,)), tmp_path / "u")
    back = ts.crash.read_test(tmp_path / "u" / "u.mme")
    np.testing.assert_array_equal(back[1].time, time)
    file = tmp_path / "u" / "Channel" / "u.001"
    text = file.read_text()
    for unit, factor in (("g", 9.80665), ("km/h", 1 / 3.6), ("kN", 1e3), ("deg/s", math.pi / 180)):
        file.write_text(
            text.replace("m/(s*s)", unit).replace("ACX0", "ACX0" if unit == "g" else "00X0")
        )
        (file.parent / "u.chn").unlink(missing_ok=True)
        np.testing.assert_allclose(ts.crash.read_test(tmp_path / "u")[1].values,
                                   factor * np.arange(4.0), rtol=1e-15)  # fmt: skip
    file.write_text(text.replace("m/(s*s)", "smoot"))
    with pytest.raises(ts.TorseurError, match=r"u.001: unknown unit 'smoot'"):
        ts.crash.read_test(tmp_path / "u")
    for line, other, sentence in (
        ("m/(s*s)", "N", "is of m/s.2, its unit is 'N'"),
        ("m/(s*s)", "NOVALUE", "its unit is 'missing'"),
        (
            "explicit\n",
            "implicit\nTime of first sample :nan\nSampling interval :1\n",
            "is 'nan', so",
        ),
    ):
        file.write_text(text.replace(line, other))
        with pytest.raises(ts.TorseurError, match=sentence):
            ts.crash.read_test(tmp_path / "u")
    file.write_text(text[:-6])
    with pytest.raises(ts.TorseurError, match=r"u.001 is damaged: it holds 3 samples"):
        ts.crash.read_test(tmp_path / "u")


def test_the_force_crush_curve_starts_a_law(lab):
    """A constant deceleration: the curve is its mass times it, the work the kinetic energy."""
    test = ts.crash.read_test(lab)
    assert test.cabin() == (1, 2)
    _, a = test.mean(1, 2)
    assert a[TIME > 1e-9] == pytest.approx(-31 * 9.80665)
    curve = test.force_crush(channel_class=180)
    assert curve.crush.max() == pytest.approx(
        100 / (2 * 31 * 9.80665) + 10 * 0.0005,
        rel=0.005,  # the pulse ramps up within 1 ms
    )
    assert curve.work == pytest.approx(0.5 * 1500 * 100, rel=0.02)
    law = curve.law(spacing=0.02)
    assert law.points[0] == (0.0, 0.0)
    assert law.unloading > max(f / d for d, f in law.points[1:])
    assert test.barrier_force(60)[1][-1] == pytest.approx(5e4, rel=1e-3)


def test_zips_that_are_no_archives_of_ours(lab, tmp_path, monkeypatch):
    """Names in no known letters, files that would not fit: sentences, whatever zipfile raises."""
    path = tmp_path / "v1.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for p in lab.iterdir():
            archive.write(p, p.name)
        archive.writestr("é", "x")
    whole = path.read_bytes()
    path.write_bytes(whole.replace("é".encode(), b"\x85\xff"))
    with pytest.raises(ts.TorseurError, match=r"v1\.zip is a damaged zip"):
        ts.crash.read_test(path)
    path.write_bytes(whole)
    monkeypatch.setattr(
        "torseur.crash.test_data.reader.LARGEST", len(whole) // 3
    )  # of all together
    for where in (path, lab):
        with pytest.raises(
            ts.TorseurError, match=r"at most; .* torseur.crash.test_data.reader.LARGEST"
        ):
            ts.crash.read_test(where)
    monkeypatch.setattr("torseur.crash.test_data.reader.HEADER", 10)
    with pytest.raises(ts.TorseurError, match=r"v1.EV5 .* torseur.crash.test_data.reader.HEADER"):
        ts.crash.read_test(path)


def test_a_header_of_many_channels_is_read_in_proportion(lab):
    """Which numbers are given twice was asked of all channels for each."""
    head = lab / "v1.EV5"
    row = next(x for x in head.read_text().splitlines() if x.startswith("1|1|"))
    rows = [row.replace("1|1|", f"1|{n}|", 1) for n in range(1, 20001)]
    head.write_text(head.read_text().replace(row, "\n".join([*rows, rows[6]])))
    with pytest.raises(ts.TorseurError, match=r"number [27] is given to several channels"):
        ts.crash.read_test(lab)


def test_a_file_that_breaks_off_inside_its_last_number_is_refused(lab):
    """Its count is right and its number is not: only the missing end of the line tells."""
    file = lab / "v1.002"
    whole = file.read_bytes()
    file.write_bytes(whole[:-2])
    with pytest.raises(ts.TorseurError, match=r"v1.002 is damaged: it breaks off"):
        ts.crash.read_test(lab)
    file.write_bytes(whole)
    ts.crash.read_test(lab)
