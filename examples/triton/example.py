"""Holds what the examples share: the device from the command line, the comparison, and the timing.

Results are compared with those of NumPy and PyTorch. Each example runs alone: `matmul.py --device vulkan --M 512`.
run.py runs several. With `--resident` the arrays are in the device's memory. Otherwise they are in the host's
memory: PyTorch's tensors, or NumPy's arrays without PyTorch. Vulkan devices borrow them for each launch.
"""
import argparse
import dataclasses
import inspect
import typing

import numpy as np
import pumice
import triton

try:
    import torch
    from torch.nn import functional
except ImportError:
    torch = functional = None

REFERENCES = "NumPy and PyTorch" if torch else "NumPy"


class Unfit(Exception):
    """A device on which an example cannot be right, and the reason. The example is left out there."""


@dataclasses.dataclass
class Problem:
    title: str
    tensors: tuple                        # the inputs of the kernels and, last, their outputs
    launch: typing.Callable[[], None]
    results: typing.Callable[[], tuple]   # the outputs of the kernels
    expected: typing.Callable[[], tuple]  # NumPy's results, computed with 64 bits
    by_torch: typing.Callable[..., tuple] | None  # PyTorch's results for the tensors from `widened`
    tolerance: float = 1e-5               # relative to the largest expected value

    def references(self):
        """Yields the name of each reference with its results."""
        yield "NumPy", self.expected()
        if torch and self.by_torch:
            yield "PyTorch", tuple(map(wide, self.by_torch(*map(widened, self.tensors))))

    def wrong_against(self):
        """Returns the names of the references that differ from the kernels' results."""
        results = tuple(map(wide, self.results()))
        return [name for name, expected in self.references() if not self._agree(results, expected)]

    def is_right(self):
        return not self.wrong_against()

    def _agree(self, results, expected):
        for result, wanted in zip(results, expected, strict=True):
            if result.shape != wanted.shape:
                return False
            most = np.abs(wanted).max(initial=1.0)
            if not np.abs(result - wanted).max(initial=0.0) <= self.tolerance * most:
                return False
        return True


def tensor(values, dtype="float32"):
    """Returns a tensor of these values, or a NumPy array without PyTorch."""
    return torch.from_numpy(values).to(getattr(torch, dtype)) if torch else values.astype(dtype)


def random(*shape, dtype="float32"):
    """Returns normally distributed numbers, which are the same in each run."""
    return tensor(np.random.default_rng(1).standard_normal(shape, np.float32), dtype)


def integers(low, high, *shape, dtype="int32"):
    """Returns uniformly distributed integers from `low` to below `high`, which are the same in each run."""
    return tensor(np.random.default_rng(1).integers(low, high, shape, dtype), dtype)


def empty(*shape, dtype="float32"):
    return torch.empty(shape, dtype=getattr(torch, dtype)) if torch else np.empty(shape, dtype)


def warps_for(block):
    """Returns how many warps share a row of `block` elements: at least 256 for each, and at most 8 warps."""
    return min(max(block // 256, 1), 8)


def wide(tensor):
    """Returns a tensor's elements as 64-bit floats in NumPy."""
    return np.asarray(tensor, np.float64) if isinstance(tensor, np.ndarray) else tensor.detach().double().numpy()


def widened(tensor):
    """Returns the numbers with 64 bits for PyTorch's operators. Floats require gradients."""
    return tensor.to(torch.float64, copy=True).requires_grad_() if tensor.is_floating_point() else tensor.long()


class HostMemory:
    """Passes the tensors unchanged."""

    def put(self, tensor):
        return tensor

    def get(self, placed):
        return placed

    def clear(self, placed):
        """Sets all elements to zero."""
        placed[...] = 0


class DeviceMemory:
    """Copies the tensors to arrays of the device that kernels run on."""

    def put(self, tensor):
        if torch and tensor.dtype == torch.bfloat16:
            return pumice.from_numpy(tensor.view(torch.uint16).numpy(), dtype="bfloat16")
        return pumice.from_numpy(np.asarray(tensor))

    def get(self, placed):
        host = placed.numpy()
        return torch.from_numpy(host).view(torch.bfloat16) if placed.dtype == "bfloat16" else host

    def clear(self, placed):
        placed.fill(0)


def run(make, device, memory=HostMemory, **sizes):
    """Runs the problem of `make(memory, **sizes)` on `device`. Returns (title, failed comparisons, milliseconds)."""
    pumice.use(device)
    problem = make(memory(), **sizes)
    problem.launch()  # compiles the kernels
    against = problem.wrong_against()
    milliseconds = triton.testing.do_bench(problem.launch, warmup=5, rep=20, return_mode="median")
    return problem.title, against, milliseconds


def verdict(against):
    return f"WRONG against {' and '.join(against)}" if against else "right"


def devices_of(word, parser):
    """Returns the devices that `--device` names, or exits with an error if there is none."""
    try:
        return [pumice.device(each) for each in (pumice.devices() if word == "all" else [word])]
    except pumice.Error as error:
        parser.error(f"argument --device: {error}")


def sizes_of(make):
    """Returns the parameters of `make` other than memory, with their defaults."""
    parameters = list(inspect.signature(make).parameters.items())
    return {name: parameter.default for name, parameter in parameters[1:]}


def kind_of(default):
    """Returns a function that parses the text of a size."""
    return (lambda text: text == "True") if isinstance(default, bool) else type(default)


def main(description, make):
    """Runs a problem on the devices that the command line names. Other options set the parameters of `make`."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--device", default="cpu", help="cpu, vulkan, vulkan:1, ..., or all")
    parser.add_argument("--resident", action="store_true", help="arrays in the device's own memory")
    for name, default in sizes_of(make).items():
        parser.add_argument(f"--{name}", type=kind_of(default), default=default,
                            help=f"{default!r} where not said")
    options = vars(parser.parse_args())
    device, memory = options.pop("device"), DeviceMemory if options.pop("resident") else HostMemory
    is_right = True
    for each in devices_of(device, parser):
        try:
            title, against, milliseconds = run(make, each, memory, **options)
        except Unfit as why:
            print(f"left out on {pumice.device()}: {why}")
            continue
        is_right &= not against
        print(f"{verdict(against)} on {pumice.device()}: {title} in {milliseconds:.3f} ms")
    return 0 if is_right else 1
