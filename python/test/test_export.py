"""Triton kernels as C and C++ (pumice.export, pumice.tools): what the launchers choose, and what they compute.

    PYTHONPATH=... python python/test/test_export.py
"""
import contextlib
import io
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import warnings

import numpy as np

try:
    import triton
except ImportError:
    print("skipped: Triton is not installed")
    sys.exit(77)

import pumice
from pumice.exporting import planned
from pumice.tools import compile as compile_tool
from pumice.tools import link as link_tool
from pumice_triton.tracing import Symbol, Untraceable, expression_of, trace

root = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = '''
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def odd(template, queue, all, big, half, brain, flag, byte):
    """Stores each scalar, as float or as integer."""
    tl.store(template, half.to(tl.float32))
    tl.store(template + 1, brain.to(tl.float32))
    tl.store(template + 2, flag.to(tl.float32))
    tl.store(queue, big)
    tl.store(queue + 1, byte.to(tl.int64))
    tl.store(all, tl.num_programs(0))


@triton.jit
def blocks(d, pair, out, BLOCK: tl.constexpr):
    """Multiplies by the first of the pair, and adds the second. Rows after the descriptor's last are NaN or 0."""
    row = tl.program_id(0) * BLOCK
    at = (row + tl.arange(0, BLOCK))[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(out + at, d.load([row, 0]) * tl.load(pair[0]) + pair[1])


@triton.jit
def nothing():
    pass


@triton.jit
def ftell(int64_t, int32_t, uint32_t, INT_MAX, size_t, EOF: tl.constexpr):
    tl.store(int64_t + tl.program_id(0), int32_t + uint32_t + INT_MAX + size_t + EOF)


@triton.jit
def grids(a, b, BLOCK: tl.constexpr):
    pass


@triton.jit
def three(x, y, out, BLOCK: tl.constexpr):
    pass


@triton.jit
def inner(out, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), 1.0)


@triton.jit
def calls(out, BLOCK: tl.constexpr):
    inner(out, BLOCK)


@triton.jit
def chosen(algo_id, out, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BLOCK), algo_id)


tuned = triton.autotune(configs=[triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((64, 1), (256, 2))],
                        key=["n"])(add)
even = triton.heuristics({"BLOCK": lambda args: 128})(add)
'''


