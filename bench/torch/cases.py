"""What the benchmark of the device "vk" times: operators in eager mode, and training steps of models."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
from torch.nn import functional

Step = Callable[[], object]


@dataclasses.dataclass(frozen=True)
class Case:
    """A function that makes, for a device and a factor of the sizes, what is timed."""
    name: str
    make: Callable[[str, int], Step]
    is_model: bool = False


def _pointwise(function: Callable[[torch.Tensor], object]) -> Callable[[str, int], Step]:
    def make(device: str, scale: int) -> Step:
        x = torch.randn(1 << (20 + scale), device=device)
        return lambda: function(x)
    return make


def _rows(function: Callable[[torch.Tensor], object]) -> Callable[[str, int], Step]:
    def make(device: str, scale: int) -> Step:
        x = torch.randn(1 << (8 + scale), 4096, device=device)
        return lambda: function(x)
    return make


def _product(size: int, kind: torch.dtype) -> Callable[[str, int], Step]:
    def make(device: str, scale: int) -> Step:
        side = size if scale > 4 else size // 4
        a, b = (torch.randn(side, side, device=device).to(kind) for _ in range(2))
        return lambda: a @ b
    return make


def _attention(kind: torch.dtype) -> Callable[[str, int], Step]:
    def make(device: str, scale: int) -> Step:
        heads, length = (32, 2048) if scale > 4 else (4, 256)
        q, k, v = (torch.randn(4, heads, length, 64, device=device).to(kind) for _ in range(3))
        return lambda: functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return make


def _convolution(kind: torch.dtype, layout: torch.memory_format) -> Callable[[str, int], Step]:
    def make(device: str, scale: int) -> Step:
        images = 32 if scale > 4 else 2
        x = torch.randn(images, 64, 56, 56, device=device).to(kind).to(memory_format=layout)
        w = (torch.randn(64, 64, 3, 3, device=device) * 0.05).to(kind).to(memory_format=layout)
        return lambda: functional.conv2d(x, w, padding=1)
    return make


def _small(function: Callable[[torch.Tensor, torch.Tensor], object]) -> Callable[[str, int], Step]:
    def make(device: str, scale: int) -> Step:
        x, y = (torch.randn(64, 64, device=device) for _ in range(2))
        return lambda: function(x, y)
    return make


def _compiled(function: Callable[[torch.Tensor], object], case: Callable[..., Callable[[str, int], Step]]) -> Callable[[str, int], Step]:
    def make(device: str, scale: int) -> Step:
        return case(torch.compile(function))(device, scale)
    return make


def _training(make_model: Callable[[int], tuple[torch.nn.Module, Callable[[torch.nn.Module, str], torch.Tensor]]],
              *, compiled: bool = False) -> Callable[[str, int], Step]:
    """Makes a step of AdamW under autocast to bfloat16."""
    def make(device: str, scale: int) -> Step:
        torch.manual_seed(0)
        model, loss_of = make_model(scale)
        model = model.to(device)
        if compiled:
            model.compile()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

        def step() -> None:
            with torch.autocast(device, dtype=torch.bfloat16):
                loss = loss_of(model, device)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return step
    return make


def _gpt2(scale: int) -> tuple[torch.nn.Module, Callable[[torch.nn.Module, str], torch.Tensor]]:
    import transformers
    small = {"n_embd": 128, "n_layer": 2, "n_head": 4, "vocab_size": 500}
    config = transformers.GPT2Config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, **(small if scale <= 4 else {}))
    words = torch.randint(0, config.vocab_size, (4, 512 if scale > 4 else 64))

    def loss(model: torch.nn.Module, device: str) -> torch.Tensor:
        given = words.to(device)
        return model(given, labels=given).loss
    return transformers.GPT2LMHeadModel(config), loss


def _images(library: str, name: str, batch: int, side: int) -> Callable[[int], tuple[torch.nn.Module, Callable[..., torch.Tensor]]]:
    def make(scale: int) -> tuple[torch.nn.Module, Callable[[torch.nn.Module, str], torch.Tensor]]:
        if library == "torchvision":
            import torchvision
            model = getattr(torchvision.models, name)()
        else:
            import timm
            model = timm.create_model(name)
        count = batch if scale > 4 else 2
        images, labels = torch.randn(count, 3, side, side), torch.randint(0, 1000, (count,))

        def loss(model: torch.nn.Module, device: str) -> torch.Tensor:
            return functional.cross_entropy(model(images.to(device)), labels.to(device))
        return model, loss
    return make


CASES = [
    Case("add", _pointwise(lambda x: x + x)),
    Case("relu", _pointwise(torch.relu)),
    Case("exp", _pointwise(torch.exp)),
    Case("gelu", _pointwise(functional.gelu)),
    Case("dropout", _pointwise(lambda x: functional.dropout(x, 0.1))),
    Case("sum", _pointwise(torch.sum)),
    Case("sums of rows", _rows(lambda x: x.sum(1))),
    Case("maxima of rows", _rows(lambda x: x.max(1))),
    Case("softmax", _rows(lambda x: x.softmax(1))),
    Case("layer norm", _rows(lambda x: functional.layer_norm(x, (4096,)))),
    Case("cumulative sums", _rows(lambda x: x.cumsum(1))),
    Case("transposed copy", _rows(lambda x: x.t().contiguous())),
    Case("product f32", _product(4096, torch.float32)),
    Case("product f16", _product(4096, torch.float16)),
    Case("product bf16", _product(4096, torch.bfloat16)),
    Case("attention f16", _attention(torch.float16)),
    Case("convolution f32", _convolution(torch.float32, torch.contiguous_format)),
    Case("convolution f16", _convolution(torch.float16, torch.contiguous_format)),
    Case("convolution f16, channels last", _convolution(torch.float16, torch.channels_last)),
    Case("small add", _small(torch.add)),
    Case("small product", _small(torch.mm)),
    Case("gelu, compiled", _compiled(functional.gelu, _pointwise)),
    Case("softmax, compiled", _compiled(lambda x: x.softmax(1), _rows)),
    Case("layer norm, compiled", _compiled(lambda x: functional.layer_norm(x, (4096,)), _rows)),
    *(Case(f"{name}, training{', compiled' * compiled}", _training(model, compiled=compiled), True)
      for name, model in (("GPT-2", _gpt2), ("ResNet-50", _images("torchvision", "resnet50", 32, 224)),
                          ("ViT-B", _images("timm", "vit_base_patch16_224", 16, 224)))
      for compiled in (False, True)),
]
