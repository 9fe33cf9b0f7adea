"""Tests an installed wheel on a bare system; tools/try-wheel.sh runs this in a bare root.

The wheel must use its own libraries. Triton kernels must run on NumPy's arrays and torch's tensors. torch.device("vk")
must work without a compiler. A broken library must not disable the user's Triton.
"""
import pathlib
import subprocess
import sys

import numpy
import pumice
import triton
import triton.language as tl

try:
    import torch
except ImportError:
    torch = None


@triton.jit
def double(out, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def run_kernel():
    made = [("NumPy", numpy.arange(1000, dtype=numpy.float32), numpy.zeros(1000, numpy.float32))]
    if torch:
        made.append(("torch", torch.arange(1000, dtype=torch.float32), torch.zeros(1000)))
    for name, x, out in made:
        double[(triton.cdiv(1000, 256),)](out, x, 1000, BLOCK=256)
        assert (out == x * 2).all(), name
        print(f"a Triton kernel is right with {name}")


def compute_on_vk():
    """Computes a gradient on torch's device vk, with the wheel's library for this version of PyTorch."""
    assert hasattr(torch, "vk"), f"the wheel has no library of vk for PyTorch {torch.__version__}"
    x = torch.arange(1000, dtype=torch.float32, device="vk", requires_grad=True)
    (x * x).sum().backward()
    assert torch.equal(x.grad.cpu(), 2 * torch.arange(1000, dtype=torch.float32))
    assert not torch.vk.fallbacks(), torch.vk.fallbacks()
    print(f"a gradient is right with torch's device vk on {torch.vk.get_device_name()}")


def look_at_libraries():
    """Prints the libraries in use, and checks that they are the wheel's own or a few of the system."""
    folder = pathlib.Path(pumice.__file__).resolve().parent
    maps = {line.split(maxsplit=5)[5].strip() for line in open("/proc/self/maps")
            if line.count("/") and ".so" in line}
    ours = sorted(pathlib.Path(path).name for path in maps
                  if path.startswith((f"{folder}/", f"{folder}.libs/")))
    print("of the wheel:", ", ".join(ours))
    assert any(name.startswith("libpumice-compiler") for name in ours), "no compiler was loaded"
    for part in ("libLLVM", "libvulkan", "libMLIR"):
        assert not any(f"/{part}" in path for path in maps), part
    assert all(f"{folder}.libs/" in path for path in maps if "/libzstd" in path), "the system's zstd"
    return [folder / "lib/libpumice.so.1", folder / "lib/libpumice-compiler.so",
            next(folder.glob("_native*.so"))]


def break_each(libraries):
    for library in libraries:
        whole = library.with_suffix(".whole")
        library.rename(whole)
        try:
            library.write_text("no library\n")
            subprocess.run([sys.executable, "-c", "import triton, triton.language"], check=True)
        finally:
            whole.replace(library)
        print(f"Triton can be imported next to a broken {library.name}")


run_kernel()
if torch:
    compute_on_vk()
break_each(look_at_libraries())
