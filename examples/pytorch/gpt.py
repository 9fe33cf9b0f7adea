"""Trains a small GPT on PyTorch's device "vk": a GPU through Vulkan, or the CPU device if there is none.

    python gpt.py [--device vk] [--size tiny|124M] [--steps N] [--batch N] [--letters N] [--compile]

It learns to write Python, letter by letter, from a file of Python's library. Then it writes some.
"""
import argparse
import inspect
import time

import torch
from torch import nn
from torch.nn import functional as F

SIZES = {"tiny": (4, 4, 128, 64), "124M": (12, 12, 768, 1024)}  # layers, heads, width, letters of context


class Block(nn.Module):
    def __init__(self, heads, width):
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(self.before(x)).split(width, 2))
        attention = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attention.transpose(1, 2).reshape(batch, length, width))
        return x + self.network(self.after(x))


class GPT(nn.Module):
    def __init__(self, letters, layers, heads, width, context):
        super().__init__()
        self.context = context
        self.letter, self.place = nn.Embedding(letters, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(Block(heads, width) for _ in range(layers)))
        self.last, self.head = nn.LayerNorm(width), nn.Linear(width, letters, bias=False)

    def forward(self, letters):
        places = torch.arange(letters.shape[1], device=letters.device)
        return self.head(self.last(self.blocks(self.letter(letters) + self.place(places))))


def write(model, letters, count):
    """Returns the letters with `count` more, drawn from what the model expects."""
    with torch.no_grad():
        for _ in range(count):
            expected = model(letters[:, -model.context:])[:, -1].softmax(1)
            letters = torch.cat([letters, torch.multinomial(expected, 1)], 1)
    return letters


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--device", default="vk")
parser.add_argument("--size", choices=SIZES, default="tiny")
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--letters", type=int, default=80, help="letters that it writes in the end (default: %(default)s)")
parser.add_argument("--compile", action="store_true", help="train by torch.compile")
given = parser.parse_args()

torch.manual_seed(0)
text = inspect.getsource(argparse)
alphabet = sorted(set(text))
data = torch.tensor([alphabet.index(letter) for letter in text], device=given.device)
model = GPT(len(alphabet), *SIZES[given.size]).to(given.device)
trained = torch.compile(model) if given.compile else model
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3 if given.size == "tiny" else 3e-4)

started = time.perf_counter()
for step in range(given.steps):
    starts = torch.randint(len(data) - model.context - 1, (given.batch, 1), device=given.device)
    part = data[starts + torch.arange(model.context + 1, device=given.device)]
    loss = F.cross_entropy(trained(part[:, :-1]).flatten(0, 1), part[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 0:
        print(f"loss {loss.item():.2f} at first; the first step took {time.perf_counter() - started:.0f} s")
        started = time.perf_counter()
    elif step % 50 == 49:
        print(f"loss {loss.item():.2f} after {step + 1} steps, {(time.perf_counter() - started) / step * 1000:.0f} ms each")
written = write(model, data[None, :16], given.letters)
print("".join(alphabet[letter] for letter in written[0].tolist()))
if given.device.startswith("vk"):
    print(f"{torch.vk.get_device_name()}; operators that ran on the CPU: {torch.vk.fallbacks() or 'none'}")
