"""The models of the benchmark of torch.compile: eleven kinds, with random weights, in PyTorch's own layers.

They are small: a step takes milliseconds on two cores. Each keeps the sizes that decide its time: rows of 192 to 1024
elements, sequences of 64 to 197 words, images of 32 to 64 pixels.
"""
from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional

Model = tuple[nn.Module, tuple[torch.Tensor, ...]]


class Residual(nn.Module):
    """Adds what its layers make of its input to the input."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x)


def _rotated(x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
    """Rotates pairs of elements, as rotary position embeddings do."""
    left, right = x.chunk(2, -1)
    return x * angles.cos() + torch.cat((-right, left), -1) * angles.sin()


class Attention(nn.Module):
    """Attends with `heads` heads, of which groups share the `shared` heads of keys and values."""

    def __init__(self, width: int, heads: int, *, causal: bool = False, shared: int = 0, bias: bool = True) -> None:
        super().__init__()
        self.heads, self.shared, self.causal, self.size = heads, shared or heads, causal, width // heads
        self.query = nn.Linear(width, width, bias)
        self.key_value = nn.Linear(width, 2 * self.shared * self.size, bias)
        self.out = nn.Linear(width, width, bias)
        self.is_rotary = bool(shared)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        query = self.query(x).view(batch, length, self.heads, self.size).transpose(1, 2)
        key, value = self.key_value(x).view(batch, length, 2, self.shared, self.size).permute(2, 0, 3, 1, 4)
        if self.is_rotary:
            rates = 1e4 ** -torch.linspace(0, 1, self.size // 2)
            angles = torch.arange(length)[:, None] * torch.cat((rates, rates))
            query, key = _rotated(query, angles), _rotated(key, angles)
            groups = self.heads // self.shared
            key, value = key.repeat_interleave(groups, 1), value.repeat_interleave(groups, 1)
        made = functional.scaled_dot_product_attention(query, key, value, is_causal=self.causal)
        return self.out(made.transpose(1, 2).reshape(x.shape))


class Gated(nn.Module):
    """Llama's layer of products: SiLU of one multiplies another."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.gate, self.up = nn.Linear(width, inner, False), nn.Linear(width, inner, False)
        self.down = nn.Linear(inner, width, False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(functional.silu(self.gate(x)) * self.up(x))


class Words(nn.Module):
    """Looks words up, and adds what was learned for their positions."""

    def __init__(self, count: int, length: int, width: int) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(count, width), nn.Parameter(0.02 * torch.randn(length, width))

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.words(words) + self.places


def _products(width: int, approximate: str = "none") -> tuple[nn.Module, ...]:
    return nn.Linear(width, 4 * width), nn.GELU(approximate), nn.Linear(4 * width, width)


def _before(width: int, attention: nn.Module, *products: nn.Module) -> tuple[nn.Module, ...]:
    """Returns a transformer's layer that normalises before each part."""
    return Residual(nn.LayerNorm(width), attention), Residual(nn.LayerNorm(width), *products)


def mlp() -> Model:
    layers = (nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 1024), nn.SiLU(), nn.Linear(1024, 1024), nn.Tanh())
    return nn.Sequential(*layers, nn.Linear(1024, 256), nn.Softmax(-1)), (torch.randn(256, 256),)


def norms() -> Model:
    channels = (nn.BatchNorm1d(256), nn.GELU(), nn.GroupNorm(8, 256), nn.SiLU(), nn.InstanceNorm1d(256, affine=True))
    return (nn.Sequential(nn.LayerNorm(512), nn.ReLU(), nn.RMSNorm(512), Residual(*channels), nn.LayerNorm((256, 512))),
            (torch.randn(32, 256, 512),))


def bert() -> Model:
    layers = [layer for _ in range(2) for layer in (Residual(Attention(256, 4)), nn.LayerNorm(256),
                                                    Residual(*_products(256)), nn.LayerNorm(256))]
    return nn.Sequential(Words(1000, 128, 256), nn.LayerNorm(256), *layers, nn.Linear(256, 1000)), (
        torch.randint(0, 1000, (8, 128)),)


def gpt2() -> Model:
    layers = [layer for _ in range(4) for layer in _before(256, Attention(256, 4, causal=True), *_products(256, "tanh"))]
    return nn.Sequential(Words(1000, 128, 256), *layers, nn.LayerNorm(256), nn.Linear(256, 1000), nn.LogSoftmax(-1)), (
        torch.randint(0, 1000, (8, 128)),)


def llama() -> Model:
    layers = [layer for _ in range(4) for layer in (
        Residual(nn.RMSNorm(256), Attention(256, 8, causal=True, shared=2, bias=False)),
        Residual(nn.RMSNorm(256), Gated(256, 704)))]
    return nn.Sequential(nn.Embedding(1000, 256), *layers, nn.RMSNorm(256), nn.Linear(256, 1000, False),
                         nn.LogSoftmax(-1)), (torch.randint(0, 1000, (8, 128)),)


