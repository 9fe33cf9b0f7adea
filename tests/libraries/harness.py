"""Defines cases of libraries of Triton kernels, and compares one with PyTorch."""
import sys
import time
import traceback
import zlib
from dataclasses import dataclass, field

import torch


class Skip(Exception):
    """The library cannot run the case here, for a reason outside Pumice."""


@dataclass
class Check:
    """One kernel or module of a library, and a function that computes the same with PyTorch's operations.

    Both take `inputs`; floating-point tensors among them get gradients, unless `backward` is False."""
    ours: object
    reference: object
    inputs: tuple
    backward: bool = True
    atol: float = 1e-4
    rtol: float = 1e-3
    grad_atol: float = 1e-3
    grad_rtol: float = 1e-2


@dataclass
class Table:
    """The cases of one library, by name. A case is a function that returns a Check.

    `faults` names cases that cannot pass because of an error in the library, with the reason."""
    key: str  # the library's name in patterns
    package: str  # its name on PyPI
    cases: dict = field(default_factory=dict)
    faults: dict = field(default_factory=dict)

    def case(self, name, fault=None):
        def add(function):
            assert name not in self.cases, name
            self.cases[name] = function
            if fault:
                self.faults[name] = fault
            return function

        return add

    def check(self, name, ours, reference, *makers, fault=None, **how):
        """Adds a case that compares two functions. The makers make their inputs."""
        self.case(name, fault)(lambda: Check(ours, reference, tuple(maker() for maker in makers), **how))


def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [tensor for part in value for tensor in _tensors(part)]
    return []


def _copies(inputs, backward):
    """Returns the inputs. Floating-point tensors are leaves with gradients."""
    made = []
    for value in inputs:
        if isinstance(value, torch.Tensor):
            value = value.detach().clone()
            value.requires_grad_(backward and value.is_floating_point())
        made.append(value)
    return made


def _compare(what, ours, theirs, atol, rtol):
    assert len(ours) == len(theirs), f"{what}: expected {len(theirs)} tensors, got {len(ours)}"
    for number, (one, other) in enumerate(zip(ours, theirs)):
        assert one.shape == other.shape, f"{what} {number}: expected shape {tuple(other.shape)}, got {tuple(one.shape)}"
        if other.is_complex():
            one, other = torch.view_as_real(one), torch.view_as_real(other)
        if other.is_floating_point():
            one, other = one.detach().double(), other.detach().double()
            bad = ~torch.isclose(one, other, atol=atol, rtol=rtol, equal_nan=True)
        else:
            bad = one != other
        if bad.any():
            worst = (one.double() - other.double()).abs().nan_to_num(float("inf")).max().item()
            raise AssertionError(f"{what} {number}: {int(bad.sum())} of {bad.numel()} elements are wrong, "
                                 f"by up to {worst:.3g}")


def run(table, name):
    """Returns {"forward", "backward": "yes" | "no" | "", "reason", "seconds"}."""
    torch.manual_seed(zlib.crc32(name.encode()))
    result = {"forward": "no", "backward": "", "reason": ""}
    start = time.monotonic()
    try:
        check = table.cases[name]()
        mine, theirs = _copies(check.inputs, check.backward), _copies(check.inputs, check.backward)
        out, expected = _tensors(check.ours(*mine)), _tensors(check.reference(*theirs))
        _compare("output", out, expected, check.atol, check.rtol)
        result["forward"] = "yes"
        if check.backward:
            result["backward"] = "no"
            _compare_gradients(check, mine, theirs, out, expected)
            result["backward"] = "yes"
    except Skip as skip:
        result.update(forward="skip", reason=str(skip))
    except Exception as error:  # noqa: BLE001 - a library may raise anything
        result["reason"] = _reason(error)
        traceback.print_exc(file=sys.stdout)
    if name in table.faults:
        passes = result["forward"] == "yes" and result["backward"] in ("", "yes")
        result.update({"forward": "no", "reason": "it passes, and is listed as a fault of the library's"} if passes else
                      {"forward": "skip", "backward": "", "reason": table.faults[name]})
    result["seconds"] = round(time.monotonic() - start, 1)
    return result


def _compare_gradients(check, mine, theirs, out, expected):
    # Each side gets copies, since some libraries write into the gradients that they get.
    weights = [torch.randn_like(tensor) for tensor in expected if tensor.requires_grad]
    found = []
    for inputs, outputs in ((mine, out), (theirs, expected)):
        leaves = [value for value in inputs if isinstance(value, torch.Tensor) and value.requires_grad]
        ends = [output for output, other in zip(outputs, expected) if other.requires_grad]
        found.append(torch.autograd.grad(ends, leaves, [weight.to(end.dtype, copy=True) for weight, end in zip(weights, ends)],
                                         allow_unused=True, materialize_grads=True))
    _compare("gradient", *found, check.grad_atol, check.grad_rtol)


def _reason(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    line = next((line for line in lines if "error:" in line), lines[-1] if lines else "")
    return f"{type(error).__name__}: {line}"[:400]
