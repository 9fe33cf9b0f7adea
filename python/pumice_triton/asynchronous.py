"""Triton's AsyncCompileMode, so that nothing waits for work that nobody is going to do.

Triton up to 3.8 leaves the mode active after a failure, so that later launches are compiled by an executor that is
gone. In every version the mode, and a launch within it, wait for ever where the executor runs its work later on
the thread that waits."""
import sys
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor


class _Compilation:
    """One that an executor does, or whoever needs its result first. Both may call it; it runs once."""

    def __init__(self, compile, executor):
        self._compile, self._beginning, self.has_begun = compile, threading.Lock(), False
        # Threads of a pool begin by themselves; of other executors nothing is known.
        self._is_pools = isinstance(executor, ThreadPoolExecutor)
        self.submitted, self.outcome = None, Future()

    def __call__(self):
        self.run()
        return self.outcome.result()

    def run(self):
        """Unless someone has begun it."""
        with self._beginning:
            if self.has_begun:
                return
            self.has_begun = True
        try:
            self.outcome.set_result(self._compile())
        except BaseException as error:  # noqa: BLE001 - it is raised where the kernel is needed
            self.outcome.set_exception(error)
        self._compile = None  # and what it holds

    def wait_for_pool(self):
        """Until it is done, or cancelled there."""
        if self._is_pools:
            done = threading.Event()  # `wait` of concurrent.futures misses what shutdown(cancel_futures=True) cancels
            self.submitted.add_done_callback(lambda _: done.set())
            self.outcome.add_done_callback(lambda _: done.set())
            done.wait()

    def leave_pool(self):
        """Which may be gone from here on."""
        self._is_pools = False


def _is_ours():
    drivers = sys.modules.get("pumice_triton.drivers")
    from triton.runtime import driver
    return drivers is not None and isinstance(driver.active, drivers.Driver)


def submits_once(submit):
    def submit_once(self, key, compile, *rest):
        if key in self.future_kernels or not _is_ours():
            return submit(self, key, compile, *rest)
        compilation = _Compilation(compile, self.executor)
        made = submit(self, key, compilation, *rest)
        compilation.submitted, made.future = made.future, compilation.outcome
        made._compilation = compilation
        self._compiles_once = True
        return made

    return submit_once


def gives_result_of_once(result):
    def result_of_once(self, *how, **named):
        # Not by getattr: Triton's class asks the kernel for what it has not itself.
        compilation = self.__dict__.get("_compilation")
        if compilation is not None and self.kernel is None:
            compilation.wait_for_pool()
            compilation.run()
        return result(self, *how, **named)

    return result_of_once


def leaves_after_all(leave):
    def leave_after_all(self, kind, error, traceback):
        if not getattr(self, "_compiles_once", False):
            return leave(self, kind, error, traceback)
        from triton.runtime import _async_compile
        _async_compile.active_mode.set(None)
        made = [one for one in self.future_kernels.values() if one.kernel is None and one.future is not None]
        self.raw_futures, self.future_kernels = [], {}
        return _finish(made, self.ignore_errors, kind is not None)

    return leave_after_all


def _finish(made, ignores_errors, has_failed):
    """Every kernel is kept, also where another fails; the first failure is raised then. After one of the mode's body,
    what nobody has begun is left until it is needed."""
    failures = []
    for one in made:
        compilation = one._compilation
        if not has_failed:
            compilation.wait_for_pool()
        compilation.leave_pool()
        if not compilation.has_begun and (has_failed or compilation.submitted.cancelled()):
            failures.append(CancelledError("the executor cancelled a kernel's compilation"))
            continue
        try:
            one.result(ignores_errors or has_failed)
        except Exception as error:  # noqa: BLE001 - raised below
            failures.append(error)
    if failures and not ignores_errors and not has_failed:
        raise failures[0]
