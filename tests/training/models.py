"""Small models of common kinds, each with a batch, a loss and an optimizer.

A model is a function that returns (module, batch, optimizer class, optimizer options). The module takes the batch and
returns the loss. Random numbers of a batch are drawn in advance, so that both sides see the same noise.
"""
import math

import torch
import torch.nn.functional as functional
from torch import nn


def mlp():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.LayerNorm(64), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 10))

        def forward(self, x, label):
            return functional.cross_entropy(self.layers(x), label, label_smoothing=0.1)

    return Model(), (torch.randn(32, 20), torch.randint(10, (32,))), torch.optim.AdamW, {"lr": 1e-2}


class Residual(nn.Module):
    def __init__(self, before, after, stride=1):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(before, after, 3, stride, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU())
        self.second = nn.Sequential(nn.Conv2d(after, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after))
        self.short = nn.Identity() if before == after else nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False),
                                                                         nn.BatchNorm2d(after))

    def forward(self, x):
        return functional.relu(self.second(self.first(x)) + self.short(x))


class Classifier(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x, label):
        return functional.cross_entropy(self.body(x), label)


def resnet():
    body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Residual(8, 8),
                         Residual(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))
    return (Classifier(body), (torch.randn(4, 3, 24, 24), torch.randint(5, (4,))), torch.optim.SGD,
            {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 1e-4})


class Inverted(nn.Module):
    """A depthwise convolution between two pointwise ones, with squeeze-and-excitation."""

    def __init__(self, width, inner):
        super().__init__()
        self.grow = nn.Sequential(nn.Conv2d(width, inner, 1, bias=False), nn.BatchNorm2d(inner), nn.Hardswish())
        self.depth = nn.Sequential(nn.Conv2d(inner, inner, 5, padding=2, groups=inner, bias=False), nn.BatchNorm2d(inner), nn.Hardswish())
        self.squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(inner, 8, 1), nn.ReLU(), nn.Conv2d(8, inner, 1), nn.Hardsigmoid())
        self.shrink = nn.Sequential(nn.Conv2d(inner, width, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        inner = self.depth(self.grow(x))
        return x + self.shrink(inner * self.squeeze(inner))


def mobilenet():
    body = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU6(), Inverted(8, 24), Inverted(8, 24), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(8, 5))
    return (Classifier(body), (torch.randn(4, 3, 20, 20), torch.randint(5, (4,))), torch.optim.RMSprop,
            {"lr": 1e-3, "momentum": 0.9, "alpha": 0.9})


def unet():
    def block(before, after):
        return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(4, after), nn.SiLU())

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.down1, self.down2, self.middle = block(1, 8), block(8, 16), block(16, 16)
            self.up, self.last = nn.ConvTranspose2d(16, 8, 2, 2), nn.Conv2d(16, 1, 1)

        def forward(self, x, mask):
            first = self.down1(x)
            second = self.middle(self.down2(functional.avg_pool2d(first, 2)))
            said = self.last(torch.cat([self.up(second), first], 1))
            probability = said.sigmoid()
            dice = 1 - (2 * (probability * mask).sum() + 1) / (probability.sum() + mask.sum() + 1)
            return functional.binary_cross_entropy_with_logits(said, mask) + dice

    return Model(), (torch.randn(2, 1, 16, 16), (torch.rand(2, 1, 16, 16) > 0.5).float()), torch.optim.Adam, {"lr": 1e-3}


def vit():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, 32, 4, 4)
            self.token, self.places = nn.Parameter(torch.randn(1, 1, 32)), nn.Parameter(torch.randn(1, 17, 32))
            self.layers = nn.Sequential(*(nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, activation="gelu", batch_first=True,
                                                                     norm_first=True) for _ in range(2)))
            self.head = nn.Linear(32, 5)

        def forward(self, x, label):
            x = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.places
            return functional.cross_entropy(self.head(self.layers(x)[:, 0]), label)

    return Model(), (torch.randn(3, 3, 16, 16), torch.randint(5, (3,))), torch.optim.AdamW, {"lr": 1e-3, "weight_decay": 0.05}


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, other=None, bias=None, rotate=None):
        other = x if other is None else other
        q, k, v = self.split(self.query(x)), self.split(self.key(other)), self.split(self.value(other))
        if rotate is not None:
            q, k = rotate(q), rotate(k)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
        scores = scores if bias is None else scores + bias
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))


