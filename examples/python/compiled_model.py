"""Compiles a transformer's layer with torch.compile on the CPU device: inductor generates Triton kernels.

    python compiled_model.py [--width 64]
"""
import argparse
import copy

try:
    import torch
except ImportError:
    print("the layer and its gradients: not tried, there is no torch")
    raise SystemExit(0)

import torch._inductor.config
import triton

options = argparse.ArgumentParser()
options.add_argument("--width", type=int, default=64, help="a multiple of 4")
width = options.parse_args().width

torch._inductor.config.cpu_backend = "triton"  # nothing else is needed

torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(width, 4, 2 * width, dropout=0.0, batch_first=True)
eager = copy.deepcopy(layer)
x = torch.randn(2, 17, width)

out, expected = torch.compile(layer)(x), eager(x)
out.square().sum().backward()
expected.square().sum().backward()

pairs = [(out, expected)] + [(one.grad, other.grad) for one, other in zip(layer.parameters(), eager.parameters())]
right = all(torch.allclose(one, other, rtol=1e-3, atol=1e-3) for one, other in pairs)
print(f"the layer and its gradients: {'right' if right else 'wrong'} on",
      triton.runtime.driver.active.get_current_target().arch)
raise SystemExit(not right)
