"""Makes Triton's autotuner reset and restore NumPy's arrays, and measure without CUDA graphs."""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def drives() -> bool:
    """Returns whether Triton's active driver is one of Pumice's."""
    from triton.runtime import driver

    from .drivers import Driver
    return isinstance(driver.active, Driver)


def benches_without_graphs(with_graph: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `do_bench_cudagraph` that records launches in a row."""
    @functools.wraps(with_graph)
    def do_bench_cudagraph(fn: Callable[[], Any], *how: Any, **more: Any) -> Any:
        if not drives():
            return with_graph(fn, *how, **more)
        from .benchmarking import bench_in_a_row
        return bench_in_a_row(fn, *how, **more)

    return do_bench_cudagraph


def takes_numpy(make: Callable[..., None]) -> Callable[..., None]:
    """Returns a replacement of `Autotuner.__init__` that also resets and restores NumPy's arrays."""
    @functools.wraps(make)  # PyTorch asks for its parameters
    def make_tuner(self: Any, *given: Any, **named: Any) -> None:
        make(self, *given, **named)
        names = {*self.reset_to_zero, *self.restore_value}
        if names and not self.user_defined_pre_hook:
            self.pre_hook = _taking_numpy(self.pre_hook, names)
        if names and not self.user_defined_post_hook:
            self.post_hook = _taking_numpy(self.post_hook, names)

    return make_tuner


def _taking_numpy(hook: Callable[..., Any], names: set[str]) -> Callable[..., Any]:
    """Returns a hook that calls `hook`, and gives the arrays of these names the methods of a tensor."""
    @functools.wraps(hook)
    def run(arguments: dict[str, Any], *how: Any, **more: Any) -> Any:
        if drives():
            from .benchmarking import named_as_torch
            arguments = {name: named_as_torch(value) if name in names else value
                         for name, value in arguments.items()}
        return hook(arguments, *how, **more)
    return run
