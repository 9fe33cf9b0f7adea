"""Announces "vk" to PyTorch. It opens no device and imports nothing large, since every `import torch` runs it."""
from __future__ import annotations


def announce() -> None:
    """Makes the device "vk" known, if there is a library for this PyTorch.

    Raises:
        OSError: If the library cannot be loaded.
        RuntimeError: If another package has made its own device known.
    """
    import os
    import sys

    import torch

    from . import library
    if library.load() is None:
        return
    torch.utils.rename_privateuse1_backend("vk")
    from . import amp, distributed, exchange, inductor, module, scaling, templates
    from .plans import hook
    torch._register_device_module("vk", module)
    setattr(module, "amp", amp)  # noqa: B010
    sys.modules["torch.vk.amp"] = amp
    inductor.arrange()
    templates.arrange()
    exchange.arrange()
    scaling.arrange()
    hook.connect()
    distributed.announce()
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    if os.environ.get("PUMICE_VK_COMPARE", "0") not in ("", "0"):
        from . import comparing
        comparing.begin()