def bert():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(50, 32, padding_idx=0), nn.Embedding(12, 32)
            self.norm = nn.LayerNorm(32)
            self.attention, self.norm1 = Attention(32, 4), nn.LayerNorm(32)
            self.inner, self.norm2 = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32)), nn.LayerNorm(32)

        def forward(self, words, labels):
            x = self.norm(self.words(words) + self.places(torch.arange(words.shape[1])))
            bias = torch.where(words == 0, -1e9, 0.0).to(x.dtype)[:, None, None]
            x = self.norm1(x + self.attention(x, bias=bias))
            x = self.norm2(x + self.inner(x))
            return functional.cross_entropy((x @ self.words.weight.T).flatten(0, 1), labels.flatten(), ignore_index=-100)

    words = torch.randint(1, 50, (4, 12))
    words[:, 9:] = 0
    labels = torch.where(torch.rand(4, 12) < 0.3, words, -100)
    labels[:, 0] = words[:, 0]
    return Model(), (words, labels), torch.optim.AdamW, {"lr": 1e-3}


def gpt():
    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(32))

        def forward(self, x):
            return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * self.weight

    def rotate(x):
        half = x.shape[-1] // 2
        angle = torch.arange(x.shape[-2], dtype=x.dtype)[:, None] * 10000 ** (-torch.arange(half, dtype=x.dtype) / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.attention, self.norm2 = Norm(), Attention(32, 4), Norm()
            self.gate, self.up, self.down = nn.Linear(32, 48, False), nn.Linear(32, 48, False), nn.Linear(48, 32, False)

        def forward(self, x):
            future = torch.ones(x.shape[1], x.shape[1]).triu(1) * -1e9
            x = x + self.attention(self.norm1(x), bias=future.to(x.dtype), rotate=rotate)
            y = self.norm2(x)
            return x + self.down(functional.silu(self.gate(y)) * self.up(y))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.layers, self.norm, self.head = nn.Embedding(50, 32), nn.Sequential(Layer(), Layer()), Norm(), nn.Linear(32, 50)

        def forward(self, words):
            said = self.head(self.norm(self.layers(self.words(words[:, :-1]))))
            return functional.cross_entropy(said.flatten(0, 1), words[:, 1:].flatten())

    return Model(), (torch.randint(50, (3, 17)),), torch.optim.AdamW, {"lr": 1e-3, "betas": (0.9, 0.95), "amsgrad": True}


def t5():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.bias = nn.Embedding(40, 32), nn.Embedding(31, 4)
            self.encode, self.decode, self.cross = Attention(32, 4), Attention(32, 4), Attention(32, 4)
            self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(4))
            self.inner, self.head = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)), nn.Linear(32, 40)

        def distance(self, length):
            place = torch.arange(length)
            return self.bias(place[None] - place[:, None] + 15).permute(2, 0, 1)

        def forward(self, source, target):
            x = self.words(source)
            x = x + self.encode(self.norms[0](x), bias=self.distance(x.shape[1]))
            y = self.words(target[:, :-1])
            future = torch.ones(y.shape[1], y.shape[1]).triu(1) * -1e9
            y = y + self.decode(self.norms[1](y), bias=self.distance(y.shape[1]) + future.to(y.dtype))
            y = y + self.cross(self.norms[2](y), x)
            y = y + self.inner(self.norms[3](y))
            return functional.cross_entropy(self.head(y).flatten(0, 1), target[:, 1:].flatten())

    return Model(), (torch.randint(40, (3, 13)), torch.randint(40, (3, 9))), torch.optim.NAdam, {"lr": 1e-3}


