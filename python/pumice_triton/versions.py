"""Handles differences between Triton's versions. Nothing else in this package asks for the version.

Most functions ask Triton for what they need instead of comparing numbers. So a newer version has a chance to work.
docs/triton-versions.md lists what was run with which version.
"""
from __future__ import annotations

import functools
import re
import warnings
from typing import Any

TESTED = ("3.6.0", "3.7.1", "3.8.0", "3.9.0")
TESTED_TORCH = ("2.13.0",)
REQUIREMENT = "triton>=3.6,<3.10"  # pyproject.toml has the same


def release(version: str) -> tuple[int, ...]:
    """Returns (3, 9) for "3.9.0+git1234", and () if the version does not begin with two numbers."""
    found = re.match(r"(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else ()


def installed() -> str:
    """Returns the version of the installed Triton."""
    import triton
    return triton.__version__


def problem_with(version: str) -> str | None:
    """Returns what the user should know about this version of Triton, or None if it was tested."""
    first, last = release(TESTED[0]), release(TESTED[-1])
    if first <= release(version) <= last:
        return None
    way_out = f"if kernels fail, install '{REQUIREMENT}'"
    if not release(version):
        return f"Triton's version is '{version}', which is not one that Pumice was tested with " \
               f"({', '.join(TESTED)}); {way_out}"
    if release(version) > last:
        return f"Triton {version} is newer than the versions that Pumice was tested with " \
               f"({', '.join(TESTED)}); {way_out}"
    return f"Triton {version} is older than {TESTED[0]}, the first version that Pumice works with; " \
           f"install '{REQUIREMENT}'"


@functools.cache
def warn_if_untested() -> None:
    """Warns once in a process if the installed version of Triton was not tested."""
    problem = problem_with(installed())
    if problem:
        warnings.warn(problem, stacklevel=3)


def add_rewrite_tensor_pointer(passes: Any, manager: Any) -> None:
    """Adds the pass that turns block pointers into pointers, if Triton has it.

    Triton up to 3.7 has this pass. 3.8 does its work in the front end, and 3.9 has no block pointers.
    """
    add = getattr(passes.ttir, "add_rewrite_tensor_pointer", None)
    if add is not None:
        add(manager)


def fp_fusion(given: bool | None) -> bool:
    """Returns the value of `enable_fp_fusion`; None means the default.

    From 3.9 on Triton decides by a function, which warns about a default that will change. Pumice passes the default
    itself, so that nothing changes here.
    """
    from triton import knobs
    default = knobs.language.default_fp_fusion
    requested = default if given is None else given
    decide = getattr(knobs.language, "fp_fusion_enabled", None)
    return decide(requested) if decide else requested


def call_inspection_hook(backend: Any, stages: dict[str, Any], options: Any, language: Any) -> None:
    """Calls the hook that may change a back end's stages. From 3.7 on the hook's own key is part of the cache's key."""
    from triton import knobs
    hook = getattr(knobs.runtime, "add_stages_inspection_hook", None)
    if hook is not None:
        hook(backend, stages, options, language, None)


def refuse_other_languages(language: Any) -> None:
    """Rejects Gluon's kernels, which have other stages: `ttgir` up to 3.8, `glir` from 3.9 on.

    Raises:
        NotImplementedError: If the language is not Triton.
    """
    if getattr(language, "name", "TRITON") != "TRITON":
        raise NotImplementedError(
            f"the kernel is written in {language.name.capitalize()}, which names the layouts and "
            "instructions of one kind of GPU; Pumice compiles kernels in triton.language")


def descriptor_element(kind: str) -> str | None:
    """Returns the element type of a descriptor, and None for other types.

    Args:
        kind: The type's name in signatures, such as `tensordesc<fp16[4, 16]>`.

    Raises:
        TypeError: For the two more forms that Gluon has from 3.8 on.
    """
    if not kind.startswith("tensordesc"):
        return None
    if kind.startswith("tensordesc_im2col") or ",input_rank=" in kind:
        raise TypeError(f"an argument has the type {kind}, a descriptor for one kind of GPU; Pumice takes "
                        "those of triton.tools.tensor_descriptor.TensorDescriptor")
    return kind[len("tensordesc<"):].partition("[")[0]


def torch_finds_triton() -> bool:
    """Returns whether PyTorch's inductor finds a back end. From 2.15 on, it ignores the CPU's by default."""
    import inspect

    from torch.utils._triton import has_triton
    asks = "include_cpu" in inspect.signature(has_triton).parameters
    return has_triton(include_cpu=True) if asks else has_triton()
