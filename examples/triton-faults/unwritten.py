"""The sum starts from the uninitialized memory of `torch.empty`."""
import torch
import triton
import triton.language as tl

import pumice


@triton.jit
def add_to(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(out + i) + tl.load(x + i))


with pumice.check(raises=False) as report:
    add_to[(1,)](torch.ones(256), torch.empty(256), BLOCK=256)
print(report)
for finding in report.findings:
    print(finding.kind, finding.line, finding.argument, finding.program, finding.times)
