"""Packs a network with its compiled operators, and runs it in a process that compiles nothing."""
import os
import subprocess
import sys
import tempfile

import torch

import pumice.torch


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 2)).to("vk").eval()


if len(sys.argv) == 1:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "network.pack")
        about = pumice.torch.pack(network(), (torch.randn(64, 16),), path, targets=["rdna3"])
        print(f"{about['plans']} plans for {', '.join(target['name'] for target in about['targets'])}", flush=True)
        subprocess.run([sys.executable, __file__, path], env=os.environ | {"PUMICE_CACHE_DIR": folder}, check=True)
else:
    pumice.torch.load_pack(sys.argv[1])
    with torch.no_grad():
        results = network()(torch.randn(96, 16).to("vk")).cpu()
    print(f"{len(results)} results, {torch.vk.compilations()} compiled plans")
