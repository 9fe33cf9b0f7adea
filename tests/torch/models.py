"""Trains small models on vk and on the CPU, and compares losses and gradients.

    .venv/bin/pip install transformers timm torchvision==0.28.0    # for PyTorch 2.13
    PYTHONPATH=build/python .venv/bin/python tests/torch/models.py gpt2 resnet18

The models are those of transformers, torchvision and timm, with small random configurations, and two of PyTorch's own
layers, which need no other library. Each is trained for some steps of AdamW from the same weights on the same inputs. One
line for each model says how far the losses and gradients are from the CPU's, and which operators ran on the CPU.

Some networks amplify rounding errors: a batch norm over few pixels divides by a variance near zero. So a case also
passes if it is about as close to the results in float64 as the CPU is in the same type, or if vk and the CPU agree in
float64. If the CPU's gradients in bf16 are further from those in float64 than zeros are, only the first loss counts.
"""
from __future__ import annotations

import argparse
import copy
import dataclasses
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

os.environ.setdefault("PUMICE_VK", "1")

import torch

# PyPI's wheel of torchvision has its own operators for CUDA only. No model here uses them, but the package wants these.
for _name in ("nms", "qnms") if torch.version.cuda is None else ():
    torch.library.define(f"torchvision::{_name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

Batch = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Case:
    """A model: `make` returns it, with a batch and a function of (model, batch) that returns its loss."""
    name: str
    library: str
    make: Callable[[], tuple[torch.nn.Module, Batch, Callable[[torch.nn.Module, Batch], torch.Tensor]]]


def _words(vocabulary: int, length: int = 24, batch: int = 2) -> torch.Tensor:
    return torch.randint(0, vocabulary, (batch, length))


_SMALL = {"vocab_size": 120, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
          "intermediate_size": 64, "max_position_embeddings": 64}


def _language_model(config: str, model: str, sizes: dict[str, Any]) -> Callable[[], Any]:
    """Makes a language model. The model itself computes the loss from its labels."""
    def make() -> Any:
        import transformers
        made = getattr(transformers, model)(getattr(transformers, config)(**sizes))
        words = _words(100)
        return made, {"input_ids": words, "labels": words.clone()}, lambda model, batch: model(**batch).loss
    return make


def _vision(library: str, name: str, size: int, **options: Any) -> Callable[[], Any]:
    """Makes a model that classifies images."""
    def make() -> Any:
        if library == "torchvision":
            import torchvision
            model = getattr(torchvision.models, name)(num_classes=10, **options)
        else:
            import timm
            model = timm.create_model(name, num_classes=10, **options)
        batch = {"images": torch.randn(2, 3, size, size), "labels": torch.randint(0, 10, (2,))}

        def loss(model: torch.nn.Module, batch: Batch) -> torch.Tensor:
            scores = model(batch["images"])
            scores = getattr(scores, "logits", scores)
            return torch.nn.functional.cross_entropy(scores, batch["labels"])
        return model, batch, loss
    return make


def _encoder() -> Any:
    """Makes a transformer of PyTorch's layers, which predicts words."""
    layer = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, activation="gelu", batch_first=True)
    model = torch.nn.Sequential(torch.nn.Embedding(50, 32), torch.nn.TransformerEncoder(layer, 2), torch.nn.Linear(32, 50))
    return model, {"words": _words(50)}, lambda model, batch: torch.nn.functional.cross_entropy(
        model(batch["words"]).flatten(0, 1), batch["words"].flatten())


def _convolutions() -> Any:
    """Makes a network of convolutions, which classifies images."""
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(8, 16, 3, stride=2), torch.nn.SiLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
        torch.nn.Linear(16, 10))
    batch = {"images": torch.randn(4, 3, 16, 16), "labels": torch.randint(0, 10, (4,))}
    return model, batch, lambda model, batch: torch.nn.functional.cross_entropy(model(batch["images"]), batch["labels"])


_LLAMA = _SMALL | {"num_key_value_heads": 2}
_GPT2 = {"vocab_size": 120, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64, "resid_pdrop": 0.0,
         "embd_pdrop": 0.0, "attn_pdrop": 0.0}
_STILL = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}

