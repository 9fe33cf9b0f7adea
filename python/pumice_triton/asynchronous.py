"""Replaces parts of Triton's AsyncCompileMode, so that no thread waits for work that will never run.

Triton up to 3.8 leaves the mode active after a failure. Later launches are then submitted to an executor that no
longer exists. In every version, an executor may run its work later, on the thread that waits for it. The end of the
mode then deadlocks, and so does a launch within the mode.
"""
from __future__ import annotations

import sys
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class _Compilation:
    """A compilation that runs once, by the executor or by the first thread that needs its result. Both may call it."""

    def __init__(self, compile: Callable[[], Any], executor: Any) -> None:
        self._compile: Any  # None once it has run
        self._compile, self._beginning, self.has_begun = compile, threading.Lock(), False
        # Threads of a pool start their work on their own. Other executors may not.
        self._is_pools = isinstance(executor, ThreadPoolExecutor)
        self.submitted: Any
        self.outcome: Future[Any]
        self.submitted, self.outcome = None, Future()

    def __call__(self) -> Any:
        self.run()
        return self.outcome.result()

    def run(self) -> None:
        """Compiles, unless another thread has begun to."""
        with self._beginning:
            if self.has_begun:
                return
            self.has_begun = True
        try:
            self.outcome.set_result(self._compile())
        except BaseException as error:  # noqa: BLE001 - it is raised where the kernel is needed
            self.outcome.set_exception(error)
        self._compile = None  # frees the objects that it holds

    def wait_for_pool(self) -> None:
        """Waits until a pool's thread has finished the compilation, or the pool has cancelled it."""
        if self._is_pools:
            done = threading.Event()  # concurrent.futures.wait misses work that shutdown(cancel_futures=True) cancels
            self.submitted.add_done_callback(lambda _: done.set())
            self.outcome.add_done_callback(lambda _: done.set())
            done.wait()

    def leave_pool(self) -> None:
        """Stops waiting for the pool, which may no longer exist."""
        self._is_pools = False


def _is_ours() -> bool:
    """Returns whether the active driver is one of Pumice's."""
    drivers = sys.modules.get("pumice_triton.drivers")
    from triton.runtime import driver
    return drivers is not None and isinstance(driver.active, drivers.Driver)


def submits_once(submit: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `AsyncCompileMode.submit` that submits compilations which run once."""
    def submit_once(self: Any, key: Any, compile: Callable[[], Any], *rest: Any) -> Any:
        if key in self.future_kernels or not _is_ours():
            return submit(self, key, compile, *rest)
        compilation = _Compilation(compile, self.executor)
        made = submit(self, key, compilation, *rest)
        compilation.submitted, made.future = made.future, compilation.outcome
        made._compilation = compilation
        self._compiles_once = True
        return made

    return submit_once


def gives_result_of_once(result: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `FutureKernel.result` that compiles if the executor has not begun to."""
    def result_of_once(self: Any, *how: Any, **named: Any) -> Any:
        # Avoids getattr: Triton's class asks the kernel for attributes that it lacks itself.
        compilation = self.__dict__.get("_compilation")
        if compilation is not None and self.kernel is None:
            compilation.wait_for_pool()
            compilation.run()
        return result(self, *how, **named)

    return result_of_once


def leaves_after_all(leave: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `AsyncCompileMode.__exit__` that leaves the mode, and finishes its kernels."""
    def leave_after_all(self: Any, kind: Any, error: Any, traceback: Any) -> Any:
        if not getattr(self, "_compiles_once", False):
            return leave(self, kind, error, traceback)
        from triton.runtime import _async_compile
        _async_compile.active_mode.set(None)
        made = [one for one in self.future_kernels.values() if one.kernel is None and one.future is not None]
        self.raw_futures, self.future_kernels = [], {}
        return _finish(made, self.ignore_errors, kind is not None)

    return leave_after_all


def _finish(made: list[Any], ignores_errors: bool, has_failed: bool) -> None:
    """Finishes the kernels of a mode that ends. Every kernel is kept, even if another one fails.

    Args:
        made: The mode's kernels that have no result yet.
        ignores_errors: Whether the mode ignores errors.
        has_failed: Whether the mode's body has failed. Kernels that are not started then wait until needed.

    Raises:
        Exception: The first failure of a kernel, unless errors are ignored or the body has failed.
    """
    failures: list[Exception] = []
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
