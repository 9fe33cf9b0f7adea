"""Tests the features of Triton's runtime that CUDA's back end also has: devices by number, hooks, compiled kernels.

    PYTHONPATH=... python python/test/test_runtime.py
"""
import contextlib
import io
import os
import pathlib
import shutil
import tempfile
import threading
import unittest
import warnings
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor

_folder = tempfile.TemporaryDirectory()
os.environ["TRITON_CACHE_DIR"] = _folder.name

import numpy as np
from test_triton import on_each_device

import pumice
import triton
import triton_kernels as kernels
from pumice_triton import ignored
from triton import knobs
from triton.runtime import driver
from triton.runtime._async_compile import AsyncCompileMode, active_mode


def add(n=64):
    x = np.arange(n, dtype=np.float32)
    out = np.zeros_like(x)
    kernel = kernels.add[(1,)](x, x, out, n, BLOCK=64)
    np.testing.assert_array_equal(out, x + x)
    return kernel


class Devices(unittest.TestCase):
    def tearDown(self):
        pumice.use(None)

    @on_each_device
    def test_the_current_device_is_a_number(self):
        kernels.add.device_caches.clear()
        add()
        number = driver.active.get_current_device()
        self.assertIs(type(number), int)
        self.assertEqual(list(kernels.add.device_caches), [number])
        self.assertEqual(driver.active.get_device_interface().current_device(), number)
        self.assertIsInstance(driver.active.get_current_stream(number), int)
        self.assertEqual(driver.active.utils.get_device_properties(number)["max_shared_mem"],
                         pumice.device().info["max_workgroup_memory_bytes"])

    def test_each_device_has_a_number_of_its_own(self):
        numbers = {}
        kernels.add.device_caches.clear()
        for request in ("cpu", "vulkan"):
            try:
                pumice.use(request)
            except pumice.Error:
                continue
            kernel = add()
            numbers[pumice.device().id] = driver.active.get_current_device()
            self.assertEqual(kernel.metadata.target.arch, pumice.device().id)
        self.assertEqual(len(set(numbers.values())), len(numbers))
        self.assertEqual(set(kernels.add.device_caches), set(numbers.values()))
        interface = driver.active.get_device_interface()
        self.assertGreater(interface.device_count(), max(numbers.values()))
        for id, number in numbers.items():
            driver.active.set_current_device(number)
            self.assertEqual((pumice.device().id, driver.active.get_current_device()), (id, number))
            self.assertEqual(interface.get_device_name(number), pumice.device().name)
        last = driver.active.get_current_device()
        for id, number in numbers.items():
            with interface.device(number):
                self.assertEqual(pumice.device().id, id)
            self.assertEqual(driver.active.get_current_device(), last)

    @on_each_device
    def test_numbers_of_no_device(self):
        driver.active.get_current_device()
        for number in (-1, 1000):
            with self.assertRaisesRegex(ValueError, f"the number of a device .*got {number}"):
                driver.active.set_current_device(number)
            with self.assertRaisesRegex(ValueError, rf"\d+ \(.*got {number}"):
                driver.active.utils.get_device_properties(number)
        with self.assertRaises(TypeError):
            driver.active.utils.get_device_properties(1.5)

    @on_each_device
    def test_properties_that_are_not_known(self):
        with self.assertRaisesRegex(KeyError, f"'mem_clock_rate' of {pumice.device().id} is not known"):
            triton.testing.get_dram_gbps()

    @on_each_device
    def test_tools_of_benchmarks(self):
        active = driver.active
        cache = active.get_empty_cache_for_benchmark()
        active.clear_cache(cache)
        cache.zero_()
        interface = active.get_device_interface()
        with interface.stream(interface.Stream()) as stream:
            add()
            stream.synchronize()
        interface.synchronize(active.get_current_device())
        self.assertTrue(interface.current_stream().query())
        self.assertEqual(len(active.get_benchmarker()(add, warmup=1, rep=1, quantiles=[0.5, 0.2])), 2)


class Later(Executor):
    """Runs submitted work on request, on the thread that requests it."""

    def __init__(self):
        self.work = []

    def submit(self, function, /, *given, **named):
        self.work.append((Future(), lambda: function(*given, **named)))
        return self.work[-1][0]

    def do_all(self):
        while self.work:
            future, function = self.work.pop(0)
            try:
                future.set_result(function())
            except Exception as error:
                future.set_exception(error)


