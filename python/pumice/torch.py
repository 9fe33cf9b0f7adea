"""Pumice's functions for PyTorch in addition to kernels: see docs/pytorch.md and docs/vk.md. Importing this module imports torch.

    >>> import pumice.torch
    >>> pumice.torch.use_cpu_for_cuda()
    >>> torch.zeros(2, device="cuda").is_cuda
    True
"""
from pumice_torch.cuda_scripts import use_cpu_for_cuda
from pumice_torch.vk.packing import pack
from pumice_torch.vk.packs import load_pack

__all__ = ["load_pack", "pack", "use_cpu_for_cuda"]
