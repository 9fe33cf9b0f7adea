"""Calls a libdevice function: Triton finds the library, or gets its path."""
import inspect
import os
from pathlib import Path

import torch

import triton
import triton.language as tl
from triton.language.extra import libdevice

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def asin_kernel(x_ptr, y_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, libdevice.asin(x), mask=mask)


torch.manual_seed(0)
size = 98432
x = torch.rand(size, device=DEVICE)
output_triton = torch.zeros(size, device=DEVICE)
output_torch = torch.asin(x)
assert x.is_cuda and output_triton.is_cuda
n_elements = output_torch.numel()
grid = lambda meta: (triton.cdiv(n_elements, meta["BLOCK_SIZE"]),)  # noqa: E731
asin_kernel[grid](x, output_triton, n_elements, BLOCK_SIZE=1024)
print(output_torch, output_triton)
assert torch.allclose(output_torch, output_triton, atol=1e-6)


def is_cuda():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


def is_hip():
    return triton.runtime.driver.active.get_current_target().backend == "hip"


current_dir = Path(os.path.abspath(inspect.getfile(triton))).parent
if is_cuda():
    extern_libs = {"libdevice": str(current_dir / "backends/nvidia/lib/libdevice.10.bc")}
elif is_hip():
    extern_libs = {name: str(current_dir / f"backends/amd/lib/{name}.bc") for name in ("ocml", "ockl")}
else:
    raise RuntimeError("unknown backend")
output_triton = torch.empty_like(x)
asin_kernel[grid](x, output_triton, n_elements, BLOCK_SIZE=1024, extern_libs=extern_libs)
print(f"The maximum difference between torch and triton is {torch.max(torch.abs(output_torch - output_triton))}")
assert torch.allclose(output_torch, output_triton, atol=1e-6)
