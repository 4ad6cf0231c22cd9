"""The demonstration adds up: `lifeline demo` plays all three services through outages and says so itself."""

from lifeline_harness import Program, lifeline


def test_the_demonstration_adds_up(started):
    demo = started(Program, [lifeline(), "demo"])
    code = demo.wait(180)
    assert code == 0, "\n".join(demo.lines[-60:])
    assert sum(line.startswith("It adds up.") for line in demo.lines) == 3
