"""Parameters, bodies, joints and frames of a TOML file."""

from __future__ import annotations

from typing import Any

from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.denavit_hartenberg import CONVENTIONS, DHRow, Placed, add_dh
from kanegen.codegen.mechanism.importers.toml import schema
from kanegen.codegen.mechanism.importers.toml.beams import add_beam, add_flexible
from kanegen.codegen.mechanism.importers.toml.table import Table
from kanegen.codegen.mechanism.records import BASE, JointLimits
from kanegen.codegen.mechanism.validation.joints import read_limits


def add_parameters(builder: MechanismBuilder, root: Table) -> None:
    """``name = number``, or ``name = { value, unit, description }``."""
    parameters = root.table("parameters")
    for name in parameters.content if parameters else ():
        assert parameters is not None
        value = parameters.content[name]
        if not isinstance(value, dict):
            number, unit, description = parameters.number(name), "", ""
        else:
            table = parameters.table(name)
            assert table is not None
            table.title = f"parameter {name!r}"
            table.check(schema.PARAMETER)
            number, unit = table.number("value"), table.text("unit")
            description = table.text("description")
        with parameters.located():
            root.document.names[name] = builder.parameter(name, number, unit, description)


def add_tree(builder: MechanismBuilder, root: Table, floating_base: bool) -> None:
    """Bodies, beams, joints, tables of Denavit and Hartenberg, frames, payloads, actuators."""
    for body in root.tables("body"):
        _add_body(builder, body)
    for beam in root.tables("beam"):
        add_beam(builder, beam)
    for link in root.tables("flexible"):
        add_flexible(builder, link)
    joints = root.tables("joint")
    if floating_base:
        _let_float(root, joints)
    for joint in joints:
        _add_joint(builder, joint)
    for chain in root.tables("dh"):
        _add_dh(builder, chain)
    for frame in root.tables("frame"):
        frame.check(schema.FRAME)
        with frame.located():
            builder.frame(frame.text("name"), frame.text("body"), **_placed(frame))
    for payload in root.tables("payload"):
        payload.check(schema.PAYLOAD)
        with payload.located():
            builder.payload(payload.text("name"), payload.text("frame"), **_inertia(payload))
    for actuator in root.tables("actuator"):
        actuator.check(schema.ACTUATOR)
        sign = actuator.content.get("sign", 1)
        if sign not in (1, -1) or isinstance(sign, bool):
            raise actuator.error("sign", f"is {sign!r}", "1 or -1", "Give the sign alone.")
        driven = actuator.text("joint")
        with actuator.located():
            builder.actuator(driven, int(sign), actuator.text("name", driven))


def add_order(builder: MechanismBuilder, root: Table) -> None:
    """The order of the coordinates, and the home configuration: a table by their names, or an array in that order."""
    if "coordinates" in root:
        builder.coordinates(root.names("coordinates"))
    if isinstance(root.content.get("home"), dict):
        home = root.table("home")
        assert home is not None
        builder.home({name: home.number(name) for name in home.content})
    elif "home" in root:
        builder.home(root.numbers("home"))


def _add_body(builder: MechanismBuilder, table: Table) -> None:
    table.check(schema.BODY)
    carrier = table.content.get("carrier", False)
    if not isinstance(carrier, bool):
        raise table.error("carrier", f"is {carrier!r}", "true or false", "Write true where it has no frame.")
    with table.located():
        builder.body(table.text("name"), **_inertia(table), carrier=carrier)


def _inertia(table: Table) -> dict[str, Any]:
    return {
        "mass": table.number("mass") if "mass" in table else None,
        "center": table.numbers("center"),
        "inertia": table.numbers("inertia"),
        "inertia_rotation": table.rotation("inertia_rotation"),
    }


def _placed(table: Table) -> dict[str, Any]:
    return {"position": table.numbers("position"), "rotation": table.rotation("rotation")}


