#!/usr/bin/env python3
"""Trains a decoder of 0.6 billion parameters on vk, generates text with it, and compares both with the CPU.

    PYTHONPATH=build/python .venv/bin/python tests/torch/decoder.py --small

The model has the sizes of Qwen3's smallest decoder, and random weights. It trains under autocast to bfloat16 with AdamW.
Then it generates words greedily, with a cache of keys and values, in float32. The first loss must be the CPU's, later
ones must be smaller, the words must be those of the CPU, and no operator may run on the CPU. It needs transformers.
"""
from __future__ import annotations

import argparse
import copy
import os
import sys
import time

os.environ.setdefault("PUMICE_VK", "1")

import torch  # noqa: E402

if torch.version.cuda is None:  # PyPI's wheel of torchvision, which transformers imports, wants these
    for _name in ("nms", "qnms"):
        torch.library.define(f"torchvision::{_name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

_LARGE = {"hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8,
          "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936}
_SMALL = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
          "head_dim": 32, "intermediate_size": 384, "vocab_size": 1000}


def make(*, small: bool) -> torch.nn.Module:
    """Returns the model with random weights."""
    import transformers
    torch.manual_seed(0)
    config = transformers.Qwen3Config(**(_SMALL if small else _LARGE), tie_word_embeddings=True,
                                      max_position_embeddings=1024, pad_token_id=0, bos_token_id=1, eos_token_id=None)
    return transformers.Qwen3ForCausalLM(config)


def train(model: torch.nn.Module, words: torch.Tensor, steps: int) -> tuple[list[float], list[float]]:
    """Returns the losses of steps of AdamW, and their times in seconds."""
    device = words.device.type
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    losses, times = [], []
    model.train()
    for _ in range(steps):
        begin = time.perf_counter()
        with torch.autocast(device, dtype=torch.bfloat16):
            loss = model(words, labels=words).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
        times.append(time.perf_counter() - begin)
    return losses, times


def generate(model: torch.nn.Module, words: torch.Tensor, count: int) -> tuple[list[int], float]:
    """Returns generated words, and the seconds that each took once the first was there."""
    model.eval()
    with torch.no_grad():
        model.generate(words, max_new_tokens=4, do_sample=False, use_cache=True)
        begin = time.perf_counter()
        made = model.generate(words, max_new_tokens=count, do_sample=False, use_cache=True)
        found = made[0, words.shape[1]:].tolist()
    return found, (time.perf_counter() - begin) / count


def main() -> int:
    """Runs the comparison, and prints what it measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a model of two layers")
    parser.add_argument("--length", type=int, default=256, help="words of the text (%(default)s)")
    parser.add_argument("--count", type=int, default=16, help="words to generate (%(default)s)")
    parser.add_argument("--device", default="vk", help="vk or vk:N (%(default)s)")
    given = parser.parse_args()

    model = make(small=given.small)
    words = torch.randint(2, model.config.vocab_size, (1, given.length))
    print(f"{sum(one.numel() for one in model.parameters()) / 1e6:.0f} million parameters on {torch.vk.get_device_name(given.device)}")
    torch.vk.reset_fallbacks()
    ours = copy.deepcopy(model).to(given.device)
    text, each = generate(ours, words[:, :16].to(given.device), given.count)
    print(f"generated {given.count} words, {each * 1e3:.1f} ms each: {text}", flush=True)
    expected_text, _ = generate(model, words[:, :16], given.count)
    losses, times = train(ours, words.to(given.device), 6)
    print(f"losses {' '.join(f'{loss:.4f}' for loss in losses)}; the last step took {times[-1] * 1e3:.0f} ms; "
          f"{torch.vk.max_memory_allocated() / 1e9:.2f} GB", flush=True)
    expected_loss = train(model, words, 1)[0][0]
    fallbacks = dict(torch.vk.fallbacks())
    problems = []
    if text != expected_text:
        problems.append(f"the CPU generated {expected_text}")
    if abs(losses[0] - expected_loss) > 2e-2 * expected_loss:
        problems.append(f"the first loss is {losses[0]:.4f}, and the CPU's is {expected_loss:.4f}")
    if not losses[-1] < losses[0]:
        problems.append("the loss does not become smaller")
    if fallbacks:
        problems.append(f"operators ran on the CPU: {fallbacks}")
    print("\n".join(problems) or f"right: the CPU's first loss is {expected_loss:.4f}, and its words are the same")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
