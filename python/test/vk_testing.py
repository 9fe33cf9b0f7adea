"""What tests of PyTorch's device "vk" have in common: their devices, and how a test runs on each of them.

Import it before torch, which reads these variables of the environment. If there is no vk, the test is skipped.
"""
import os
import sys

DEVICES = os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(",")
os.environ |= {"PUMICE_VK": "1", "PUMICE_VK_DEVICES": ",".join(DEVICES)}

try:
    import torch
    import triton  # plans are compiled by it
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not hasattr(torch, "vk"):
    print("skipped: there is no library of vk for this PyTorch")
    sys.exit(77)


def on_each_device(test):
    """Runs a test once for each device, which is also the current one. The test gets it as an argument."""
    def run(self):
        for index, name in enumerate(DEVICES):
            with self.subTest(device=name), torch.vk.device(index):
                test(self, torch.device("vk", index))
    return run


def network():
    """Returns a small network with the same parameters each time."""
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3, padding=1, bias=False), torch.nn.BatchNorm2d(4), torch.nn.ReLU(),
                               torch.nn.Flatten(), torch.nn.Linear(256, 16), torch.nn.GELU(), torch.nn.LayerNorm(16),
                               torch.nn.Linear(16, 5))