CASES = [
    Case("encoder", "torch", _encoder),
    Case("convolutions", "torch", _convolutions),
    Case("gpt2", "transformers", _language_model("GPT2Config", "GPT2LMHeadModel", _GPT2)),
    Case("llama", "transformers", _language_model("LlamaConfig", "LlamaForCausalLM", _LLAMA)),
    Case("qwen3", "transformers", _language_model("Qwen3Config", "Qwen3ForCausalLM", _LLAMA | {"head_dim": 8})),
    Case("mistral", "transformers", _language_model("MistralConfig", "MistralForCausalLM", _LLAMA)),
    Case("gemma2", "transformers", _language_model("Gemma2Config", "Gemma2ForCausalLM", _LLAMA | {"head_dim": 8})),
    Case("phi3", "transformers", _language_model("Phi3Config", "Phi3ForCausalLM", _LLAMA | {"pad_token_id": 0})),
    Case("gpt_neox", "transformers", _language_model("GPTNeoXConfig", "GPTNeoXForCausalLM", _SMALL)),
    Case("opt", "transformers", _language_model("OPTConfig", "OPTForCausalLM", {
        "vocab_size": 120, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 64,
        "max_position_embeddings": 64, "word_embed_proj_dim": 32, "dropout": 0.0})),
    Case("bert", "transformers", _language_model("BertConfig", "BertForMaskedLM", _SMALL | _STILL)),
    Case("t5", "transformers", _language_model("T5Config", "T5ForConditionalGeneration", {
        "vocab_size": 120, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.0,
        "decoder_start_token_id": 0})),
    *(Case(name, "torchvision", _vision("torchvision", name, size, **options)) for name, size, options in (
        ("resnet18", 64, {}), ("resnet50", 64, {}), ("resnext50_32x4d", 64, {}), ("vgg11_bn", 32, {"dropout": 0.0}),
        ("mobilenet_v2", 64, {"dropout": 0.0}), ("mobilenet_v3_small", 64, {"dropout": 0.0}),
        ("squeezenet1_1", 64, {"dropout": 0.0}), ("densenet121", 64, {}), ("shufflenet_v2_x0_5", 64, {}),
        ("efficientnet_b0", 64, {"dropout": 0.0, "stochastic_depth_prob": 0.0}),
        ("vit_b_16", 32, {"image_size": 32}))),
    *(Case(name, "timm", _vision("timm", name, size, **options)) for name, size, options in (
        ("convnext_atto", 64, {}), ("convnextv2_atto", 64, {}), ("vit_tiny_patch16_224", 32, {"img_size": 32}),
        ("deit_tiny_patch16_224", 32, {"img_size": 32}),
        ("swin_tiny_patch4_window7_224", 56, {"img_size": 56, "window_size": 7, "drop_path_rate": 0.0}),
        ("mixer_s32_224", 64, {"img_size": 64}), ("regnetx_002", 64, {}), ("ghostnet_050", 64, {"drop_rate": 0.0}),
        ("mnasnet_small", 64, {"drop_path_rate": 0.0}), ("tf_efficientnet_lite0", 64, {"drop_path_rate": 0.0}),
        ("repvgg_a0", 64, {}), ("hardcorenas_a", 64, {"drop_path_rate": 0.0}), ("xcit_nano_12_p16_224", 64, {}),
        ("poolformer_s12", 64, {"drop_path_rate": 0.0}), ("levit_128s", 224, {"drop_path_rate": 0.0}))),
]


@dataclasses.dataclass
class Outcome:
    """The result of a case."""
    name: str
    passed: bool
    loss: float = 0.0       # the largest relative distance of a loss
    gradient: float = 0.0   # the largest distance of a gradient, relative to the gradient's norm
    seconds: float = 0.0
    fallbacks: dict[str, int] = dataclasses.field(default_factory=dict)
    error: str = ""


Trained = tuple[list[float], list[torch.Tensor]]


def _train(case: Case, device: str, steps: int, *, compiled: bool = False, autocast: bool = False,
           kind: torch.dtype = torch.float32) -> Trained:
    """Returns the losses of all steps, and the gradients of the first."""
    torch.manual_seed(1)
    model, batch, loss_of = case.make()
    model = copy.deepcopy(model).to(device, kind).train()
    batch = {name: value.to(device, kind) if value.is_floating_point() else value.to(device) for name, value in batch.items()}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    run = torch.compile(model) if compiled else model
    losses: list[float] = []
    gradients: list[torch.Tensor] = []
    for step in range(steps):
        optimizer.zero_grad()
        with torch.autocast(torch.device(device).type, dtype=torch.bfloat16, enabled=autocast):
            loss = loss_of(run, batch)
        loss.backward()
        if step == 0:
            gradients = [one.grad.detach().cpu() for one in model.parameters() if one.grad is not None]
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses, gradients


