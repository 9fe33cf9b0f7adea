"""torch.vk.comparing(): operators of PyTorch's device "vk" that are repeated on the CPU.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_comparing.py

Every test runs on each device of PUMICE_TEST_DEVICES.
"""
import os
import subprocess
import sys
import unittest

from vk_testing import network, on_each_device

import torch

F = torch.nn.functional
WRONG = """
import torch
library = torch.library.Library("aten", "IMPL")
library.impl("erfc", lambda x: x * 0.5, "PrivateUse1")
library.impl("sin_", lambda x: x.copy_(x + 1), "PrivateUse1")
x = torch.ones(2, 3, device="vk")
"""


def run(script, **variables):
    """Runs a script with operators that are wrong, and returns its errors and warnings."""
    done = subprocess.run([sys.executable, "-c", WRONG + script], env={**os.environ, **variables}, capture_output=True, text=True)
    return done.returncode, done.stderr


class Comparing(unittest.TestCase):
    @on_each_device
    def test_right_operators(self, vk):
        model = network().to(vk)
        optimizer = torch.optim.AdamW(model.parameters())
        with torch.vk.comparing() as compared:
            loss = F.cross_entropy(model(torch.randn(4, 1, 8, 8, device=vk)), torch.tensor([0, 1, 2, 3], device=vk))
            loss.backward()
            optimizer.step()
            x = torch.randn(6, 4, device=vk)
            x.t()[1].add_(1)
            x[x > 0] = 2
            x.flatten().sort()
            q = torch.randn(1, 2, 16, 8, device=vk)
            F.scaled_dot_product_attention(q, q, q, is_causal=True)
        for name in ("convolution.default", "convolution_backward", "native_layer_norm", "add_.Tensor", "sort",
                     "_scaled_dot_product_fused_attention_overrideable"):
            self.assertTrue(any(name in one for one in compared.compared), (name, compared.compared, compared.skipped))
        self.assertIn("aten.randn.default", compared.skipped)

    def test_wrong_operators(self):
        status, said = run("with torch.vk.comparing(): x.erfc()")
        self.assertNotEqual(status, 0)
        self.assertRegex(said, r"Mismatch: aten\.erfc\.default on vk differs from the CPU: 6 of 6 elements; at \(0, 0\) it is 0\.5, "
                               r"expected 0\.157\d*\. Its arguments are float32\[2, 3\]")
        status, said = run("x.t().sin_()", PUMICE_VK_COMPARE="1")
        self.assertNotEqual(status, 0)
        self.assertRegex(said, r"aten\.sin_\.default .*it is 2\.0, expected 0\.84\d*.* float32\[3, 2\] with strides \[1, 3\]")

    def test_warnings(self):
        status, said = run("x.erfc()\nx.erfc()", PUMICE_VK_COMPARE="warn")
        self.assertEqual(status, 0, said)
        self.assertIn("aten.erfc.default on vk differs from the CPU", said)
        status, said = run("x.erfc()", PUMICE_VK_COMPARE="yes")
        self.assertEqual(status, 0, said)
        self.assertIn("PUMICE_VK_COMPARE is 'yes'; expected 0, 1, 'raise' or 'warn'", said)
        with self.assertRaisesRegex(ValueError, "expected one of 'raise', 'warn' as the action, got 'print'"):
            torch.vk.comparing("print")


if __name__ == "__main__":
    unittest.main()
