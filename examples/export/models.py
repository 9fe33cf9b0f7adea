"""Exports models of PyTorch as packages, which C++ programs run without Python. docs/ship.md explains it.

    python examples/export/models.py FOLDER [MODEL...] [--peer]

For each model, the folder gets the package (mlp.pt2), an input (mlp.input), and what PyTorch computes (mlp.output). With
`--peer`, it also gets a package with the kernels of PyTorch's own back end, in C++ (mlp-peer.pt2).
"""
import argparse
import pathlib

import torch
import torch._inductor.config
from torch import nn

# PyTorch compiles its headers in advance, which takes longer than it saves for few models.
torch._inductor.config.cpp_cache_precompile_headers = False


class Block(nn.Module):
    """A transformer block: attention and a perceptron, each after a norm and with a residual."""

    def __init__(self, width: int = 256, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.perceptron = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (part.reshape(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.inputs(self.first(x)).chunk(3, -1))
        weights = (q @ k.transpose(-1, -2) * (width // self.heads) ** -0.5).softmax(-1)
        x = x + self.output((weights @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.perceptron(self.second(x))


def convolutional() -> nn.Module:
    """Returns a convolutional network with batch norms and pools."""
    layers: list[nn.Module] = []
    for before, after in ((3, 16), (16, 32)):
        layers += [nn.Conv2d(before, after, 3, padding=1), nn.BatchNorm2d(after), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(32 * 8 * 8, 10), nn.LogSoftmax(-1))


MODELS = {"mlp": (lambda: nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 10)), (32, 64)),
          "block": (Block, (2, 128, 256)),
          "convolutional": (convolutional, (8, 3, 32, 32))}


def export(name: str, folder: pathlib.Path, backend: str, package: str) -> None:
    """Writes the package of a model, an input, and its output."""
    make, shape = MODELS[name]
    torch.manual_seed(0)
    model, x = make().eval(), torch.randn(shape)
    with torch.no_grad(), torch._inductor.config.patch(cpu_backend=backend):
        exported = torch.export.export(model, (x,))
        torch._inductor.aoti_compile_and_package(exported, package_path=str(folder / package))
        (folder / f"{name}.input").write_bytes(x.numpy().tobytes())
        (folder / f"{name}.output").write_bytes(model(x).numpy().tobytes())
    print(f"wrote {package}: {name} of {'x'.join(map(str, shape))}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"some of {', '.join(MODELS)}; all by default")
    parser.add_argument("--peer", action="store_true", help="also write packages of PyTorch's own back end")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.models) - set(MODELS)):
        parser.error(f"expected models among {', '.join(MODELS)}, got {', '.join(unknown)}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.models or MODELS:
        export(name, arguments.folder, "triton", f"{name}.pt2")
        if arguments.peer:
            export(name, arguments.folder, "cpp", f"{name}-peer.pt2")