def warm(kernel=kernels.add, block=64):
    x = np.ones(64, np.float32)
    given = (x, x, x, 64) if kernel is kernels.add else (x,)
    return kernel.warmup(*given, BLOCK=block, grid=(1,))


class AsyncCompile(unittest.TestCase):
    def setUp(self):
        knobs.compilation.always_compile = True
        self.forget()

    def tearDown(self):
        knobs.compilation.always_compile = False
        active_mode.set(None)
        self.forget()

    def forget(self):
        kernels.add.device_caches.clear()
        kernels.without_a_name.device_caches.clear()

    @contextlib.contextmanager
    def mode(self, kind, **how):
        executor = ThreadPoolExecutor(2) if kind == "pool" else Later()
        with executor, AsyncCompileMode(executor, **how):
            yield executor

    def go_on(self):
        """Checks that launches still work outside of the mode."""
        self.assertIsNone(active_mode.get())
        add()

    @on_each_device
    def test_work_that_is_done(self):
        for kind in ("pool", "later"):
            self.forget()
            with self.mode(kind) as executor:
                made = [warm(block=block) for block in (32, 64, 128)]
                if kind == "later":
                    executor.do_all()
            self.assertEqual([one.result().name for one in made], ["add"] * 3)
            self.assertEqual(len(kernels.add.device_caches[driver.active.get_current_device()][0]), 3)
            self.go_on()

    @on_each_device
    def test_work_that_nobody_does(self):
        """A launch within the mode compiles what the executor has not begun, and so does the end of the mode."""
        with self.mode("later") as executor:
            made = warm(block=32)
            add()
            executor_had = len(executor.work)
        self.assertEqual((executor_had, made.result().name), (2, "add"))
        executor.do_all()
        self.go_on()

    @on_each_device
    def test_failures(self):
        for kind in ("pool", "later"):
            self.forget()
            with self.assertRaisesRegex(triton.CompilationError, "no_such_name"), self.mode(kind) as executor:
                warm(kernels.without_a_name)
                made = warm()
                if kind == "later":
                    executor.do_all()
            self.assertEqual(made.result().name, "add")
            self.go_on()
            self.forget()
            with self.mode(kind, ignore_errors=True) as executor:
                warm(kernels.without_a_name)
                if kind == "later":
                    executor.do_all()
            with self.assertRaisesRegex(triton.CompilationError, "no_such_name"):
                kernels.without_a_name[(1,)](np.ones(64, np.float32), BLOCK=64)
            self.go_on()

    @on_each_device
    def test_launches_that_fail(self):
        for kind in ("pool", "later"):
            with self.assertRaisesRegex(triton.CompilationError, "no_such_name"), self.mode(kind):
                kernels.without_a_name[(1,)](np.ones(64, np.float32), BLOCK=64)
            self.go_on()

    @on_each_device
    def test_failures_of_the_body(self):
        """The body's error is raised, and compilations that have not started are dropped."""
        for kind in ("pool", "later"):
            self.forget()
            with self.assertRaisesRegex(KeyError, "the body"), self.mode(kind):
                warm(kernels.without_a_name)
                warm()
                raise KeyError("the body")
            self.go_on()

    @on_each_device
    def test_executors_that_give_up(self):
        busy = threading.Event()
        with self.assertRaisesRegex(CancelledError, "cancelled a kernel's compilation"), self.mode("pool") as executor:
            for _ in range(2):
                executor.submit(busy.wait)
            warm()
            executor.shutdown(wait=False, cancel_futures=True)
            busy.set()
        self.go_on()



