"""A first kernel: adds two vectors, and compares the sum with PyTorch's."""
import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


x, y = torch.rand(100_000), torch.rand(100_000)
out = torch.empty_like(x)
add[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)

assert torch.equal(out, x + y)
print(f"{x.numel()} sums are right on {triton.runtime.driver.active.get_current_target().backend}")
