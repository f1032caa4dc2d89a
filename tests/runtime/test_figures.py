"""Pictures of robots and of motions: what is drawn where, with which units and limits, and which files are written."""

from __future__ import annotations

import functools
import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kanegen
from kanegen.codegen.mechanism import MechanismBuilder
from kanegen.codegen.mechanism.records import JointLimits
from kanegen.figures.curves import panels
from kanegen.figures.stick_figure import posed

pytestmark = pytest.mark.needs("matplotlib")


@functools.cache
def arm() -> kanegen.Robot:
    """A rail, on it a hinge, then a ball joint; a fixed flange, and a spring between frames."""
    b = MechanismBuilder("pictured")
    for name, mass in (("cart", 2), ("rod", 1), ("bob", 1), ("flange", 1)):
        b.body(name, mass=mass, center=(0, "0.1", "-0.2"), inertia=("0.1", "0.1", "0.1"))
    b.prismatic(
        "rail", "base", "cart", axis=(1, 0, 0), position=(0, 0, "0.5"), limits=JointLimits("-0.2", "0.2")
    )
    b.revolute("hinge", "cart", "rod", axis=(0, 1, 0), position=("0.1", 0, 0))
    b.spherical("ball", "rod", "bob", position=(0, 0, "-0.4"))
    b.fixed("weld", "bob", "flange", position=(0, 0, "-0.1"))
    b.translational_spring("spring", "cart", "bob", stiffness=10, rest="0.1")
    frames = [f"frame_pose_{name}" for name in ("cart", "rod", "bob", "flange")]
    needed = ["forward_dynamics", "coordinate_rates", "kinetic_energy", "potential_energy", *frames]
    return kanegen.load(b.build(), kernels=needed, interpreted=True)


@functools.cache
def motion() -> kanegen.simulation.Motion:
    q, v = arm().neutral, [0.3, 0.0, 0.1, 0.2, 0.0]
    with pytest.warns(kanegen.ModelWarning, match="joint rail"):
        return kanegen.simulate(
            arm(), q, v, 1.0, lambda t, q, v: [3.0, 0, 0, 0, 0], times=np.linspace(0, 1, 21)
        )


def test_the_skeleton_is_that_of_the_model():
    skeleton = arm().skeleton
    assert skeleton is not None
    found = [(link.body, link.parent, link.joint, link.kind) for link in skeleton.links]
    assert found == [
        ("cart", "base", "rail", "prismatic"), ("rod", "cart", "hinge", "revolute"),
        ("bob", "rod", "ball", "spherical"), ("flange", "bob", "weld", "fixed"),
    ]  # fmt: skip
    assert skeleton.links[1].axis == (0, 1, 0)
    assert skeleton.links[2].anchor == (0, 0, -0.4)
    assert [link.mass for link in skeleton.links] == [2, 1, 1, 1]
    assert skeleton.ties == (("cart", "bob"),)
    assert skeleton.units == ("m", "rad", "1", "1", "1", "1")
    assert skeleton.rates == ("m/s", "rad/s", "rad/s", "rad/s", "rad/s")
    assert kanegen.load("stanford_arm", speeds="kane_levinson").skeleton.rates[-1] == "m/s"


def test_joints_are_drawn_where_they_are():
    """By hand: the cart at x = 0.2, z = 0.5; the rod turned by 90 degrees about y, so that its -z points along -x."""
    q = np.array([[0.2, np.pi / 2, 0, 0, 0, 1]])
    found = posed(arm(), q)
    assert_allclose(found.sticks(found.links[0])[:, 0], [[0, 0, 0], [0, 0, 0.5], [0.2, 0, 0.5]], atol=1e-15)
    assert_allclose(found.sticks(found.links[2])[:, 0], [[0.3, 0, 0.5], [-0.1, 0, 0.5]], atol=1e-15)
    assert_allclose(found.point("rod", found.links[1].centre)[0], [0.1, 0.1, 0.5], atol=1e-15)
    axes = arm().plot(q[0], path=None, ax=None)
    lines = [np.transpose(line.get_data_3d()) for line in axes.lines]
    assert any(
        points.shape == (2, 3) and np.allclose(points, [[0.3, 0, 0.5], [-0.1, 0, 0.5]]) for points in lines
    )
    assert {text.get_text() for text in axes.texts} == {"rail", "hinge", "ball"}
    assert axes.get_xlabel() == "x [m]"
    axes.figure.clear()


def test_curves_have_units_and_limits():
    chosen = {(panel.title, panel.unit): panel for panel in panels(motion())}
    assert list(chosen) == [
        ("coordinates", "m"), ("coordinates", "rad"), ("coordinates", "1"), ("speeds", "m/s"), ("speeds", "rad/s"),
        ("forces", "N"), ("forces", "N m"), ("energies", "J"),
    ]  # fmt: skip
    assert chosen["coordinates", "m"].limits == {"q.rail": (-0.2, 0.2)}
    assert list(chosen["coordinates", "m"].curves) == ["q.rail"]
    drawn = motion().plot()
    rail = drawn.axes[0]
    assert rail.get_ylabel() == "coordinates [m]"
    assert [line.get_linestyle() for line in rail.lines].count(":") >= 1  # a limit
    assert any(np.isnan(line.get_ydata()).any() for line in rail.lines)  # what lies beyond it
    drawn.clear()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_files(tmp_path: Path, suffix: str):
    for name, draw in (("arm", arm().plot), ("motion", motion().plot)):
        path = tmp_path / f"{name}{suffix}"
        draw(path=path)
        first = path.read_bytes()
        draw(path=path)
        assert first == path.read_bytes()
        assert first[:4] in (b"\x89PNG", b"<?xm", b"%PDF")
    assert {path.name for path in tmp_path.iterdir()} == {f"arm{suffix}", f"motion{suffix}"}


def test_animation(tmp_path: Path):
    image = pytest.importorskip("PIL.Image")
    motion().animate(tmp_path / "m.gif", frames_per_second=10, speed=2.0)
    with image.open(tmp_path / "m.gif") as moving:
        assert moving.n_frames == 6  # a second at ten frames a second, twice as fast, both ends included
    assert [path.name for path in tmp_path.iterdir()] == ["m.gif"]


def test_what_cannot_be_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(kanegen.KanegenError, match="doc"):
        motion().plot(tmp_path / "m.doc")
    with pytest.raises(kanegen.KanegenError, match="gif or"):
        motion().animate(tmp_path / "m.png")
    kept = pickle.loads(pickle.dumps(motion()))
    assert [name for name, _ in kept.columns()] == [name for name, _ in motion().columns()]
    kept.plot(tmp_path / "kept.png")
    with pytest.raises(kanegen.KanegenError, match="no robot"):
        kept.animate(tmp_path / "m.gif")
    less = kanegen.load("two_link_space_arm", kernels=["mass_matrix"], interpreted=True)
    with pytest.raises(kanegen.MissingKernelError):
        less.plot()
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(kanegen.KanegenError, match="matplotlib"):
        arm().plot()


def test_to_pandas():
    pandas = pytest.importorskip("pandas")
    frame = motion().to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "t"
    assert list(frame)[:2] == ["q.rail", "q.hinge"]
    assert list(frame)[-1] == "energy"
    assert_allclose(frame["v.hinge"], motion().v[:, 1])