class Grids(unittest.TestCase):
    """Tests calls that Triton rejects with an error of Python's, or not at all."""

    def launch(self, grid, kernel=kernels.add, **options):
        x = np.arange(64, dtype=np.float32)
        kernel[grid](x, x, x, 64, **options)

    def check(self, grid, error, message):
        for given in (grid, lambda meta: grid):
            with self.subTest(grid=grid), self.assertRaisesRegex(error, message):
                self.launch(given, BLOCK=64)

    def test_invalid_grids(self):
        self.check(2, TypeError, r"kernel 'add': expected a grid of 1 to 3 numbers, .* got 2; write kernel\[\(2,\)\]$")
        self.check(None, TypeError, r"got None; write kernel\[\(n,\)\] for n programs$")
        self.check((), ValueError, r"expected a grid of 1 to 3 numbers, got 0: \(\); write")
        self.check((1, 1, 1, 1), ValueError, r"got 4: \(1, 1, 1, 1\); merge axes, and split them")

    def test_grids_of_autotuners_and_heuristics(self):
        for make in (triton.autotune([triton.Config({"BLOCK": 64})], []), triton.heuristics({"BLOCK": lambda arguments: 64})):
            with self.assertRaisesRegex(TypeError, "kernel 'add': expected a grid"):
                self.launch(2, make(kernels.add))
            self.launch(lambda meta: (meta["BLOCK"] // 64,), make(kernels.add))

    def test_forms_that_work(self):
        for grid in ((1,), [1], (1, 1), (1, 1, 1), (np.int64(1),), np.array([1]), lambda meta: [64 // meta["BLOCK"]]):
            self.launch(grid, BLOCK=64)

    def test_invalid_options(self):
        for options, error, message in (
                ({"num_stages": -1}, ValueError, "num_stages is -1; expected a whole number of 0 or more.* leave it out"),
                ({"num_stages": 1.5}, TypeError, "num_stages is 1.5;"), ({"maxnreg": -1}, ValueError, "maxnreg is -1;"),
                ({"maxnreg": "64"}, TypeError, "maxnreg is '64';")):
            with self.assertRaisesRegex(error, message):
                self.launch((1,), BLOCK=64, **options)
        self.launch((1,), BLOCK=64, num_warps=None, num_stages=None, maxnreg=None)  # these are the defaults, as on CUDA


class Hints(unittest.TestCase):
    """Tests options that are accepted and ignored."""

    def setUp(self):
        ignored._told.clear()
        kernels.with_hints.device_caches.clear()

    def run_kernel(self, **options):
        x = np.arange(64, dtype=np.float32)
        out = np.zeros_like(x)
        kernel = kernels.with_hints[(1,)](x, out, 2, **options)
        np.testing.assert_array_equal(out, x)
        return kernel

    @on_each_device
    def test_options_of_cuda_and_hip(self):
        kernel = self.run_kernel(num_ctas=4, ptx_version=80, ptx_options="-O1", enable_reflect_ftz=False,
                                 sched4reg=True, clc=True, min_shared_mem=1, allow_flush_denorm=True,
                                 llvm_fn_attrs="a=b", wgp_cu_mode="cu")
        self.assertEqual(kernel.metadata.num_ctas, 4)
        for wrong in (0, 3, "2"):
            with self.assertRaisesRegex(ValueError, "num_ctas is .*; expected a power of two"):
                self.run_kernel(num_ctas=wrong)
        with self.assertRaisesRegex(KeyError, "no_option"):
            self.run_kernel(no_option=1)

    @on_each_device
    def test_they_are_reported_once(self):
        ignored._told.clear()
        options = {"num_stages": 5, "num_ctas": 2, "maxnreg": 4, "launch_pdl": True, "waves_per_eu": 2}
        kernels.with_hints.device_caches.clear()
        with self.assertLogs("pumice.triton", "DEBUG") as caught:
            self.run_kernel(**options)
        told = "\n".join(record.getMessage() for record in caught.records)
        for hint in ("num_stages = 5", "num_ctas = 2", "maxnreg = 4", "launch_pdl = True", "waves_per_eu = 2",
                     "cache_modifier = cg", "eviction_policy = evict_last",
                     "num_stages of a loop = 3", "warp_specialize", "flatten", "disallow_acc_multi_buffer"):
            self.assertEqual(told.count(f"kernel 'with_hints': {hint} has no effect: "), 1, hint)
        self.assertEqual({record.levelname for record in caught.records}, {"DEBUG"})
        kernels.with_hints.device_caches.clear()
        with self.assertNoLogs("pumice.triton", "DEBUG"):
            self.run_kernel(**options)

    @on_each_device
    def test_possible_deadlocks_are_warnings(self):
        for is_first in (True, False):
            kernels.with_hints.device_caches.clear()
            if is_first:
                ignored._told.clear()
            with self.assertLogs("pumice.triton", "WARNING") if is_first else \
                    self.assertNoLogs("pumice.triton", "WARNING") as caught:
                self.run_kernel(launch_cooperative_grid=True)
            if is_first:
                self.assertRegex(caught.output[0], "launch_cooperative_grid = True .* may deadlock")

    @on_each_device
    def test_more_warps_than_devices_have(self):
        for warps in (64, 128, 1024):
            self.assertEqual(self.run_kernel(num_warps=warps).metadata.num_warps, warps)

    @on_each_device
    def test_defaults_are_not_reported(self):
        kernels.add.device_caches.clear()
        with self.assertNoLogs("pumice.triton", "DEBUG"):
            add()
            kernels.add[(1,)](*[np.ones(64, np.float32)] * 3, 64, BLOCK=64, num_stages=2, num_ctas=1)


class Files(unittest.TestCase):
    """Tests the files of a kernel that Triton writes and reads."""

    def setUp(self):
        kernels.add.device_caches.clear()
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(knobs.cache.scope())
        self.enterContext(knobs.compilation.scope())
        knobs.cache.dir = f"{self.folder}/cache"
        self.addCleanup(kernels.add.device_caches.clear)

    def path_of(self, name):
        """Returns the path of a kept file. Expects that only one kernel has kept files."""
        (path,) = pathlib.Path(self.folder, "files").glob(f"*/{name}")
        return path

    def product(self):
        x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        kernels.add.device_caches.clear()
        kernels.add[(1,)](x, x, out, 64, BLOCK=64)
        np.testing.assert_array_equal(out, x * x)

    @on_each_device
    def test_a_text_instead(self):
        knobs.compilation.always_compile = True
        path = pathlib.Path(self.folder, "add.ttir")
        path.write_text(add().asm["ttir"].replace("arith.addf", "arith.mulf"))
        kernel = triton.compile(str(path))
        x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        kernel[(1, 1, 1)](x, x, out, 64)
        np.testing.assert_array_equal(out, x * x)

    @on_each_device
    def test_dumped_and_overridden(self):
        """Both the text and the executable work. Triton does not know the executable's file name suffix."""
        knobs.compilation.always_compile = True
        for ending in ("ttir", "pumice"):
            knobs.cache.dump_dir = knobs.cache.override_dir = f"{self.folder}/files"
            knobs.compilation.dump_ir = True
            kernels.add.device_caches.clear()
            add()
            knobs.compilation.dump_ir = False
            text = self.path_of("add.ttir")
            text.write_text(text.read_text().replace("arith.addf", "arith.mulf"))
            if ending == "pumice":
                self.path_of("add.pumice").write_bytes(triton.compile(str(text)).asm["pumice"])
                text.unlink()
            else:
                self.path_of("add.pumice").unlink()
            knobs.compilation.override = True
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.product()
            self.assertIn(f"add.{ending}", said.getvalue())
            knobs.compilation.override = False
            shutil.rmtree(f"{self.folder}/files")

    @on_each_device
    def test_binaries_only(self):
        """All stages are kept, though Triton recognizes binaries only by the names of CUDA's and HIP's."""
        knobs.compilation.store_binary_only = True
        for _ in range(2):
            kernels.add.device_caches.clear()
            self.assertIn("tt.addptr", add().asm["ttir"])

    @on_each_device
    def test_files_of_other_back_ends(self):
        for name in ("add.ttgir", "add.ptx", "add.llir"):
            path = pathlib.Path(self.folder, name)
            path.write_text(".visible .entry add(\n.param .u64 a\n)\n")
            with self.assertRaisesRegex(ValueError, rf"ends in .ttir, got '{path}'"):
                triton.compile(str(path))
        for key in ("ptx", "sass", "ttgir"):
            with self.assertRaisesRegex(KeyError, f"has no '{key}'; it has .*ttir, pumice, spirv"):
                add().asm[key]

    @on_each_device
    def test_compiled_kernels_take_all_arguments(self):
        x = np.ones(64, np.float32)
        with self.assertRaisesRegex(TypeError, "all of its 5 arguments in order, constants too; got 4"):
            add()[(1, 1, 1)](x, x, x, 64)


class Benchmarks(unittest.TestCase):
    @on_each_device
    def test_without_graphs(self):
        bench = triton.testing.do_bench_cudagraph
        self.assertGreater(bench(add, rep=1), 0)
        self.assertEqual(len(bench(add, rep=1, quantiles=[0.5, 0.2, 0.8])), 3)
        self.assertEqual(len(bench(add, rep=1, return_mode="all")), 10)
        with self.assertRaisesRegex(ValueError, "return_mode is 'some'"):
            bench(add, return_mode="some")
        with warnings.catch_warnings(action="ignore"):  # this is deprecated
            tuned = triton.autotune([triton.Config({"BLOCK": block}) for block in (16, 32)], ["n"], rep=1,
                                    use_cuda_graph=True)(kernels.add)
        x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
        tuned[lambda given: (triton.cdiv(64, given["BLOCK"]),)](x, x, out, 64)
        np.testing.assert_array_equal(out, x + x)


class Functions(unittest.TestCase):
    """Tests Triton functions as constants, alone and in tuples."""

    def run_kernel(self, FIRST=kernels.twice_of):
        x = np.arange(16, dtype=np.float32)
        out = np.zeros_like(x)
        kernel = kernels.in_turn[(1,)](x, out, FIRST, (kernels.square_of, kernels.twice_of),
                                       (kernels.square_of, 3), BLOCK=16)
        if kernel is not None:
            first = 2 * x if FIRST is kernels.twice_of else x * x
            np.testing.assert_array_equal(out, (2 * first ** 2) ** 2 + 3)
        return kernel

    @on_each_device
    def test_they_are_preloaded(self):
        """Preloads a kernel from the text that a hook received, instead of compiling it."""
        calls = []

        def hook(**call):
            calls.append(call)
            return True

        kernels.in_turn.device_caches.clear()
        with knobs.runtime.scope():
            knobs.runtime.jit_cache_hook = hook
            self.assertIsNone(self.run_kernel())
        (call,) = calls
        self.assertEqual(call["compile"]["device"], driver.active.get_current_device())
        kernel = kernels.in_turn.preload(call["compile"]["specialization_data"])
        self.assertEqual(kernel.name, "in_turn")
        with knobs.runtime.scope():
            knobs.runtime.jit_cache_hook = hook
            self.assertIs(self.run_kernel(), kernel)
        self.assertEqual(len(calls), 1)
        self.run_kernel(kernels.square_of)

    @on_each_device
    def test_functions_that_are_gone(self):
        calls = []
        kernels.in_turn.device_caches.clear()
        with knobs.runtime.scope():
            knobs.runtime.jit_cache_hook = lambda **call: calls.append(call) or True
            self.run_kernel()
        data = calls[0]["compile"]["specialization_data"].replace("triton_kernels:square_of", "triton_kernels:gone")
        with self.assertRaisesRegex(RuntimeError, "'gone' of the module 'triton_kernels'|triton_kernels:gone"):
            kernels.in_turn.preload(data)


class Printing(unittest.TestCase):
    def tearDown(self):
        driver.active.utils.set_printf_fifo_size(1 << 20)

    @on_each_device
    def test_how_much_a_launch_prints(self):
        for size, is_lost in ((1 << 20, False), (64, True), (4096, False)):
            driver.active.utils.set_printf_fifo_size(size)
            for x in np.zeros(1, np.float32), pumice.from_numpy(np.zeros(1, np.float32)):
                said = self.said(x)
                self.assertEqual("or more (--print-bytes; print_bytes in C; set_printf_fifo_size in Triton)" in said,
                                 is_lost, size)
                self.assertEqual(said.count("one more line"), 3 if is_lost else 20, size)
        for wrong in (0, 7, 1 << 32):
            with self.assertRaisesRegex(ValueError, "expected 8 to 2.32-1 bytes"):
                driver.active.utils.set_printf_fifo_size(wrong)

    def said(self, x):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            kernels.says_much[(1,)](x, 20)
            pumice.device().synchronize()
        return said.getvalue()



if __name__ == "__main__":
    unittest.main()
