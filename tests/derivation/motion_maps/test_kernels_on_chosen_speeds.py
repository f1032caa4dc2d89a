"""Kernels on demand on chosen speeds, held to the certificate's checks; generation fails where one does not hold."""

from __future__ import annotations

from pathlib import Path

from kanegen.codegen import pipeline
from kanegen.codegen.kernel_sources import KernelSources
from kanegen.codegen.pipeline import Options


def test_kernels_on_demand_are_those_of_any_mechanism(tmp_path: Path) -> None:
    options = Options(speeds="kane_levinson", search=1)
    mechanism = pipeline.read("stanford_arm", options)
    sources = KernelSources(mechanism, options)
    every = {**sources.builds, **sources.builds_on_demand}
    names = tuple(name for name in every if not name.startswith("frame_") or name.endswith("_F"))
    assert {"coriolis_matrix", "regressor", "frame_jacobian_rate_F", "inverse_dynamics_derivatives"} <= set(
        names
    )
    generated = pipeline.generate(
        mechanism, tmp_path, Options(speeds="kane_levinson", search=1, kernels=names)
    )
    # test_kane.py holds these two to the paper's numbers
    assert set(generated.record.unchecked) == {"coordinate_rates", "actuator_forces"}
    assert set(generated.kernels) == set(names)
