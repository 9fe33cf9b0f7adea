"""A script written for device "cuda". It runs unchanged: PUMICE_CPU_FOR_CUDA=1 python cuda_script.py"""
import torch
import triton
import triton.language as tl


@triton.jit
def count(values, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.atomic_add(bins + tl.load(values + i, mask=mask, other=0), 1, mask=mask)


assert torch.cuda.is_available()
values = torch.randint(0, 64, (100_000,), device="cuda", dtype=torch.int32)
bins = torch.zeros(64, device="cuda", dtype=torch.int32)
begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

begin.record()
count[(triton.cdiv(len(values), 1024),)](values, bins, len(values), BLOCK=1024)
end.record()
torch.cuda.synchronize()

assert bins.is_cuda and torch.equal(bins, torch.bincount(values, minlength=64).to(torch.int32))
print(f"64 bins on {bins.device}, {torch.cuda.get_device_name()}: right, in {begin.elapsed_time(end):.1f} ms")