def run_case(case: Case, device: str, steps: int, compiled: bool, autocast: bool) -> Outcome:
    """Trains a case on both devices, and compares."""
    begin = time.perf_counter()
    torch.vk.reset_fallbacks()
    try:
        ours = _train(case, device, steps, compiled=compiled, autocast=autocast)
        torch.vk.synchronize()
        fallbacks = dict(torch.vk.fallbacks())
        theirs = _train(case, "cpu", steps, autocast=autocast)
        exact = _train(case, "cpu", steps, kind=torch.float64)
    except Exception as error:  # noqa: BLE001 - a case that fails must not end the run
        if os.environ.get("PUMICE_DEBUG"):
            traceback.print_exc()
        text = (str(error).strip().splitlines() or [""])[0][:200]
        return Outcome(case.name, False, error=f"{type(error).__name__}: {text}", fallbacks=dict(torch.vk.fallbacks()))
    limits = (0.03, 0.15) if autocast else (1e-3, 1e-2)
    apart = _distances(ours, theirs)
    if autocast and _distances(theirs, exact)[1] > 1:  # the CPU's own gradients are noise, and so are the later steps
        ours, theirs, exact = (_first_loss(trained) for trained in (ours, theirs, exact))
        apart = _distances(ours, theirs)
    passed = all(distance <= limit or mine <= _WORSE * its
                 for distance, limit, mine, its in zip(apart, limits, _distances(ours, exact), _distances(theirs, exact)))
    if not passed and not autocast:
        try:
            doubles = _train(case, device, steps, compiled=compiled, kind=torch.float64)
            passed = all(distance <= limit for distance, limit in zip(_distances(doubles, exact), (1e-6, 1e-5)))
        except Exception as error:  # noqa: BLE001
            return Outcome(case.name, False, *apart, time.perf_counter() - begin, fallbacks, f"in float64: {error}")
    return Outcome(case.name, passed, *apart, time.perf_counter() - begin, fallbacks)


def _first_loss(trained: Trained) -> Trained:
    """Returns only the loss before the first step."""
    return trained[0][:1], []


_WORSE = 3  # rounding errors differ between two correct computations by this factor at most


def _distances(some: Trained, others: Trained) -> tuple[float, float]:
    """Returns the largest relative distances between losses and between gradients."""
    loss = max(abs(a - b) / max(abs(b), 1e-3) for a, b in zip(some[0], others[0], strict=True))
    gradient = 0.0
    for one, other in zip(some[1], others[1], strict=True):
        gradient = max(gradient, float((one.double() - other.double()).norm()) / max(float(other.double().norm()), 1e-4))
    return loss, gradient


def main() -> int:
    """Runs the cases that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="models; all if none is named")
    parser.add_argument("--library", choices=("torch", "transformers", "torchvision", "timm"), help="only models of this library")
    parser.add_argument("--device", default="vk", help="vk or vk:N (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=5, help="steps of AdamW (default: %(default)s)")
    parser.add_argument("--compile", action="store_true", help="train through torch.compile")
    parser.add_argument("--autocast", action="store_true", help="compute in bf16 by autocast")
    parser.add_argument("--results", help="a file of JSON lines to append to")
    parser.add_argument("--list", action="store_true", help="print the models' names")
    given = parser.parse_args()
    cases = [case for case in CASES if (not given.names or case.name in given.names)
             and given.library in (None, case.library)]
    if unknown := set(given.names) - {case.name for case in CASES}:
        parser.error(f"unknown models: {', '.join(sorted(unknown))}; --list prints their names")
    if given.list:
        print("\n".join(case.name for case in cases))
        return 0
    failed = 0
    for case in cases:
        outcome = run_case(case, given.device, given.steps, given.compile, given.autocast)
        failed += not outcome.passed
        print(f"{'ok  ' if outcome.passed else 'FAIL'} {outcome.name:32} loss {outcome.loss:.1e} gradients "
              f"{outcome.gradient:.1e} {outcome.seconds:6.1f} s  {outcome.error} {outcome.fallbacks or ''}", flush=True)
        if given.results:
            with open(given.results, "a", encoding="utf8") as file:
                file.write(json.dumps(dataclasses.asdict(outcome)) + "\n")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
