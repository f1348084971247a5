@pytest.mark.parametrize(
    ("time", "a", "lost"),
    [
        ([0, 0.05, 0.0501, 0.08], [-100, -100, 0, 0], 5.005),
        ([0, 4e-4, 0.0805], [0, -90, -90], 7.227),
    ],
)
def test_a_pulse_of_few_points_is_driven_through_each(time, a, lost):
    run = ts.simulate(C.sled(time, a, 15.0, t_end=0.09))
    assert 15 - run["cabin.speed"][-1] == pytest.approx(lost, abs=1e-4)
