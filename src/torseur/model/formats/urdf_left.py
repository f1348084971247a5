"""What a URDF file says and a `Model` has no place for, in words."""

from __future__ import annotations

from collections.abc import Iterator

from .xml_tree import Tag

TAGS = {
    "robot": "link joint material transmission gazebo sensor ros2_control group_state",
    "link": "inertial visual collision sensor contact verbose material self_collision_checking",
    "inertial": "origin mass inertia",
    "joint": "origin parent child axis calibration dynamics limit mimic safety_controller "
    "hardwareInterface",
}
"""Tags that are read, or that say nothing about a motion."""
FORCES = ("springStiffness", "springReference", "dampingFactor", "gravity", "turnGravityOff")
"""Tags of Gazebo that change a motion without contacts."""


def _nothing(tag: Tag) -> bool:
    """Whether it is a pose of its own place: links of some writers have one."""
    words = " ".join(tag.attributes.values()).replace("-0", "0").split()
    return tag.name == "origin" and all(w.strip("0.") == "" for w in words)


def unread(root: Tag) -> Iterator[str]:
    """Tags that are not known, forces of Gazebo, numbers of joints of several coordinates."""
    for tag in (root, *root.children, *(i for t in root.children for i in t.all("inertial"))):
        if tag.name in TAGS:
            known = TAGS[tag.name].split()
            left = (t for t in tag.children if t.name not in known and not _nothing(t))
            yield from (f"<{t.name}> (line {t.line})" for t in left)
    for tag in root.all("gazebo"):
        where = tag.attributes.get("reference", "the robot")
        for t in (t for t in tag.children if t.name in FORCES):
            yield f"<{t.name}> of Gazebo, of {where!r} (line {t.line})"
    for tag in root.all("joint"):
        if tag.attributes.get("type") in ("floating", "planar"):
            for t in (t for n in ("dynamics", "limit", "mimic") for t in tag.all(n)):
                own = (x for n, x in t.attributes.items() if n != "damping")
                if any(x not in ("0", "0.0") for x in own):
                    yield f"<{t.name}> of joint {tag.attributes.get('name')!r} (line {t.line})"
