"""Runs scripts written for device "cuda" on PyTorch's host tensors: a compatibility aid.

Every tensor stays a CPU tensor. PyTorch's answers to code outside of PyTorch change:

    asking.py      who asks (PyTorch's own code gets the truth), and which tensors a script made on the CPU
    tensors.py     Tensor.device, .is_cuda, .to, .cuda, .cpu and so on
    factories.py   functions that take `device`, default devices, generators, files
    interface.py   torch.cuda: devices, properties, memory, random numbers
    streams.py     torch.cuda's streams, events and contexts
    autocast.py    torch.autocast and GradScaler
    products.py    cuBLAS, as Triton binds it
    profiler.py    proton, Triton's profiler
    norms.py       sums that CUDA computes more exactly than the CPU
    registration.py  operators that libraries register for "cuda"
    absent.py      what is missing: graphs, CUDA's runtime library, a GPU's rates
"""
from __future__ import annotations

import threading

ARCHITECTURE = 80  # the architecture of Triton's target, for a script that asks

_lock = threading.Lock()
_active = False


def is_active() -> bool:
    """Returns whether `use_cpu_for_cuda` is in effect. Triton's drivers ask this."""
    return _active


def is_asked_by_script() -> bool:
    """Returns whether a script or a library calls the function that calls this one."""
    from .asking import is_outsider
    return is_outsider(3)


def use_cpu_for_cuda() -> None:
    """Makes scripts for device "cuda" run on the host's tensors, from now to the end of the process.

    Call it before other packages look at torch.cuda, or set PUMICE_CPU_FOR_CUDA=1, which makes `import torch` call it.
    A second call does nothing.

    Raises:
        RuntimeError: If PyTorch has a CUDA device that works.
    """
    global _active
    import torch
    with _lock:
        if _active:
            return
        if torch.cuda.is_available():
            raise RuntimeError("expected no CUDA device, but PyTorch has one that works: run the script without "
                               "use_cpu_for_cuda, or hide the device with CUDA_VISIBLE_DEVICES=''")
        from . import absent, autocast, factories, interface, norms, products, profiler, registration, streams, tensors
        for part in (tensors, factories, interface, streams, autocast, registration, products, norms, profiler, absent):
            part.install()
        _active = True
