"""Gives inductor's templates of products, convolutions and attention their configurations for "vk".

Inductor has lists of tiles for the devices that it knows. Under "max-autotune" it compiles a template with each of
them, times the results, and keeps the fastest. Flex attention has no other way than its template.
"""
from __future__ import annotations

from types import ModuleType
from typing import Any

import torch
from pumice_hooks import after_import

from . import module as vk

# Tiles of products: rows, columns and depth of a tile, stages, warps. A GPU has at least 32 KiB of workgroup memory.
_GPU_PRODUCTS = ((32, 32, 32, 1, 2), (64, 32, 32, 2, 4), (32, 64, 32, 2, 4), (64, 64, 32, 2, 4), (64, 128, 32, 2, 4),
                 (128, 64, 32, 2, 4), (128, 128, 32, 2, 8), (128, 256, 16, 2, 8), (16, 64, 64, 1, 2))
_CPU_PRODUCTS = ((16, 32, 32, 1, 1), (32, 32, 32, 1, 1), (32, 64, 32, 1, 1), (64, 64, 16, 1, 1), (4, 64, 64, 1, 1))


def arrange() -> None:
    """Arranges that inductor has the configurations once it is imported."""
    after_import("torch._inductor.template_heuristics.triton", _register)
    after_import("torch._inductor.choices", _patch_choices)
    after_import("torch._inductor.utils", _patch_utils)
    after_import("torch._inductor.kernel.flex.flex_decoding", _patch_decoding)
    after_import("torch.nn.attention.flex_attention", _patch_flex_attention)


def _is_cpu() -> bool:
    """Returns whether the device runs a program's lanes on one core, as lavapipe does, too."""
    return vk.get_device_properties().kind == "cpu"


def _register(heuristics: ModuleType) -> None:
    base: Any = heuristics.BaseConfigHeuristic

    class VkConfigHeuristic(base):
        """Lists the tiles that are tried."""

        def __init__(self) -> None:
            super().__init__()
            tiles = _CPU_PRODUCTS if _is_cpu() else _GPU_PRODUCTS
            self.mm_configs = self.exhaustive_configs = self.extra_mm_configs = self.int8_mm_configs = [
                heuristics.GemmConfig(*tile) for tile in tiles]
            self.mm_plus_mm_configs = self.mm_configs
            self.conv_configs = [heuristics.ConvConfig(*tile) for tile in tiles]

        def get_flex_attn_fwd_configs(self, head_dim: int, dtype: Any) -> list[Any]:
            if _is_cpu():
                return [heuristics.FlexConfig(16, 32, 1, 1)]
            return [heuristics.FlexConfig(64, 32, 1, 4) if head_dim <= 128 else heuristics.FlexConfig(32, 16, 1, 4)]

        def get_flex_attn_bwd_configs(self, head_dim: int, dtype: Any) -> list[Any]:
            return [heuristics.FlexBwDConfig(16, 16, 16, 16, 1, 1 if _is_cpu() else 4)]

        def get_flex_decode_configs(self, head_dim: int, dtype: Any) -> list[Any]:
            return [heuristics.FlexDecodeConfig(32, 1, 1 if _is_cpu() else 2)]

    def register(template: Any, mixin: Any, operator: str | None = None) -> None:
        heuristics.register_template_heuristic(template.uid, "vk", op_name=operator)(
            type(f"Vk{mixin.__name__}", (mixin, VkConfigHeuristic), {}))

    products = heuristics.MMTemplateConfigMixin
    with_bias = type("AddProducts", (heuristics.AddMMConfigMixin, products), {})
    for template, operator in ((heuristics.mm_template, "addmm"), (heuristics.bmm_template, "baddbmm")):
        register(template, products)
        register(template, with_bias, operator)
    register(heuristics.mm_plus_mm_template, heuristics.MMPlusMMTemplateConfigMixin)
    register(heuristics.mm_template, heuristics.INT8MMTemplateConfigMixin, "int_mm")

    global _heuristic
    _heuristic = VkConfigHeuristic


_heuristic: Any = None  # the class above, once inductor is imported


def _patch_choices(choices: ModuleType) -> None:
    """Makes convolutions and attention look up the lists for vk: PyTorch 2.13 has a fixed list of devices."""
    known = choices.InductorChoices.get_config_heuristics

    def get_config_heuristics(self: Any, device_type: str | None = "cuda") -> Any:
        return _heuristic() if device_type == "vk" else known(self, device_type)

    choices.InductorChoices.get_config_heuristics = get_config_heuristics


def _patch_utils(utils: ModuleType) -> None:
    """Lets small devices use templates: PyTorch 2.13 wants at least 68 multiprocessors, for CUDA's sake."""
    known = utils.is_big_gpu

    def is_big_gpu(index_or_device: Any = 0) -> bool:
        if isinstance(index_or_device, torch.device) and index_or_device.type == "vk":
            return True
        return bool(known(index_or_device))

    setattr(utils, "is_big_gpu", is_big_gpu)  # noqa: B010


def _patch_flex_attention(flex: ModuleType) -> None:
    """Lets tensors of vk through: PyTorch 2.13 has a fixed list of devices."""
    known = flex._validate_device

    def _validate_device(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> None:
        if query.device.type != "vk":
            known(query, key, value)

    setattr(flex, "_validate_device", _validate_device)  # noqa: B010


def _patch_decoding(decoding: ModuleType) -> None:
    """Divides the keys of attention with few queries into parts by vk's size: PyTorch 2.13 asks CUDA for it."""
    known = decoding.get_split_k

    def get_split_k(B: int, H: int, Mk: int) -> int:
        if not vk.is_available():
            return int(known(B, H, Mk))
        programs = 2 * vk.get_device_properties().multi_processor_count
        rows = B * H
        return max(programs // rows, 1) if isinstance(rows, int) and rows > 0 else 1

    setattr(decoding, "get_split_k", get_split_k)  # noqa: B010