def _let_float(root: Table, joints: list[Table]) -> None:
    """Make the one joint on the base a floating one."""
    on_base = [joint for joint in joints if joint.content.get("parent") == BASE]
    kinds = [joint.content.get("type") for joint in on_base]
    if kinds == ["fixed"]:
        content = dict(on_base[0].content)
        content["type"] = "floating"
        joints[joints.index(on_base[0])] = Table(root.document, content, on_base[0].path, "joint")
    elif kinds != ["floating"]:
        raise root.error(
            "joint",
            "a floating base is asked for, but the tree does not stand on the base with one fixed joint",
            f"one joint of type 'fixed' or 'floating' with parent {BASE!r}",
            'Write type = "floating" for the joint that is to be free.',
        )


def _add_joint(builder: MechanismBuilder, table: Table) -> None:
    if "type" not in table:
        raise table.error(None, "has no 'type'", f"one of {', '.join(schema.JOINTS)}", "Add it.")
    kind = table.choice("type", (*schema.JOINTS, "continuous"))
    kind = "revolute" if kind == "continuous" else kind
    table.check(f"{schema.JOINT} {schema.JOINTS[kind]}")
    name = table.text("name")
    arguments: dict[str, Any] = {
        "parent": table.text("parent"),
        "child": table.text("child"),
        **_placed(table),
    }
    for key in ("axis", "second_axis"):
        if key in table:
            arguments[key] = table.direction(key)
    if kind in ("revolute", "prismatic"):
        arguments |= _driven(table)
    if kind == "helical":
        arguments["pitch"] = table.number("pitch")
    with table.located():
        getattr(builder, kind)(name, **arguments)
    mimic = table.table("mimic")
    if mimic is not None:
        mimic.check(schema.MIMIC)
        leader, factor = mimic.text("joint"), mimic.number("multiplier", 1)
        with mimic.located():
            builder.mimic(name, leader, factor, mimic.number("offset"))


def _driven(table: Table) -> dict[str, Any]:
    """What a joint of one freedom has beside its place."""
    return {
        "limits": _limits(table),
        "damping": table.number("damping"),
        "friction": table.number("friction"),
        "rotor_inertia": table.number("rotor_inertia"),
        "gear_ratio": table.number("gear_ratio", 1),
    }


def _limits(table: Table) -> JointLimits | None:
    limits = table.table("limits")
    if limits is None:
        return None
    limits.check(schema.LIMITS)
    lower, upper, velocity, effort = (limits.plain_number(key) for key in schema.LIMITS.split())
    document = table.document
    found, findings = read_limits(
        f"{table.title}, limits",
        JointLimits(lower, upper, velocity, effort),
        document.file,
        document.line(limits.path),
    )
    document.findings.extend(findings)
    return found


def _add_dh(builder: MechanismBuilder, chain: Table) -> None:
    chain.check(schema.DH)
    convention = chain.choice("convention", CONVENTIONS)
    tool = chain.table("tool")
    placed_tool = None
    if tool is not None:
        tool.check(schema.DH_TOOL)
        placed_tool = Placed(**_placed(tool), name=tool.text("name", "tool"))
    rows = [_dh_row(row) for row in chain.tables("row")]
    with chain.located():
        add_dh(
            builder,
            rows,
            convention,
            parent=chain.text("parent", BASE),
            base=Placed(**_placed(chain)),
            tool=placed_tool,
        )


def _dh_row(row: Table) -> DHRow:
    row.check(schema.DH_ROW)
    return DHRow(
        theta=row.angle("theta"),
        d=row.number("d"),
        a=row.number("a"),
        alpha=row.angle("alpha"),
        prismatic=row.choice("type", ("revolute", "prismatic"), "revolute") == "prismatic",
        mass=row.number("mass") if "mass" in row else None,
        center=row.numbers("center"),
        inertia=row.numbers("inertia"),
        about=row.choice("about", ("center", "origin"), "center"),
        joint=row.text("joint") or None,
        link=row.text("link") or None,
        **_driven(row),
    )
