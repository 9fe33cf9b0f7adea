"""Packages of AOTInductor whose kernels are Pumice's (docs/ship.md), and the errors of what they cannot hold."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

_folder = tempfile.TemporaryDirectory()  # an empty cache, so that no kernel comes from other runs
os.environ.update(TRITON_CACHE_DIR=_folder.name, TORCHINDUCTOR_CACHE_DIR=_folder.name,
                  TORCHINDUCTOR_COMPILE_THREADS="1")

try:
    import torch
    import triton
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import torch._inductor.config
import triton.language as tl
from pumice_triton import aoti
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@triton.jit
def multiply(x, out, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, factor * tl.load(x + at, at < n), at < n)


@torch.library.triton_op("pumice_test::multiplied", mutates_args={})
def multiplied(x: torch.Tensor, factor: float) -> torch.Tensor:
    out = torch.empty_like(x)
    torch.library.wrap_triton(multiply)[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), factor, BLOCK=64)
    return out


class Model(nn.Module):
    """A perceptron, a 0-dimensional argument, and a kernel of the user."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, 48), nn.GELU(), nn.LayerNorm(48), nn.Linear(48, 8))

    def forward(self, x, scale, half):
        y = self.layers(x) * scale + half
        return multiplied(y, 0.5).softmax(-1)


class Packages(unittest.TestCase):
    def test_a_model_of_any_batch(self):
        """Grids follow the batch's size. Each kernel is a file, and all share one launcher."""
        torch.manual_seed(0)
        model = Model().eval()

        def inputs(batch):
            return torch.randn(batch, 16), torch.tensor(1.1, dtype=torch.float64), torch.tensor(2.5, dtype=torch.float16)

        with torch.no_grad(), torch._inductor.config.patch(
                {"cpu_backend": "triton", "cpp_cache_precompile_headers": False, "aot_inductor.compile_wrapper_opt_level": "O0"}):
            exported = torch.export.export(model, inputs(3), dynamic_shapes=({0: torch.export.Dim("batch", max=4096)}, None, None))
            path = torch._inductor.aoti_compile_and_package(exported, package_path=os.path.join(_folder.name, "model.pt2"))
        package = torch._inductor.aoti_load_package(path)
        for batch in (2, 3, 100, 1000):
            given = inputs(batch)
            torch.testing.assert_close(package(*given), model(*given), atol=1e-5, rtol=1e-5)
        with zipfile.ZipFile(path) as archive:
            files = [archive.read(name) for name in archive.namelist() if name.endswith(".so")]
        kernels = [data for data in files if b"PMICEKN1" in data]
        self.assertGreaterEqual(len([data for data in kernels if data != aoti.launcher_object()]), 3)
        self.assertEqual(files.count(aoti.launcher_object()), 1)

    def test_models_of_the_examples(self):
        """The program in C++ runs a transformer block and a convolutional network. Documents run the perceptron."""
        examples, folder = ROOT / "examples/export", pathlib.Path(_folder.name)
        done = subprocess.run([sys.executable, examples / "models.py", folder, "block", "convolutional"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        library = pathlib.Path(torch.__file__).parent
        compilers = [found for found in map(shutil.which, ("g++", "clang++-22")) if found]
        self.assertTrue(compilers, "there is neither g++ nor clang++-22")
        for compiler in compilers:
            program = folder / "run-model"
            done = subprocess.run([compiler, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", examples / "model.cpp", "-isystem",
                                   library / "include", f"-L{library / 'lib'}", "-ltorch", "-ltorch_cpu", "-lc10",
                                   f"-Wl,-rpath,{library / 'lib'}", "-o", program], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name, shape, count in (("block", "2x128x256", 65536), ("convolutional", "8x3x32x32", 80)):
                done = subprocess.run([program, folder / f"{name}.input", shape, folder / f"{name}.output", folder / f"{name}.pt2"],
                                      capture_output=True, text=True)
                self.assertEqual(done.stdout, f"{count} values, the largest error is below 0.0001\n", done.stderr)

    def test_arguments_that_pytorch_cannot_pass(self):
        for kind in ("fp16", "bf16", ("*fp32", "i32"), "tensordesc<fp32[4, 16]>"):
            with self.subTest(kind=kind), self.assertRaisesRegex(NotImplementedError, "kernel 'k': its parameter 'y' has the type"):
                aoti.kernel_object("k", {"x": "*fp32", "y": kind}, b"")

    def test_a_build_without_the_launcher(self):
        name, aoti._LAUNCHER = aoti._LAUNCHER, "libmissing.so"
        aoti.launcher_object.cache_clear()
        self.addCleanup(lambda: (setattr(aoti, "_LAUNCHER", name), aoti.launcher_object.cache_clear()))
        with self.assertRaisesRegex(RuntimeError, "need libmissing.so, which cannot be read: .*; install the wheel"):
            aoti.launcher_object()

    def test_a_compiler_that_fails(self):
        compiler, aoti._compiler = aoti._compiler, lambda: "false"
        self.addCleanup(lambda: setattr(aoti, "_compiler", compiler))
        with self.assertRaisesRegex(RuntimeError, "kernel 'k': the compiler failed with status 1: false -shared"):
            aoti.kernel_object("k", {"x": "*fp32"}, b"")


if __name__ == "__main__":
    unittest.main()
