"""What a measurement was made on: processor, compilers, packages. No host names, no paths, no dates."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "scipy", "cffi", "pin", "casadi", "mujoco", "mjbatch", "dynibo", "frax", "jax")


@dataclass(frozen=True)
class Environment:
    """The machine and the tools of one run."""

    processor: str
    cores: int
    vector_extensions: tuple[str, ...]
    system: str
    python: str
    c_compiler: str | None
    cpp_compiler: str | None
    flags: tuple[str, ...]
    packages: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """The fields as plain values."""
        return asdict(self)


def processor_facts() -> tuple[str, tuple[str, ...]]:
    """The processor's model name and those of its vector extensions that matter here, where Linux tells them."""
    path = Path("/proc/cpuinfo")
    if not path.exists():
        return platform.processor() or platform.machine(), ()
    model, extensions = platform.machine(), set()
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            model = value.strip()
        elif key.strip() in ("flags", "Features"):
            extensions = set(value.split()) & {"sse2", "avx", "avx2", "fma", "avx512f", "asimd", "sve"}
    return model, tuple(sorted(extensions))


def compiler_version(command: str) -> str | None:
    """The first line of ``command --version``, or None where there is no such compiler."""
    if shutil.which(command) is None:
        return None
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=False).stdout
    return said.splitlines()[0].strip() if said else None


def environment(c_compiler: str, cpp_compiler: str, flags: tuple[str, ...]) -> Environment:
    """The environment of this process with the compilers and flags that the measurement uses."""
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    processor, extensions = processor_facts()
    return Environment(
        processor=processor,
        cores=os.cpu_count() or 1,
        vector_extensions=extensions,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        c_compiler=compiler_version(c_compiler),
        cpp_compiler=compiler_version(cpp_compiler),
        flags=flags,
        packages=packages,
    )
