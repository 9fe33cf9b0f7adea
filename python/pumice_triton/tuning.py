"""Triton's autotuner resets and restores NumPy's arrays, too, and measures without CUDA's graphs."""
import functools


def drives():
    """Whether Triton's driver is one of ours."""
    from triton.runtime import driver

    from .drivers import Driver
    return isinstance(driver.active, Driver)


def benches_without_graphs(with_graph):
    @functools.wraps(with_graph)
    def do_bench_cudagraph(fn, *how, **more):
        if not drives():
            return with_graph(fn, *how, **more)
        from .benchmarking import bench_in_a_row
        return bench_in_a_row(fn, *how, **more)

    return do_bench_cudagraph


def takes_numpy(make):
    @functools.wraps(make)  # PyTorch asks for its parameters
    def make_tuner(self, *given, **named):
        make(self, *given, **named)
        names = {*self.reset_to_zero, *self.restore_value}
        if names and not self.user_defined_pre_hook:
            self.pre_hook = _taking_numpy(self.pre_hook, names)
        if names and not self.user_defined_post_hook:
            self.post_hook = _taking_numpy(self.post_hook, names)

    return make_tuner


def _taking_numpy(hook, names):
    @functools.wraps(hook)
    def run(arguments, *how, **more):
        if drives():
            from .benchmarking import named_as_torch
            arguments = {name: named_as_torch(value) if name in names else value
                         for name, value in arguments.items()}
        return hook(arguments, *how, **more)
    return run