class Vit(nn.Module):
    def __init__(self, width: int = 192, layers: int = 4) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.first, self.places = nn.Parameter(torch.randn(1, 1, width)), nn.Parameter(torch.randn(1, 197, width))
        self.layers = nn.Sequential(*(layer for _ in range(layers)
                                      for layer in _before(width, Attention(width, 3), *_products(width))))
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 1000))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        patches = self.patches(images).flatten(2).transpose(1, 2)
        words = torch.cat((self.first.expand(len(images), -1, -1), patches), 1) + self.places
        return self.head(self.layers(words)[:, 0])


def vit() -> Model:
    return Vit(), (torch.randn(8, 3, 224, 224),)


class Block(nn.Module):
    """ResNet's block of two convolutions."""

    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
            nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.skip = nn.Identity() if before == after else nn.Sequential(
            nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.layers(x) + self.skip(x))


def resnet() -> Model:
    widths = (32, 32, 64, 128, 256)
    blocks = [Block(before, after, 1 if before == after else 2) for before, after in zip(widths, widths[1:])]
    return nn.Sequential(
        nn.Conv2d(3, 32, 7, 2, 3, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks,
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 100)), (torch.randn(8, 3, 64, 64),)


class Unet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.begin, self.down = self._stage(3, 32), self._stage(32, 64)
        self.middle = self._stage(64, 128)
        self.up, self.end = self._stage(128 + 64, 64), self._stage(64 + 32, 32)
        self.out = nn.Conv2d(32, 3, 1)

    @staticmethod
    def _stage(before: int, after: int) -> nn.Module:
        return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(8, after), nn.SiLU(),
                             Residual(nn.Conv2d(after, after, 3, padding=1), nn.GroupNorm(8, after), nn.SiLU()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first = self.begin(x)
        second = self.down(functional.avg_pool2d(first, 2))
        third = self.middle(functional.max_pool2d(second, 2))
        third = functional.interpolate(third, scale_factor=2.0)
        fourth = self.up(torch.cat((third, second), 1))
        fourth = functional.interpolate(fourth, scale_factor=2.0, mode="bilinear")
        return self.out(self.end(torch.cat((fourth, first), 1)))


def unet() -> Model:
    return Unet(), (torch.randn(4, 3, 64, 64),)


class Lstm(nn.Module):
    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.input, self.state = nn.Linear(width, 4 * width), nn.Linear(width, 4 * width)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        hidden = cell = torch.zeros_like(words[0])
        made = []
        for inputs in self.input(words):
            begin, forget, value, out = (inputs + self.state(hidden)).chunk(4, 1)
            cell = torch.sigmoid(forget) * cell + torch.sigmoid(begin) * torch.tanh(value)
            hidden = torch.sigmoid(out) * torch.tanh(cell)
            made.append(hidden)
        return torch.stack(made)


def lstm() -> Model:
    return Lstm(), (torch.randn(16, 64, 256),)


class Graph(nn.Module):
    """Two graph convolutions: means over the neighbours of each node."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(width, width), nn.Linear(width, width)

    @staticmethod
    def _spread(x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        sums = torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])
        counts = torch.zeros_like(x[:, 0]).index_add(0, edges[1], torch.ones_like(edges[1], dtype=x.dtype))
        return sums / counts.clamp(min=1)[:, None]

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.first(self._spread(x, edges)))
        return functional.log_softmax(self.second(self._spread(x, edges)), 1)


def graph() -> Model:
    return Graph(), (torch.randn(4000, 64), torch.randint(0, 4000, (2, 30000)))


class Experts(nn.Module):
    """A mixture of experts. Each takes up to `places` words, and each word goes to two experts."""

    def __init__(self, width: int = 256, count: int = 8, places: int = 320) -> None:
        super().__init__()
        self.count, self.places = count, places
        self.gate = nn.Linear(width, count, False)
        self.up = nn.Parameter(torch.randn(count, width, 2 * width) / width ** 0.5)
        self.down = nn.Parameter(torch.randn(count, 2 * width, width) / width ** 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights, chosen = self.gate(x).softmax(-1).topk(2)
        weights = (weights / weights.sum(-1, keepdim=True)).flatten()
        chosen = chosen.flatten()
        order = functional.one_hot(chosen, self.count).cumsum(0).gather(1, chosen[:, None])[:, 0] - 1
        fits = order < self.places
        at = torch.where(fits, chosen * self.places + order, self.count * self.places)
        words = x.repeat_interleave(2, 0)
        taken = x.new_zeros(self.count * self.places + 1, x.shape[1]).index_copy(0, at, words)
        taken = taken[:-1].view(self.count, self.places, -1)
        made = (functional.gelu(taken @ self.up) @ self.down).flatten(0, 1)
        back = made[at.clamp(max=len(made) - 1)] * (weights * fits)[:, None]
        return x + back.view(len(x), 2, -1).sum(1)


def experts() -> Model:
    layers = [layer for _ in range(2) for layer in (nn.LayerNorm(256), Experts())]
    return nn.Sequential(*layers), (torch.randn(1024, 256),)


MODELS: dict[str, Callable[[], Model]] = {
    "MLP": mlp, "norms": norms, "BERT": bert, "GPT-2": gpt2, "Llama": llama, "ViT": vit, "ResNet": resnet,
    "U-Net": unet, "LSTM": lstm, "graph convolution": graph, "mixture of experts": experts}
