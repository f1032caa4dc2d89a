"""``kanegen.load``: from the name of a built-in, a model file or a mechanism to a robot that computes."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

import kanegen.generated
from kanegen import generator, option_values
from kanegen.boundary import boundary
from kanegen.builds.cache_place import distrust_of_neighbour
from kanegen.builds.extensions import MODULE, compiled_entry, generated, write_generated
from kanegen.errors import (
    KanegenError,
    ManifestError,
    MissingKernelError,
    NoCompilerError,
    NotCompiledError,
    TargetError,
    UnknownModelError,
    did_you_mean,
    shortened,
)
from kanegen.files import contents, exists, is_file
from kanegen.generator import Model, ParameterCheck, Verification
from kanegen.kernels.compiled import CompiledBackend, use_target
from kanegen.kernels.interpreted import InterpretedBackend
from kanegen.kernels.table import KernelSet
from kanegen.manifest import FILE_NAME, Manifest, manifest_text, parse_manifest, read_manifest
from kanegen.model_warnings import Told, once, warn
from kanegen.options import OF_EXPLANATIONS, OF_FILES, Asked, Options, with_options
from kanegen.options import options as options_of
from kanegen.robot import Robot
from kanegen.robot.core import QuantitiesOf, SkeletonOf

if TYPE_CHECKING:
    from kanegen.codegen.mechanism.records import Mechanism
    from kanegen.codegen.symbolic.account import Explanation
    from kanegen.codegen.symbolic.written import Equations

_log = logging.getLogger("kanegen")

_GENERATED = Path(kanegen.generated.__file__).parent

T = TypeVar("T")


def builtin_names() -> tuple[str, ...]:
    """Names of the mechanisms whose C comes with the package."""
    return tuple(sorted(path.parent.name for path in _GENERATED.glob(f"*/{FILE_NAME}")))


@with_options
def load(model: Model, *, interpreted: bool = False, **asked: Unpack[Asked]) -> Robot:
    """A robot from the name of a built-in mechanism, the path of a model file, a Mechanism, or generated C.

    Built-ins were compiled when the package was installed.  Anything else is generated and compiled on first use, which
    takes seconds, and kept in a cache ($KANEGEN_CACHE_DIR, or the user's cache directory).  A directory that
    ``generate`` wrote is compiled as it is; one that another user put where you work must be given as a path (``./name``).
    Without a C compiler, or with ``interpreted=True``, NumPy evaluates the same expressions: right, and slow.

    ``kernels`` names the kernels wanted, and there are no others then (but for ``constraint_residual`` of a linkage, by
    which calls tell configurations that do not close it).  By default all usual ones are there, and the rest
    (``Robot.optional_kernels``: derivatives, regressors, …) is made when it is first asked for.  ``speeds`` names a set of
    generalized speeds of the mechanism (``"kane_levinson"`` for the Stanford Arm).  ``gravity`` is the acceleration of free
    fall [m/s^2] in the base frame, by default the model's own, which is 9.81 downwards unless it says otherwise.
    ``payload={"frame": 1.5}`` holds a body at a frame: its mass [kg] at the origin, or (mass, centre, inertia about the
    centre) in the frame's axes.  ``lock={"joint": 0.02}`` holds joints [rad, m], ``remove=["link"]`` leaves links out with
    all beyond them, ``base=(x, y, z, roll, pitch, yaw)`` [m, rad] places the model in the base frame, and
    ``rename={"old": "new"}`` renames joints, links and frames before all other changes.
    ``live=["payload", "masses"]`` keeps numbers changeable, see ``Robot.with_parameters``: groups of them ("payload",
    "masses", "centers", "inertias", "gravity", "lengths", "damping", "friction", "rotors", "springs", "all declared"), or
    single ones ("link.mass", a declared parameter); ``live_parameters=True`` is ``live="all declared"``.  ``formulation``
    derives the equations in another way: "recursive" (the default), "kane", "dual_vectors", "influence_coefficients",
    "euler_parameters", and historical methods such as "luh_walker_paul_1980"; for arms with flexible links "book_1983".

    ``friction=True`` lets the damping and the Coulomb friction of the model's joints act, in inverse and in forward dynamics
    alike.  Of model files: ``floating_base=True`` lets the root move freely instead of fixing it to the base;
    ``allow_unphysical=True`` lets masses and inertias through that no body has; angles within ``angle_tolerance`` [rad] of
    a multiple of pi/2 are taken for it, by default 1e-11 where that changes forces and accelerations by less than 1e-12;
    ``arguments={"name": "value"}`` are those of a xacro file.

    Of the C: ``float32=True`` adds every function in single precision, under its name with ``_f32``; ``sincos="libm"`` takes
    sines and cosines from the C library, where ``"vector"`` evaluates all angles of a kernel together; ``search`` bounds the
    derivations tried for each kernel.  What is compiled is always compared with what it was printed from before it is used
    for the first time; with ``verify=True`` nothing is interpreted instead where there is no compiler.

    What in a model was left out or changed is a ``ModelWarning``.

    Raises UnknownModelError for a name or path that leads nowhere, ModelError for a model with something wrong in it,
    BuildError when the compiler fails, and ArithmeticError where kernels fail a check, which is an error of kanegen.
    """
    options = replace(options_of(asked), with_residual=asked.get("kernels") is not None)
    if not options.loadable:
        raise NotCompiledError(
            f"language: {options.language!r} is nothing to be loaded here; kanegen.generate writes it"
        )
    generator.check_model(model)
    with boundary("loading", _title(model)), once() as told:
        found, more, check, skeleton = _found(model, options, interpreted, told)
        if not told.read:  # what was said when these kernels were made
            for warning in found.manifest.warnings:
                warn(warning)
    quantities = None if skeleton is None else _quantities(found, model, options, told)
    return Robot(found.manifest, found.backend, more, check, skeleton, quantities)


@with_options
def generate(model: Model, out_dir: str | os.PathLike[str], **asked: Unpack[Asked]) -> Path:
    """Write the C of a mechanism into a directory, for a microcontroller or another build.  Returns the directory.

    The options are those of ``load``, and ``language``.  With ``verify=True`` the C is compiled afterwards and compared with
    what it was printed from; how far they differ goes into the certificate.

    Raises UnknownModelError and ModelError, TypeError and ValueError for wrong options; nothing is written then.  With
    ``verify=True`` BuildError, and CertificateError where the C differs, which is left as it is to be looked at.
    """
    options = options_of(asked)
    generator.check_model(model)
    directory = Path(out_dir)
    with boundary("generating the C of", _title(model)), once():
        identity_of(model, options, builtin_names())
        if options.verify:
            verify = generator.generate_to_verify(model, options, directory)
            verify(functools.partial(_call, _of_files(*generated(directory))))
        else:
            generator.generate(model, options, directory)
    return directory


def convert(
    model: Model, path: str | os.PathLike[str], *, strict: bool = False, **asked: Unpack[Asked]
) -> Path:
    """Write a model into a model file, whose suffix says the format: ``.urdf``, ``.xml`` or ``.mjcf``, ``.toml``.

    What the format cannot say is left out, and each such thing a ``ModelWarning`` that names it; with ``strict=True`` it is
    refused.  TOML says everything, exactly, so that the same mechanism is read back; URDF and MJCF have numbers in doubles
    where the mechanism has parameters.  The options say how a file is read, as in ``load``.  Returns the path; a file there
    is replaced.

    Raises ModelError for a suffix that is not known, for a wrong model, and for what ``strict`` refuses; FileError where
    the file cannot be written.  Nothing is written then.
    """
    options = options_of(asked, OF_FILES)
    generator.check_model(model)
    with boundary("converting", _title(model)), once():
        generator.convert(model, options, Path(path), strict)
    return Path(path)


convert = with_options(convert, OF_FILES)


def attach(
    a: Model,
    b: Model,
    *,
    at: str,
    placement: Sequence[float] = (0.0, 0.0, 0.0),
    names: str | Mapping[str, str] = "",
) -> Mechanism:
    """One mechanism of two models, each a built-in's name, a file or a mechanism: ``b`` stands on the frame ``at`` of ``a``.

    What ``b`` calls its base is at ``placement``, (x, y, z) or (x, y, z, roll, pitch, yaw) [m, rad], in that frame, which is
    "base" for the base of ``a``.  ``names`` is what all names of ``b`` are to begin with, such as "left_", or new ones for
    its joints, links and frames, old to new; no two things of a kind may have one name.  Coordinates, speeds and home are
    those of ``a``, then those of ``b``; gravity is that of ``a``.  ``MechanismBuilder.from_mechanism`` closes loops
    between the two.

    Control laws that refer to entries of other kernels are left out with a ``ModelWarning``.  Raises ModelError for a wrong
    model, a frame that ``a`` does not have, and names that both have; TypeError and ValueError for wrong arguments.
    """
    for model in (a, b):
        generator.check_model(model)
    if not isinstance(names, str):
        names = dict(option_values.texts("names", names))
    where = option_values.placement("placement", placement)
    if not isinstance(at, str) or where is None:
        raise TypeError(f"attach: expected the name of a frame and a placement, got {at!r}, {placement!r}")
    with boundary("attaching", _title(b)), once():
        return generator.attach(a, b, at, where, names)


@with_options
def equations(
    model: Model, *, as_compiled: bool = False, named: bool = False, **asked: Unpack[Asked]
) -> Equations:
    """The equations of kernels in symbols, in the model's own names; those of inverse dynamics unless ``kernels`` says.

    The options are those of ``load``.  Numbers that are ``live`` stay symbols, all others are exact.  The equations are
    those of the derivation, before frames are turned, inertia is moved and forms are searched for, in which every quantity
    has a meaning; ``as_compiled=True`` gives those of the C.  With ``named=True`` only quantities that have a name of their
    own are defined, and long shared expressions; otherwise whatever is used twice.

    What comes is a list of definitions in order and the outputs over them, for SymPy; ``latex()``, ``markdown()``,
    ``html()`` and ``python()`` write them, ``expanded()`` multiplies them out, ``function()`` evaluates them.

    Raises UnknownModelError and ModelError, TypeError and ValueError for wrong options.
    """
    options = options_of(asked)
    generator.check_model(model)
    with boundary("writing the equations of", _title(model)), once():
        identity_of(model, options, builtin_names())
        return generator.equations(model, options, as_compiled, named)


def explain(model: Model, *, state: Mapping[str, Any] | None = None, **asked: Unpack[Asked]) -> Explanation:
    """Kane's method of a model step by step, whatever it has beside flexible links: loops, rolling contacts, balls, springs.

    ``markdown()`` and ``html()`` of what comes write it: bodies, frames and points; coordinates and speeds; velocities and
    partial velocities; accelerations; inertia torques and forces; generalized inertia and active forces of each body and
    speed; the equations of motion; forces of constraints from auxiliary speeds.  ``quantities`` lists all intermediate
    quantities with symbol, meaning, unit and equation, ``tables`` has the results as SymPy expressions over them.  With a
    ``state``, {"q": …, "v": …, "a": …}, each an array or values by name, all have values, too.

    Options say how a model file is read, as in ``load``; ``speeds`` are generalized speeds by name, ``live`` and
    ``live_parameters`` keep numbers as symbols.  The derivation is the textbook's, without any search for what is cheaper.

    Raises UnknownModelError, ModelError for a wrong model and one with flexible links, KanegenError for a wrong state.
    """
    options = options_of(asked, OF_EXPLANATIONS)
    generator.check_model(model)
    with boundary("explaining", _title(model)), once():
        identity_of(model, options, builtin_names())
        return generator.explain(model, options, state)


explain = with_options(explain, OF_EXPLANATIONS)


def _found(
    model: Model, options: Options, interpreted: bool, told: Told
) -> tuple[KernelSet, Callable[[str], KernelSet] | None, ParameterCheck | None, SkeletonOf | None]:
    """The kernels of a model, where more of them come from, if they do, what checks values of their parameters, and what a
    picture needs to know of it.
    """
    if isinstance(model, str) and options.plain and model in builtin_names():
        manifest = read_manifest(_GENERATED / model)
        if options.kernels is None or set(options.kernels) <= set(manifest.kernels):
            found = _interpreted(model, options) if interpreted else _builtin(model, options, manifest)
            more = _more(found, model, options, interpreted, told)
            return found, more, None, _skeleton(found, model, options, told)
    if isinstance(model, str | os.PathLike) and is_file(Path(model) / FILE_NAME):
        return _generated(Path(model), model, options, interpreted), None, None, None
    found = _from_model(model, options, interpreted)
    return (
        found,
        _more(found, model, options, interpreted, told),
        _parameter_check(found, model, options, told),
        _skeleton(found, model, options, told),
    )


def _parameter_check(found: KernelSet, model: Model, options: Options, told: Told) -> ParameterCheck | None:
    """What checks values of the live parameters against the model, which it reads when it is first asked."""
    if not found.manifest.parameters:
        return None
    of_model = _read_later(
        found,
        model,
        told,
        lambda: generator.parameter_check(model, options),
        "values of its parameters cannot be checked. Load it again, or take them as they are with allow_unphysical=True",
    )
    return lambda *values: of_model()(*values)


def _skeleton(found: KernelSet, model: Model, options: Options, told: Told) -> SkeletonOf:
    """What a picture needs to know of a model, which is read when it is first asked for."""
    return _read_later(
        found,
        model,
        told,
        lambda: generator.skeleton(model, options),
        "a picture would be of another mechanism. Load it again",
    )


def _quantities(found: KernelSet, model: Model, options: Options, told: Told) -> QuantitiesOf:
    """What gives intermediate quantities of the model in a formulation, each derived when it is first asked for."""

    @functools.cache
    def of_formulation(formulation: str, kernel: str) -> generator.Quantities:
        asked = replace(options, formulation=formulation)
        return _read_later(
            found,
            model,
            told,
            lambda: generator.quantities(model, asked, kernel),
            "its quantities would be those of another mechanism. Load it again",
        )()

    return of_formulation


def _read_later(
    found: KernelSet, model: Model, told: Told, read: Callable[[], tuple[str, T]], otherwise: str
) -> Callable[[], T]:
    """What is read of a model when it is first asked for, with the model's hash, which must be that of the kernels."""

    @functools.cache
    def of_model() -> T:
        with boundary("reading", _title(model)), once(told):
            model_hash, result = read()
        if model_hash != found.manifest.hash:
            raise KanegenError(
                f"{_title(model)}: the model has changed since this robot was loaded, so {otherwise}"
            )
        return result

    return of_model


def _more(
    found: KernelSet, model: Model, options: Options, interpreted: bool, told: Told
) -> Callable[[str], KernelSet] | None:
    """Further kernels of the same model, as a robot needs them; none where the kernels were named."""
    if options.kernels is not None:
        return None

    @functools.cache
    def more(kernel: str) -> KernelSet:
        with boundary(f"making the kernel {kernel} of", _title(model)), once(told):
            made = _from_model(model, replace(options, kernels=(kernel,)), interpreted)
        if made.manifest.hash != found.manifest.hash:
            raise KanegenError(
                f"{_title(model)}: the model has changed since this robot was loaded, so its kernel {kernel!r} "
                "would belong to another mechanism. Load it again."
            )
        return made

    return more


def _from_model(model: Model, options: Options, interpreted: bool) -> KernelSet:
    """The kernels of a model: compiled into the cache, or interpreted."""
    identity = identity_of(model, options, builtin_names())
    if interpreted:
        return _interpreted(model, options)
    return _compiled_or_interpreted(
        model,
        options,
        {"identity": identity, "generator": generator.generator_digest(), "options": asdict(options)},
        lambda directory: generator.generate(model, options, directory),
    )


def _builtin(model: Model, options: Options, manifest: Manifest) -> KernelSet:
    """A built-in: its installed extension; else its committed C, compiled into the cache; else interpreted."""
    directory = _GENERATED / str(model)
    installed = _installed(directory.name, manifest)
    if installed is not None:
        return KernelSet(manifest, installed)
    _, files = generated(directory)
    return _compiled_or_interpreted(
        model, options, _content(files), lambda work: write_generated(files, work)
    )


def _installed(name: str, manifest: Manifest) -> CompiledBackend | None:
    """The extension that was compiled when the package was installed, if there is one and it fits the manifest."""
    try:
        module = importlib.import_module(f"kanegen.generated.{name}.{MODULE}")
        installed = CompiledBackend(manifest, module)
    except (ImportError, ManifestError) as error:
        _log.info("%s: the installed extension is not used (%s)", name, error)
        return None
    use_target(module)
    return installed


def _compiled_or_interpreted(
    model: Model,
    options: Options,
    identity: Mapping[str, object],
    write: Callable[[Path], Verification | None],
) -> KernelSet:
    """The kernels of the cache entry that belongs to an identity, or without a compiler interpreted ones.

    ``write(directory)`` writes the generated files where there is no such entry yet.
    """
    try:
        return _cached(_title(model), identity, write)
    except NoCompilerError as error:
        if options.verify:
            raise
        _log.warning("%s. %s is interpreted by NumPy, which is right but slow", error, _title(model))
    return _interpreted(model, options)


def _cached(
    title: str, identity: Mapping[str, object], write: Callable[[Path], Verification | None]
) -> KernelSet:
    """The kernels of a cache entry; those that have just been compiled are compared with what they were printed from.

    Raises CertificateError where they differ; there is no entry then.
    """
    fresh: list[Verification | None] = []

    def check(manifest: Manifest, module: ModuleType) -> None:
        found = KernelSet(manifest, CompiledBackend(manifest, module))
        with contextlib.suppress(TargetError):  # which the robot will raise; the entry is none the worse
            use_target(module)
        for verify in fresh:
            if verify is not None:
                verify(functools.partial(_call, found))

    made = compiled_entry(title, identity, lambda directory: fresh.append(write(directory)), check)
    found = KernelSet(made.manifest, CompiledBackend(made.manifest, made.module))
    use_target(made.module)
    return found


def _call(found: KernelSet, name: str, inputs: Sequence[Any]) -> Sequence[Any]:
    results = found.backend.kernel(found.manifest.kernels[name]).call(*inputs, None, 1)
    return results if isinstance(results, tuple) else (results,)


def _generated(directory: Path, model: Model, options: Options, interpreted: bool) -> KernelSet:
    """A mechanism whose C was generated before.  Raises NotCompiledError where nothing but the C could serve."""
    stranger = distrust_of_neighbour(directory) if model == directory.name else None
    if stranger is not None:
        raise ManifestError(
            f"{stranger}, and its C would run as a part of this program. If that is meant, load './{directory.name}'"
        )
    manifest, files = generated(directory)
    missing = [name for name in options.kernels or () if name not in manifest.kernels]
    if missing or not options.plain:
        raise MissingKernelError(
            f"{directory} holds generated C, which stays as it is; it has the kernels {', '.join(manifest.kernels)}. "
            "Load the model that it was generated from"
        )
    if interpreted:
        raise NotCompiledError(f"{directory} holds generated C, not a model; there is nothing to interpret")
    return _of_files(manifest, files)


def _of_files(manifest: Manifest, files: Mapping[str, bytes]) -> KernelSet:
    """The kernels of generated files, compiled into the cache."""
    return _cached(manifest.name, _content(files), lambda work: write_generated(files, work))


def _content(files: Mapping[str, bytes]) -> dict[str, str]:
    """What the C is: the manifest, and the files themselves, should somebody have edited them."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def _interpreted(model: Model, options: Options) -> KernelSet:
    found = generator.interpret(model, options)
    manifest = parse_manifest(manifest_text(found.manifest).encode(), _title(model))
    return KernelSet(manifest, InterpretedBackend(manifest, found))


def _title(model: Model) -> str:
    """A name for messages and cache entries."""
    if isinstance(model, str | os.PathLike):
        return Path(model).stem
    return str(getattr(model, "name", "mechanism"))


def identity_of(model: Model, options: Options, builtin: Sequence[str]) -> str:
    """The name of a built-in, the content of a file, the hash of a mechanism; ``builtin`` names what has committed C.

    A file that stands for itself is known by its bytes, so that it need not be read as a model to be found again.  One
    that takes in other files, or asks the environment, is read each time, and known by the mechanism it describes.

    Raises UnknownModelError for what leads nowhere, ModelError where the file has to be read and is wrong.
    """
    if not isinstance(model, str | os.PathLike):
        return f"mechanism {generator.mechanism_fingerprint(model, options.allow_unphysical)}"
    path = Path(model)
    if exists(path) and not path.is_dir():
        content = _bytes_of(path)
        if stands_for_itself(path.suffix, content):
            return f"file {path.name} {hashlib.sha256(content).hexdigest()}"
        return f"file {path.name} {generator.imported_fingerprint(model, options)}"
    names = tuple(dict.fromkeys((*builtin, *generator.catalogue_names())))
    if str(model) in names:
        return f"built-in {model}"
    if path.is_dir():
        raise UnknownModelError(
            f"{shortened(model)} is a directory without manifest.json: it holds no generated mechanism, or one whose "
            "generation was interrupted. Generate it again"
        )
    if path.suffix or len(path.parts) > 1:
        raise UnknownModelError(
            f"{shortened(model)} does not exist; expected a model file. Check the path and its spelling"
        )
    raise UnknownModelError(
        f"{shortened(model)!r} is neither a built-in mechanism nor a file. Built-in: {', '.join(names)}. "
        + did_you_mean(str(model), names, "Check the name, or the path and its spelling")
    )


def _bytes_of(path: Path) -> bytes:
    """The bytes of a file.  Raises UnknownModelError."""
    try:
        return contents(path)
    except OSError as error:
        raise UnknownModelError(
            f"{path}: {error.strerror}. A model is a regular file that can be read"
        ) from None


def stands_for_itself(suffix: str, content: bytes) -> bool:
    """Whether a model file says all there is to its mechanism.

    Xacro takes in files, arguments and the environment; MJCF takes in files and derives masses from meshes.  The meshes of
    a URDF have no part in its dynamics.  The bytes are searched in the encodings in which files begin.
    """
    text = content.replace(b"\0", b"")  # UTF-16 of such words is the words with zeros between
    if suffix.lower() == ".xacro" or any(mark in text for mark in (b"xacro:", b"${", b"$(")):
        return False
    return b"<mujoco" not in text or not (b"file" in text or b"<include" in text)
