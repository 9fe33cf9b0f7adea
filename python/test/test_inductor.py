"""torch.compile through Triton's back end `cpu`: PyTorch's inductor writes the kernels."""
import os
import sys
import tempfile
import unittest

_folder = tempfile.TemporaryDirectory()  # nothing is taken over from other runs
os.environ.update(TRITON_CACHE_DIR=_folder.name, TORCHINDUCTOR_CACHE_DIR=_folder.name,
                  TORCHINDUCTOR_COMPILE_THREADS="1")

try:
    import torch
    import triton
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import torch._inductor.config
import torch.nn.functional as functional

torch._inductor.config.cpu_backend = "triton"


class Compiled(unittest.TestCase):
    def check(self, function, *inputs):
        """Forward and backward agree with eager."""
        mine = [each.clone().requires_grad_(each.is_floating_point()) for each in inputs]
        theirs = [each.clone().requires_grad_(each.is_floating_point()) for each in inputs]
        out, expected = torch.compile(function)(*mine), function(*theirs)
        torch.testing.assert_close(out, expected, atol=1e-5, rtol=1e-4)
        out.sum().backward()
        expected.sum().backward()
        for one, other in zip(mine, theirs):
            torch.testing.assert_close(one.grad, other.grad, atol=1e-4, rtol=1e-3)

    def test_the_driver_is_ours(self):
        torch.compile(lambda x: x.sin() + 1)(torch.rand(100))
        self.assertEqual(type(triton.runtime.driver.active).__module__, "pumice_triton.cpu.driver")

    def test_layer_norm_gelu_and_softmax(self):
        def function(x, weight, bias, projection):
            x = functional.layer_norm(x, (64,), weight, bias)
            return torch.softmax(functional.gelu(x @ projection), -1)[:, :16]

        self.check(function, torch.randn(8, 64), torch.rand(64), torch.rand(64),
                   torch.randn(64, 32) / 8)

    def test_reductions_and_indices(self):
        order = torch.tensor([3, 1, 0])

        def function(x):
            return x[order].tanh().mean(1) * x.amax() + x.var()

        self.check(function, torch.randn(5, 33))


if __name__ == "__main__":
    unittest.main()