def load_kernels(folder):
    """Returns the module of KERNELS, whose source Triton reads from a file."""
    path = pathlib.Path(folder) / "kernels_to_export.py"
    path.write_text(KERNELS)
    return compile_tool.load_kernel(str(path), "add"), sys.modules["kernels_to_export"]


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pumice export ")  # a space, as some paths have
        self.place = pathlib.Path(self.folder.name)
        self.add, self.kernels = load_kernels(self.place)

    def tearDown(self):
        self.folder.cleanup()

    def build(self, folder, main, compiler="g++"):
        """Compiles the sources of an export with a main program, and returns the program."""
        if shutil.which(compiler) is None:
            self.skipTest(f"there is no {compiler}")
        (self.place / "main.cpp").write_text(main)
        library = pathlib.Path(pumice._native.libraries()[1])
        program = self.place / "program"
        (self.place / "libpumice.so").unlink(missing_ok=True)
        (self.place / "libpumice.so").symlink_to(library)
        done = subprocess.run([compiler, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{root / 'include'}", f"-I{folder}",
                               self.place / "main.cpp", *folder.glob("*.cpp"), "-o", program, f"-L{self.place}", "-lpumice",
                               f"-Wl,-rpath,{library.parent}"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program

    def run_program(self, program, *arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_specialisations_on_every_device(self):
        files = pumice.export(self.add, self.place / "add", grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),),
                              signature=["*fp32:16, *fp32:16, *fp32:16, i32:16", "*fp32, *fp32, *fp32, i32:1",
                                         "*fp32, *fp32, *fp32, i32"],
                              constexprs={"BLOCK": 64}, targets=["cpu"])
        self.assertEqual([file.name for file in files],
                         ["add.hpp", "add.cpp", "add_data.cpp", "CMakeLists.txt", "add.pc"])
        program = self.build(self.place / "add", r'''
#include "add.hpp"
#include <cstdio>
int main(int, char **argv) {
  pumice::Device device = pumice::Device::open(argv[1]).value();
  auto kernels = add::Kernels::load(device).value();
  pumice::Queue queue = device.createQueue().value();
  int wrong = 0;
  for (int n : {1, 16, 63, 64, 4096, 5000}) {
    std::vector<float> x(n + 1, 2.5f), y(n + 1, 0.5f), got(n + 1);
    pumice::Buffer a = device.createBuffer(4 * n + 4).value(), b = device.createBuffer(4 * n + 4).value(),
                   c = device.createBuffer(4 * n + 4).value();
    for (uint64_t first : {uint64_t(0), uint64_t(4)}) {
      queue.upload(a, x.data(), 4 * n + 4).value();
      queue.upload(b, y.data(), 4 * n + 4).value();
      queue.fill(c, 0).value();
      kernels.add(queue, {a, first}, b, {c, first}, n).value();
      queue.download(got.data(), c, 4 * n + 4).value();
      queue.finish().value();
      for (int i = 0; i <= n; ++i)
        wrong += got[i] != ((first ? i > 0 : i < n) ? 3.0f : 0.0f);
    }
    wrong += bool(kernels.add(queue, a, b, a, n));
  }
  std::printf("%d wrong\n%s\n", wrong, kernels.add(queue, device.createBuffer(4).value(), device.createBuffer(4).value(),
              device.createBuffer(4).value(), -70).error().what());
}
''')
        for device in os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(","):
            self.assertEqual(self.run_program(program, device), "0 wrong\ninvalid argument: kernel 'add': axis 0 of the grid "
                             "is -1; expected 0 to 2^32-1\n")

    def test_names_of_headers(self):
        for language, compilers in (("c", ("gcc", "clang-22")), ("c++", ("g++", "clang++-22"))):
            folder = self.place / language
            pumice.export(self.kernels.ftell, folder, signature="*i32, i32, i32, i32, i64", language=language, targets="cpu",
                          constexprs=[{"EOF": 1}, {"EOF": 2}],
                          grid=lambda meta: (max(meta["INT_MAX"] // meta["uint32_t"], meta["EOF"]), meta["size_t"] << 2))
            for compiler in filter(shutil.which, compilers):
                done = subprocess.run([compiler, f"-std={language}1{'1' if language == 'c' else '7'}", "-Wall", "-Wextra", "-Werror",
                                       f"-I{root / 'include'}", "-fsyntax-only", *folder.glob("*.c*")],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a_ftell", (self.place / "c/a_ftell.h").read_text())

    def test_grids_without_a_value(self):
        pumice.export(self.kernels.grids, self.place / "grids", signature="i64, i64", targets=["cpu"],
                      constexprs=[({"BLOCK": 1}, lambda a, b: a % (b - 3) == 1), ({"BLOCK": 2}, lambda a, b: True)],
                      grid=lambda meta: (min(meta["a"] * meta["b"], 1), (meta["a"] + 7) // meta["b"], 1 << meta["b"]))
        program = self.build(self.place / "grids", r'''
#include "grids.hpp"
#include <cstdio>
#include <cstdint>
int main() {
  pumice::Device device = pumice::Device::open("cpu").value();
  pumice::Queue queue = device.createQueue().value();
  auto kernels = grids::Kernels::load(device).value();
  for (auto [a, b] : {std::pair<int64_t, int64_t>{5, 2}, {5, 0}, {5, 3}, {INT64_MAX, 2}, {INT64_MIN, -1}, {0, 62}, {0, 64}, {1, -2}}) {
    auto status = kernels.grids(queue, a, b);
    std::printf("%s\n", status ? "launched" : status.error().what());
  }
}
''')
        for grid in ((-1,), (1, 1 << 32), lambda meta: 1 << 40):
            with self.assertRaisesRegex(ValueError, "kernel 'add': expected a grid of 0 to 2.32-1 programs along each axis, got"):
                pumice.export(self.add, self.place, signature="*fp32, *fp32, *fp32, i32", constexprs={"BLOCK": 64}, targets="cpu",
                              grid=grid)
        failure = "invalid argument: kernel 'grids': an expression for its grid or its choice"
        wide = "invalid argument: kernel 'grids': axis 2 of the grid is 4611686018427387904; expected 0 to 2^32-1"
        self.assertEqual(self.run_program(program).splitlines(), [
            "launched", f"{failure} divides by zero; pass other arguments", f"{failure} divides by zero; pass other arguments",
            f"{failure} exceeds 64 bits; pass other arguments", f"{failure} shifts by a negative number; pass other arguments", wide,
            f"{failure} exceeds 64 bits; pass other arguments", f"{failure} shifts by a negative number; pass other arguments"])

    def test_odd_names_and_scalars(self):
        pumice.export(self.kernels.odd, self.place / "odd", signature="*fp32, *i64, *i32, u64, fp16, bf16, i1, i8",
                      grid=(3,), targets="cpu", name="class")
        program = self.build(self.place / "odd", r'''
#include "a_class.hpp"
#include <cstdio>
int main() {
  pumice::Device device = pumice::Device::open("cpu").value();
  pumice::Queue queue = device.createQueue().value();
  pumice::Buffer f = device.createBuffer(12).value(), i = device.createBuffer(16).value(), n = device.createBuffer(4).value();
  auto kernels = a_class::Kernels::load(device).value();
  kernels.odd(queue, f, i, n, UINT64_MAX - 1, 1.0f / 3, 1.0f / 3, true, -7).value();
  queue.finish().value();
  float *floats = f.map<float>();
  int64_t *longs = i.map<int64_t>();
  std::printf("%.9g %.9g %g %llu %lld %d\n", floats[0], floats[1], floats[2], (unsigned long long)longs[0],
              (long long)longs[1], *n.map<int>());
}
''', "clang++-22" if shutil.which("clang++-22") else "g++")
        self.assertEqual(self.run_program(program), "0.333251953 0.333984375 1 18446744073709551614 -7 3\n")

    def test_descriptors_and_tuples(self):
        """Each part is a parameter, and the grid may use it."""
        options = {"signature": "tensordesc<fp32[4, 16]>, (*fp32, i32), *fp32:16, 4",
                   "grid": lambda meta: (triton.cdiv(meta["d"].shape[0], meta["BLOCK"]),)}
        pumice.export(self.kernels.blocks, self.place / "blocks", targets=["cpu"], **options)
        program = self.build(self.place / "blocks", r'''
#include "blocks.hpp"
#include <cstdio>
int main() {
  pumice::Device device = pumice::Device::open("cpu").value();
  pumice::Queue queue = device.createQueue().value();
  pumice::Buffer x = device.createBuffer(7 * 64).value(), factor = device.createBuffer(4).value(),
                 out = device.createBuffer(8 * 64).value();
  for (int i = 0; i < 7 * 16; ++i)
    x.map<float>()[i] = float(i);
  *factor.map<float>() = 2;
  auto kernels = blocks::Kernels::load(device).value();
  kernels.blocks(queue, x, false, 7, 16, 16, 1, factor, -3, out).value();
  queue.finish().value();
  int wrong = 0;
  for (int i = 0; i < 8 * 16; ++i)
    wrong += out.map<float>()[i] != (i < 7 * 16 ? 2.0f * float(i) - 3 : -3);
  std::printf("%d wrong\n", wrong);
}
''')
        self.assertEqual(self.run_program(program), "0 wrong\n")
        header = (self.place / "blocks/blocks.hpp").read_text()
        self.assertRegex(header, r"(?s)&d,\s*bool d_pads_with_nan,\s*int32_t d_shape_0,.*int64_t d_stride_1,.*&pair_0,"
                                 r"\s*int32_t pair_1")

        launch = pumice.launcher(self.kernels.blocks, **options)
        x, out = np.arange(7 * 16, dtype=np.float32).reshape(7, 16), np.zeros((8, 16), np.float32)
        descriptor = types.SimpleNamespace(base=x, shape=[7, 16], strides=[16, 1], block_shape=[4, 16], padding="nan")
        launch(descriptor, (np.array([2], np.float32), 5), out)
        np.testing.assert_array_equal(out[:7], 2 * x + 5)
        self.assertTrue(np.isnan(out[7]).all())
        with self.assertRaisesRegex(ValueError, "argument 'out': expected an array whose elements are adjacent"):
            launch(descriptor, (np.array([2], np.float32), 5), np.zeros((8, 32), np.float32)[:, ::2])

        folder = self.place / "commands"
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(compile_tool.main([str(self.place / "kernels_to_export.py"), "-n", "blocks", "-o", str(folder),
                                                "-s", options["signature"], "-g", "cdiv(d_shape_0, 4), 1, 1"]), 0)
            self.assertEqual(link_tool.main([*map(str, self.place.glob("commands.*.json")), "-o", str(folder)]), 0)

    def test_launchers_compiled_at_run_time(self):
        options = {"signature": ["*fp32:16, *fp32:16, *fp32:16, i32:16", "*fp32, *fp32, *fp32, i32"],
                   "constexprs": {"BLOCK": 64}}
        x = np.arange(100, dtype=np.float32)
        for device in os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(","):
            add = pumice.launcher(self.add, device=device, grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),),
                                  **options)
            for n in (100, 64, 0):
                out = np.zeros_like(x)
                add(x, x.copy(), out, n)
                np.testing.assert_array_equal(out, np.where(np.arange(100) < n, 2 * x, 0))
        with self.assertRaisesRegex(pumice.InvalidArgumentError, "axis 0 of the grid is -1"):
            add(x, x, np.zeros_like(x), -70)
        with self.assertRaisesRegex(TypeError, r"write launcher\(…\)"):
            add[2]
        with self.assertRaisesRegex(pumice.NotFoundError, "there is no program 'no-such-compiler'; install one"):
            pumice.launcher(self.add, "no-such-compiler", **options)
        for option, expected in (("language", "compiled at run time is in C"), ("tile", "expected some of signature, grid")):
            with self.assertRaisesRegex(TypeError, f"pumice.launcher has no option '{option}'.* {expected}"):
                pumice.launcher(self.add, **options, **{option: "c"})
        with self.assertRaisesRegex(pumice.CompileError, "the compiler failed with status 1"):
            pumice.launcher(self.add, "/bin/false", **options)
        for text, message in (("", "the compiler wrote no library, although it reported success"),
                              ('while [ "$1" != -o ]; do shift; done; echo text > "$2"', "the compiled launcher cannot be loaded")):
            compiler = self.place / "compiler"
            compiler.write_text(f"#!/bin/sh\n{text}\n")
            compiler.chmod(0o755)
            for _ in range(2):  # nothing is kept
                with self.assertRaisesRegex(pumice.CompileError, message):
                    pumice.launcher(self.add, compiler, **options)
        again = pumice.launcher(self.add, device="cpu", **options)
        self.assertEqual(again.library, pumice.launcher(self.add, device="cpu", **options).library)
        with self.assertRaisesRegex(TypeError, "its grid is not known"):
            again(x, x, x, 3)
        out = np.zeros_like(x)
        again[2](x, x, out, 100)
        np.testing.assert_array_equal(out, 2 * x)
        # A file that was cut short is compiled again: loading it could end the process.
        whole = again.library.read_bytes()
        for size in (0, 1000, len(whole) - 1):
            again.library.unlink()  # another file than the loaded one
            again.library.write_bytes(whole[:size])
            self.assertEqual(pumice.launcher(self.add, device="cpu", **options).library, again.library)
            self.assertGreater(again.library.stat().st_size, size)
        scalars = pumice.launcher(self.kernels.odd, signature="*fp32, *i64, *i32, u64, fp16, bf16, u1, i8", grid=(3,),
                                  device="cpu")
        floats, longs, count = np.zeros(3, np.float32), np.zeros(2, np.int64), np.zeros(1, np.int32)
        scalars(floats, longs, count, 2**64 - 1, 1 / 3, 1 / 3, True, -7)
        self.assertEqual([*floats, *longs, *count], [0.333251953125, 0.333984375, 1, -1, -7, 3])

    def test_launchers_take_tensors(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        for device in os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(","):
            add = pumice.launcher(self.add, device=device, constexprs={"BLOCK": 64}, signature="*fp32, *fp32, *fp32, i32",
                                  grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),))
            x, out = torch.arange(100.0, requires_grad=True), torch.zeros(10, 10)
            add(x, np.ones(100, np.float32), out, torch.tensor(100))
            torch.testing.assert_close(out.flatten(), x.detach() + 1, rtol=0, atol=0)
            add(x, x, out[1:], 5)  # a view begins where its elements do
            torch.testing.assert_close(out.flatten()[9:16], torch.tensor([10.0, 0, 2, 4, 6, 8, 16]), rtol=0, atol=0)
            with self.assertRaisesRegex(TypeError, "expected an array of f32, got one of float64"):
                add(x, x, out.double(), 100)
            with self.assertRaisesRegex(ValueError, "argument 'out': expected an array whose elements are adjacent"):
                add(x, x, out.t(), 100)
            with self.assertRaisesRegex(ValueError, "argument 'x': the tensor is on meta.*pass .cpu"):
                add(torch.empty(100, device="meta"), x, out, 100)

    def test_launchers_take_tensors_of_vk(self):
        try:
            import pumice.torch
            import torch
            torch.empty(1, device="vk:0")
        except (ImportError, RuntimeError) as error:
            self.skipTest(f"there is no vk: {error}")
        add = pumice.launcher(self.add, device=torch.vk.get_device_properties(0).id, constexprs={"BLOCK": 64},
                              signature="*fp32, *fp32, *fp32, i32", grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),))
        x, y, out = torch.arange(100.0, device="vk:0"), torch.ones(100), torch.zeros(100, device="vk:0")
        for _ in range(3):  # on the stream of the tensors, without a wait
            x.add_(1)
            add(x, y, out[10:], 50)
        self.assertEqual(out[9:12].cpu().tolist(), [0, 4, 5])
        add(x[:0], y, torch.empty(0, device="vk:0"), 0)
        with self.assertRaisesRegex(TypeError, "expected an array of f32, got one of bfloat16"):
            add(x, y, out.bfloat16(), 50)

    def test_wrong_targets(self):
        options = {"signature": "*fp32, *fp32, *fp32, i32", "constexprs": {"BLOCK": 64}}
        with self.assertRaisesRegex(ValueError, "'cuda:80:32' is a target of Triton's own back ends; expected one of Pumice"):
            pumice.export(self.add, self.place, targets=["cpu", "cuda:80:32"], **options)
        for wrong in ("nosuch", "cpu:0"):
            with self.assertRaisesRegex(pumice.NotFoundError, f"target 1: '{wrong}' is not the name of a target") as caught:
                pumice.export(self.add, self.place, targets=["cpu", wrong], **options)
            said = re.search("to see the error again: (.*)", str(caught.exception))
            done = subprocess.run(said[1], shell=True, capture_output=True, text=True)
            self.assertIn(f"target 1: '{wrong}' is not the name", done.stderr)
        pumice.export(self.add, self.place, targets=["device"], **options)

    def test_no_arguments(self):
        files = pumice.export(self.kernels.nothing, self.place, signature="", targets=["cpu"], language="c", beside=True)
        self.assertIn("nothing.pumice", [file.name for file in files])
        self.assertIn("const uint32_t groups[3])", (self.place / "nothing.h").read_text())

    def test_an_array_of_before(self):
        array, options = self.place / "nothing_data.cpp", {"signature": "", "targets": ["cpu"]}
        pumice.export(self.kernels.nothing, self.place, **options)
        pumice.export(self.kernels.nothing, self.place, beside=array.exists(), **options)
        self.assertFalse(array.exists())

    def test_constants_and_heuristics(self):
        pumice.export(self.add, self.place, signature="*fp32, *fp32, *fp32, i32", targets=["cpu"], language="c",
                      constexprs=[{"BLOCK": 64}, {"BLOCK": 128, "num_warps": 1}],
                      grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),))
        source = (self.place / "add.c").read_text()
        self.assertIn("int32_t n, int64_t BLOCK)", source)
        self.assertIn("if (BLOCK == 128)", source)
        # Triton's cdiv has different forms in different versions.
        self.assertRegex(source, r"\{floor_divide\(.*whole_sum\(\(int64_t\)n, 12[78], .*128, &problem\),\s+1,\s+1\}")
        pumice.export(self.kernels.even, self.place, signature="*fp32, *fp32, *fp32, i32", targets=["cpu"], language="c")
        self.assertIn("BLOCK=128", (self.place / "add.c").read_text())

    def test_an_autotuner(self):
        tuned, signature = self.kernels.tuned, "*fp32, *fp32, *fp32, i32"
        with self.assertRaisesRegex(ValueError, "its autotuner has no results: launch it"):
            pumice.export(tuned, self.place, signature=signature, targets=["cpu"])
        small, large = tuned.configs
        single, half = ("torch.float32",) * 3, ("torch.float16",) * 3
        tuned.cache = {(100, *single): small, (10000, *single): large, (None, *single): large, (100, *half): large}
        pumice.export(tuned, self.place, signature=signature, targets=["cpu"], language="c")
        source = (self.place / "add.c").read_text()
        self.assertIn("if ((int64_t)n <= 1000) {", source)
        self.assertLess(source.index("BLOCK=64"), source.index("BLOCK=256"))
        pumice.export(tuned, self.place, signature="*fp16, *fp16, *fp16, i32", targets=["cpu"], language="c")
        self.assertNotIn("BLOCK=64", (self.place / "add.c").read_text())
        for cache, said in (({(100, *half): small}, "which are f32, f32, f32; it has: f16, f16, f16. Launch the kernel with"),
                            ({(None, *single): small}, "has no results in which n are numbers: launch it"),
                            ({(0.5, *single): small}, "expected whole numbers as the keys of its autotuner, got n=0.5; pass")):
            tuned.cache = cache
            with self.assertRaisesRegex(ValueError, said):
                pumice.export(tuned, self.place, signature=signature, targets=["cpu"])

    def test_results_of_autotuners(self):
        """Results are chosen by the types of arrays, also if some arrays were passed by name."""
        tuned = triton.autotune(configs=self.kernels.tuned.configs, key=[])(self.kernels.three)
        small, large = tuned.configs
        for one, other, signature in ((("float32", "int8", "uint8"), ("float32", "uint8", "int8"), "*fp32, *i8, *u8"),
                                      (("torch.bfloat16", "bool", "f64"), ("bf16", "i32", "fp64"), "*bf16, *i1, *fp64"),
                                      (("u32", "float8_e5m2", "i64"), ("uint32",), "*fp8e5, *i64, *u32")):
            tuned.cache = {one: small, other: large}
            (kernel,) = planned(tuned, signature=signature, targets=["cpu"])[0]["kernels"]
            self.assertIn("BLOCK=64", kernel["specialisations"][0]["note"])

    def test_choices_that_are_never_used(self):
        for first in ({"BLOCK": 64}, ({"BLOCK": 64}, lambda n: True)):
            with self.assertRaisesRegex(ValueError, r"constexprs\[1\] is never used, since .*: put constexprs\[0\] last"):
                pumice.export(self.add, self.place, signature="*fp32, *fp32, *fp32, i32", targets=["cpu"],
                              constexprs=[first, ({"BLOCK": 128}, lambda n: n > 5)])

    def test_grids(self):
        n, m = Symbol("n"), Symbol("m")
        for grid, expected in ((lambda: n // 4 * m, ["*", ["//", "n", 4], "m"]),
                               (lambda: min(n, 7, m), ["min", ["min", "n", 7], "m"]),
                               (lambda: math.ceil(n / 4), ["neg", ["//", ["neg", "n"], 4]]),
                               (lambda: int(n / 4), ["/", "n", 4]),
                               (lambda: (n > 4) & (m < 3), ["and", [">", "n", 4], ["<", "m", 3]]),
                               (lambda: 8 - n % 3, ["-", 8, ["%", "n", 3]]),
                               (lambda: max(2, 3), 3)):
            self.assertEqual(expression_of(trace(grid)), expected)
        for grid, said in ((lambda: 1 if n > 3 else 2, "decides by the value"), (lambda: n.shape, "uses .shape"),
                           (lambda: n + 0.5, "0.5"), (lambda: [1, 2][n], "needs the value"), (lambda: 1 // 0, "division"),
                           (lambda: n + (1 << 70), "more than 64 bits"), (lambda: n / 3, "write // or triton.cdiv"),
                           (lambda: len("x") + int(str(n)), "invalid literal .* 'n'")):
            with self.assertRaisesRegex(Untraceable, said):
                expression_of(trace(grid))
        x = Symbol("x", is_float=True)
        self.assertEqual(expression_of(trace(lambda: -x * 3 + n > 1)), [">", ["+", ["*", ["neg", "x"], 3], "n"], 1])
        for grid, said in ((lambda: int(x), "makes a whole number of a float"), (lambda: x % 2, "computes % of a float"),
                           (lambda: min(x, n), "computes min of a float"), (lambda: n // x, "computes // of a float")):
            with self.assertRaisesRegex(Untraceable, said):
                expression_of(trace(grid))
        with self.assertWarnsRegex(UserWarning, "kernel 'add': the grid is not arithmetic"):
            pumice.export(self.add, self.place, signature="*fp32, *fp32, *fp32, i32, 64", targets=["cpu"],
                          grid=lambda meta: (1 if meta["n"] < 5 else 2,))
        self.assertIn("std::array<uint32_t, 3> groups", (self.place / "add.hpp").read_text())

    def test_errors(self):
        good = {"signature": "*fp32, *fp32, *fp32, i32, 64", "targets": ["cpu"]}
        for change, said in (({"signature": None}, r"expected a signature, such as '\*fp32:16"),
                             ({"targets": None}, "expected targets"), ({"targets": []}, "targets are empty"),
                             ({"targets": [3]}, "targets: expected names"),
                             ({"signature": "*fp32"}, "has 1 types, but the kernel takes 5"),
                             ({"signature": "*fp32, *fp32, *fp32, f33, 64"}, "argument 'n': expected a type such as"),
                             ({"signature": "*fp32, *fp32, *fp32, i32:8, 64"}, "expected the hint :16"),
                             ({"signature": "*fp32, *fp32, *fp32, (i32, 64"}, r"expected '\)' at the end of '\(i32, 64'"),
                             ({"signature": "*fp32, *fp32, (f33, i32), i32, 64"}, "argument 'out': expected a type such as"),
                             ({"signature": "*fp32, *fp32, tensordesc<fp32>, i32, 64"}, "expected a descriptor such as"),
                             ({"signature": "*fp32, *fp32, *fp32, i32, (i32,)"}, "'BLOCK' is a constant of the kernel"),
                             ({"signature": {"x": "*fp32"}}, "lacks y, out, n"),
                             ({"signature": ["*fp32, *fp32, *fp32, i32, 64", "*fp32, *fp32, *fp32, i64, 64"]},
                              "'n' is i32 in one signature and i64"),
                             ({"signature": "*fp32, *fp32, *fp32, i32"}, "expected values for the constants BLOCK"),
                             ({"constexprs": {"TILE": 3}}, "constexprs name TILE"),
                             ({"constexprs": [3]}, r"constexprs\[0\]: expected a dictionary"),
                             ({"grid": (1, 2, 3, 4)}, "expected a grid of 1 to 3 numbers, got 4"),
                             ({"language": "rust"}, "expected 'c' or 'c\\+\\+'")):
            with self.assertRaisesRegex((ValueError, TypeError), said), warnings.catch_warnings():
                pumice.export(self.add, self.place / "x", **{**good, **change})
        with self.assertRaisesRegex(TypeError, "expected a Triton kernel"):
            pumice.export(len, self.place, **good)
        with self.assertRaises(OSError):
            pumice.export(self.add, "/proc/self/none", **good)
        self.assertFalse((self.place / "x").exists())
        (self.place / "CMakeLists.txt").write_text("project(mine)")
        with self.assertRaisesRegex(FileExistsError, "CMakeLists.txt' exists, and no export made it"):
            pumice.export(self.add, self.place, **good)
        self.assertFalse((self.place / "add.cpp").exists())

    def test_the_commands(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            for types in ("*fp32:16, *fp32:16, *fp32:16, i32:16, 64", "*fp32, *fp32, *fp32, i32, 64"):
                self.assertEqual(compile_tool.main([str(self.place / "kernels_to_export.py"), "-n", "add", "-s", types, "-g",
                                                    "cdiv(n, 64), 1, 1", "-o", str(self.place / "add")]), 0)
            parts = [str(part) for part in self.place.glob("add.*.json")]
            self.assertEqual(link_tool.main([*parts, "-o", str(self.place / "linked"), "--language", "c"]), 0)
            self.assertEqual(link_tool.main([str(self.place / "kernels_to_export.py"), "-o", str(self.place)]), 1)
            pathlib.Path(parts[0]).with_suffix(".pumice").unlink()
            self.assertEqual(link_tool.main([parts[0], "-o", str(self.place)]), 1)
            self.assertEqual(compile_tool.main([str(self.place / "kernels_to_export.py"), "-n", "add", "-s",
                                                "*fp32, *fp32, *fp32, i32, 64", "-g", "n, max(m, 1), 1"]), 1)
            self.assertEqual(compile_tool.main(["none.py", "-n", "add", "-s", "i32", "-g", "1,1,1"]), 1)
            self.assertEqual(compile_tool.main(["none.py", "-n", "add", "-s", "i32", "-g", "f(n),1,1"]), 1)
        self.assertIn("is not a file of pumice.tools.compile", said.getvalue())
        self.assertRegex(said.getvalue(), r"expected the compiled kernel in '.*pumice', which is missing: keep both files")
        self.assertIn("there is no file 'none.py'", said.getvalue())
        self.assertIn("'m' is not an argument that the launcher takes: x, y, out, n", said.getvalue())
        self.assertIn("got 'f(n)'", said.getvalue())
        self.assertIn("is_aligned(&all[0], 16)", (self.place / "linked" / "linked.c").read_text())

    def test_errors_of_compile(self):
        """A grid of pointers, and a kernel that Triton rejects, are errors of one line."""
        for kernel, signature, grid, expected in (
                ("add", "*fp32, *fp32, *fp32, i32, 64", "cdiv(x, 64), 1, 1",
                 "--grid: expected whole numbers, got the pointer 'x'; use integer arguments: n"),
                ("odd", "*fp32, *i64, *i32, i64, fp16, bf16, i1, i8", "half, 1, 1",
                 "got the floating-point argument 'half'; use integer arguments: big, flag, byte"),
                ("add", "*fp32, *fp32, *fp32, fp32, 64", "1, 1, n", "write numbers, since no argument is one"),
                ("add", "*fp32, *fp32, *fp32, i32, 100", "n, 1, 1",
                 r"kernel 'add': arange's range must be a power of 2 \(at .*kernels_to_export.py:8, in add\)"),
                ("calls", "*fp32, 100", "1, 1, 1",
                 r"kernel 'calls': arange's range must be a power of 2 \(at .*kernels_to_export.py:\d+, in inner\)")):
            said = io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                self.assertEqual(compile_tool.main([str(self.place / "kernels_to_export.py"), "-n", kernel, "-s", signature,
                                                    "-g", grid, "-o", str(self.place / "wrong")]), 1)
            self.assertRegex(said.getvalue(), rf"^pumice.tools.compile: error: .*{expected}\n$")
            self.assertEqual(said.getvalue().count("\n"), 1, said.getvalue())

    def test_files_of_the_commands(self):
        """Kernels have files of their own, and no specialisation hides another one."""
        said, script = io.StringIO(), str(self.place / "kernels_to_export.py")
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            for kernel, types, out, target in (("nothing", "", "all", "cpu"), ("grids", "i64, i64, 1", "all", "cpu"),
                                               ("grids", "i64, i64, 1", "other", "rdna3")):
                self.assertEqual(compile_tool.main([script, "-n", kernel, "-s", types, "-g", "1, 1, 1", "-t", target,
                                                    "-o", str(self.place / out)]), 0)
            files = sorted(self.place.glob("all.*.json"))
            self.assertEqual(len(files), 2)
            self.assertEqual(link_tool.main([*map(str, files), "-o", str(self.place / "both")]), 0)
            again = self.place.glob("other.*.json")
            self.assertEqual(link_tool.main([*map(str, files), *map(str, again), "-o", str(self.place / "both")]), 1)
        self.assertRegex(said.getvalue(), r"other\.\w+\.json' and '.*all\.\w+\.json' are for the same arguments and constants")

    def test_configurations(self):
        """Specialisations that differ in constants or warps are the caller's choice."""
        said = io.StringIO()
        parts = []
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            for block, warps, align in ((64, 1, ""), (64, 1, ":16"), (128, 4, "")):
                self.assertEqual(compile_tool.main([
                    str(self.place / "kernels_to_export.py"), "-n", "add", "-s", f"*fp32{align}, *fp32, *fp32, i32, {block}",
                    "-w", str(warps), "-g", f"cdiv(n, {block}), 1, 1", "-o", str(self.place / "tuned")]), 0)
                parts.append(said.getvalue().splitlines()[-2])
            self.assertEqual(link_tool.main([*parts, "-o", str(self.place / "several")]), 0)
            self.assertEqual(compile_tool.main([str(self.place / "kernels_to_export.py"), "-n", "add", "-s",
                                                "*fp32, *fp32, *fp32, i32, 64", "-g", "n, 1, 1", "-o", "/proc/x/add"]), 1)
        self.assertIn("cannot write '/proc/x/add.", said.getvalue())
        header = (self.place / "several" / "several.hpp").read_text()
        self.assertIn("int32_t n, int64_t algo_id)", header)
        self.assertIn("`algo_id`: 0 has BLOCK=64, num_warps=1, num_stages=3; 1 has BLOCK=128, num_warps=4", header)
        source = (self.place / "several" / "several.cpp").read_text()
        self.assertLess(source.index("(algo_id == 0) && is_aligned"), source.index("if (algo_id == 0) {"))
        self.assertIn("if (algo_id == 1) {", source)

    def test_an_argument_with_the_name_of_the_choice(self):
        """An argument `algo_id` must not hide the parameter that chooses among configurations."""
        said, parts = io.StringIO(), []
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            for block in (16, 32):
                self.assertEqual(compile_tool.main([str(self.place / "kernels_to_export.py"), "-n", "chosen", "-s",
                                                    f"i32, *i32, {block}", "-g", "1, 1, 1", "-o", str(self.place / "chosen")]), 0)
                parts.append(said.getvalue().splitlines()[-2])
            self.assertEqual(link_tool.main([parts[0], "-o", str(self.place / "one")]), 0)
            self.assertEqual(link_tool.main([*parts, "-o", str(self.place / "both")]), 1)
        self.assertIn("int32_t algo_id", (self.place / "one" / "one.hpp").read_text())
        self.assertIn("kernel 'chosen' has an argument 'algo_id', but the launcher chooses among the 2 configurations by a "
                      "parameter of this name: rename the argument, or compile each", said.getvalue())


if __name__ == "__main__":
    unittest.main()