def lstm():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.first, self.second, self.head = nn.Embedding(30, 16), nn.LSTMCell(16, 24), nn.GRUCell(24, 24), nn.Linear(24, 30)

        def forward(self, words):
            h = c = g = torch.zeros(len(words), 24, dtype=self.head.weight.dtype)
            loss = 0
            for step in range(words.shape[1] - 1):
                h, c = self.first(self.words(words[:, step]), (h, c))
                g = self.second(h, g)
                loss = loss + functional.cross_entropy(self.head(g), words[:, step + 1])
            return loss / (words.shape[1] - 1)

    return Model(), (torch.randint(30, (5, 6)),), torch.optim.Adamax, {"lr": 1e-2}


def dlrm():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList(nn.EmbeddingBag(size, 8, mode=mode) for size, mode in ((20, "sum"), (30, "mean"), (10, "sum")))
            self.bottom, self.top = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8)), nn.Sequential(
                nn.Linear(14, 16), nn.ReLU(), nn.Linear(16, 1))

        def forward(self, dense, sparse, clicked):
            x = self.bottom(dense)
            rows = torch.stack([x, *(table(sparse[:, i]) for i, table in enumerate(self.tables))], 1)
            pairs = rows @ rows.transpose(1, 2)
            i, j = torch.tril_indices(4, 4, -1)
            said = self.top(torch.cat([x, pairs[:, i, j]], 1))[:, 0]
            return functional.binary_cross_entropy_with_logits(said, clicked)

    sparse = torch.randint(10, (16, 3, 4))
    return Model(), (torch.randn(16, 6), sparse, (torch.rand(16) > 0.5).float()), torch.optim.Adagrad, {"lr": 1e-2}


def vae():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ELU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ELU(), nn.Flatten())
            self.mean, self.spread, self.start = nn.Linear(256, 6), nn.Linear(256, 6), nn.Linear(6, 256)
            self.decoder = nn.Sequential(nn.Unflatten(1, (16, 4, 4)), nn.ELU(), nn.Upsample(scale_factor=2), nn.Conv2d(16, 8, 3, padding=1),
                                         nn.ELU(), nn.ConvTranspose2d(8, 1, 4, 2, 1))

        def forward(self, x, noise):
            x1 = self.encoder(x)
            mean, spread = self.mean(x1), self.spread(x1)
            again = self.decoder(self.start(mean + noise * (spread / 2).exp()))
            distance = -0.5 * (1 + spread - mean.square() - spread.exp()).sum(1).mean()
            return functional.mse_loss(again, x) + 0.1 * distance

    return Model(), (torch.randn(4, 1, 16, 16), torch.randn(4, 6)), torch.optim.RAdam, {"lr": 1e-3}


def graph():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.head = nn.Linear(16, 24), nn.Linear(48, 24), nn.Linear(24, 4)

        def gather(self, x, edges):
            source, target = edges
            count = torch.zeros(len(x), dtype=x.dtype).index_add(0, target, torch.ones(len(target), dtype=x.dtype))
            return torch.zeros_like(x).index_add(0, target, x[source]) / count.clamp(min=1)[:, None]

        def forward(self, x, edges, label):
            x = functional.leaky_relu(self.first(x))
            x = functional.dropout(self.second(torch.cat([x, self.gather(x, edges)], 1)).relu(), 0.0)
            return functional.nll_loss(self.head(x).log_softmax(-1), label)

    return Model(), (torch.randn(20, 16), torch.randint(20, (2, 60)), torch.randint(4, (20,))), torch.optim.ASGD, {"lr": 0.05}


MODELS = {model.__name__: model for model in (mlp, resnet, mobilenet, unet, vit, bert, gpt, t5, lstm, dlrm, vae, graph)}
