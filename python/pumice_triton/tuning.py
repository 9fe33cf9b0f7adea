"""Triton's autotuner resets and restores NumPy's arrays, too, and measures without CUDA's graphs."""
import functools
import sys
import types

from pumice_hooks import after_import


def teach_triton():
    """The autotuner makes its hooks of `reset_to_zero` and `restore_value` when a kernel is decorated, and
    may call them before any driver is asked for. Back ends are imported in the middle of it, so its class
    is taught when Triton first looks it up. Nothing is imported here."""
    module = sys.modules.get("triton.runtime.autotuner")
    if type(module) is types.ModuleType and not hasattr(module, "Autotuner"):
        module.__class__ = _Unfinished
    after_import("triton.testing", _bench_without_graphs)


def drives():
    """Whether Triton's driver is one of ours."""
    from triton.runtime import driver

    from .drivers import Driver
    return isinstance(driver.active, Driver)


def _bench_without_graphs(testing):
    with_graph = testing.do_bench_cudagraph

    @functools.wraps(with_graph)
    def do_bench_cudagraph(fn, *how, **more):
        if not drives():
            return with_graph(fn, *how, **more)
        from .benchmarking import bench_in_a_row
        return bench_in_a_row(fn, *how, **more)

    testing.do_bench_cudagraph = do_bench_cudagraph


class _Unfinished(types.ModuleType):
    """The autotuner's module until its class is looked up."""

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name == "Autotuner":
            self.__class__ = types.ModuleType
            _teach(found)
        return found


def _teach(tuners):
    make = tuners.__init__

    @functools.wraps(make)  # PyTorch asks for its parameters
    def make_tuner(self, *given, **named):
        make(self, *given, **named)
        names = {*self.reset_to_zero, *self.restore_value}
        if names and not self.user_defined_pre_hook:
            self.pre_hook = _taking_numpy(self.pre_hook, names)
        if names and not self.user_defined_post_hook:
            self.post_hook = _taking_numpy(self.post_hook, names)

    tuners.__init__ = make_tuner


def _taking_numpy(hook, names):
    @functools.wraps(hook)
    def run(arguments, *how, **more):
        if drives():
            from .benchmarking import named_as_torch
            arguments = {name: named_as_torch(value) if name in names else value
                         for name, value in arguments.items()}
        return hook(arguments, *how, **more)
    return run
