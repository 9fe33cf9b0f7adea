"""Steps of fused optimizers: one kernel for each parameter."""
from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from ..plans.own import Operand, Writer
from ..plans.values import Unsupported

_BLOCK = 1024
_TYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


@triton.jit
def complement_of_power(log, exponent):
    """Returns 1 - base ** exponent for a base below 1, whose logarithm is given."""
    x = log * exponent
    series = 1 + x / 9
    for divisor in tl.static_range(8, 1, -1):
        series = 1 + x / divisor * series
    return tl.where(x > -0.5, -x * series, 1 - tl.exp(x))


@triton.jit
def gradient_of(parameter, gradient, scale, at, mask, decay, HAS_SCALE: tl.constexpr, IS_MAXIMIZED: tl.constexpr,
                IS_PART: tl.constexpr, NUMBER: tl.constexpr):
    """Returns a parameter and its gradient, with the weights' decay as a part of it if IS_PART."""
    found = tl.load(gradient + at, mask=mask).to(NUMBER)
    if HAS_SCALE:
        found = found / tl.load(scale).to(NUMBER)
        tl.store(gradient + at, found, mask=mask)
    if IS_MAXIMIZED:
        found = -found
    value = tl.load(parameter + at, mask=mask).to(NUMBER)
    if IS_PART:
        found += decay * value
    return value, found


@triton.jit
def is_skipped(infinite, HAS_INFINITE: tl.constexpr):
    """Returns whether the step is left out, since a gradient is infinite."""
    skipped = False
    if HAS_INFINITE:
        skipped = tl.load(infinite).to(tl.float32) == 1
    return skipped


@triton.jit
def rate_of(rate, rate_tensor, HAS_RATE: tl.constexpr, NUMBER: tl.constexpr):
    """Returns the learning rate."""
    found = rate.to(NUMBER)
    if HAS_RATE:
        found = tl.load(rate_tensor).to(NUMBER)
    return found


@triton.jit
def adam(parameter, gradient, mean, square, largest, step, rate_tensor, scale, infinite, count, rate, beta1, beta2, log1,
         log2, decay, eps, IS_DECOUPLED: tl.constexpr, IS_MAXIMIZED: tl.constexpr, HAS_LARGEST: tl.constexpr,
         HAS_RATE: tl.constexpr, HAS_SCALE: tl.constexpr, HAS_INFINITE: tl.constexpr, NUMBER: tl.constexpr,
         BLOCK: tl.constexpr):
    """Makes a step of Adam, or of AdamW if the decay is decoupled from the gradient."""
    if is_skipped(infinite, HAS_INFINITE):
        return
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    value, slope = gradient_of(parameter, gradient, scale, at, mask, decay, HAS_SCALE, IS_MAXIMIZED, not IS_DECOUPLED,
                               NUMBER)
    rate = rate_of(rate, rate_tensor, HAS_RATE, NUMBER)
    if IS_DECOUPLED:
        value -= rate * decay * value
    steps = tl.load(step).to(NUMBER)
    first = tl.load(mean + at, mask=mask).to(NUMBER)
    first += (1 - beta1) * (slope - first)
    second = beta2 * tl.load(square + at, mask=mask).to(NUMBER) + (1 - beta2) * slope * slope
    tl.store(mean + at, first, mask=mask)
    tl.store(square + at, second, mask=mask)
    if HAS_LARGEST:
        second = tl.maximum(tl.load(largest + at, mask=mask).to(NUMBER), second)
        tl.store(largest + at, second, mask=mask)
    root = tl.sqrt(second) / tl.sqrt(complement_of_power(log2, steps)) + eps
    value -= rate / complement_of_power(log1, steps) * first / root
    tl.store(parameter + at, value, mask=mask)


@triton.jit
def sgd(parameter, gradient, momenta, rate_tensor, scale, infinite, count, rate, momentum, dampening, decay,
        HAS_MOMENTUM: tl.constexpr, IS_NESTEROV: tl.constexpr, IS_FIRST: tl.constexpr, IS_MAXIMIZED: tl.constexpr,
        HAS_RATE: tl.constexpr, HAS_SCALE: tl.constexpr, HAS_INFINITE: tl.constexpr, NUMBER: tl.constexpr,
        BLOCK: tl.constexpr):
    """Makes a step of stochastic gradient descent."""
    if is_skipped(infinite, HAS_INFINITE):
        return
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    value, slope = gradient_of(parameter, gradient, scale, at, mask, decay, HAS_SCALE, IS_MAXIMIZED, True, NUMBER)
    if HAS_MOMENTUM:
        moved = slope
        if not IS_FIRST:
            moved = momentum * tl.load(momenta + at, mask=mask).to(NUMBER) + (1 - dampening) * slope
        tl.store(momenta + at, moved, mask=mask)
        slope = slope + momentum * moved if IS_NESTEROV else moved
    tl.store(parameter + at, value - rate_of(rate, rate_tensor, HAS_RATE, NUMBER) * slope, mask=mask)


@triton.jit
def adagrad(parameter, gradient, sums, step, rate_tensor, scale, infinite, count, rate, rate_decay, decay, eps,
            IS_MAXIMIZED: tl.constexpr, HAS_RATE: tl.constexpr, HAS_SCALE: tl.constexpr, HAS_INFINITE: tl.constexpr,
            NUMBER: tl.constexpr, BLOCK: tl.constexpr):
    """Makes a step of Adagrad."""
    if is_skipped(infinite, HAS_INFINITE):
        return
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    value, slope = gradient_of(parameter, gradient, scale, at, mask, decay, HAS_SCALE, IS_MAXIMIZED, True, NUMBER)
    total = tl.load(sums + at, mask=mask).to(NUMBER) + slope * slope
    tl.store(sums + at, total, mask=mask)
    rate = rate_of(rate, rate_tensor, HAS_RATE, NUMBER) / (1 + (tl.load(step).to(NUMBER) - 1) * rate_decay)
    tl.store(parameter + at, value - rate * slope / (tl.sqrt(total) + eps), mask=mask)


def _launch(writer: Writer, kernel: Any, tensors: dict[str, Operand | None], numbers: dict[str, Any],
            constants: dict[str, Any]) -> None:
    """Adds the launch. The kernels have a flag for each tensor that may be absent."""
    parameter = tensors["parameter"]
    assert parameter is not None
    if any(one is not None and one.kind not in _TYPES for one in tensors.values()):
        raise Unsupported("a tensor of numbers that are not real")
    is_wide = parameter.kind == torch.float64
    arguments: dict[str, Any] = {name: one or parameter for name, one in tensors.items()}
    arguments["count"] = writer.product(*(parameter.size(dim) for dim in range(parameter.rank))), "i64"
    for name, number in numbers.items():
        arguments[name] = writer.real(number), "fp64" if is_wide else "fp32"
    writer.launch(kernel, [writer.ceil_div(arguments["count"][0], _BLOCK)], arguments,
                  {**constants, **_flags(tensors), "NUMBER": tl.float64 if is_wide else tl.float32, "BLOCK": _BLOCK})


def _flags(tensors: dict[str, Operand | None]) -> dict[str, bool]:
    names = {"largest": "HAS_LARGEST", "momenta": "HAS_MOMENTUM", "rate_tensor": "HAS_RATE", "scale": "HAS_SCALE",
             "infinite": "HAS_INFINITE"}
    return {names[name]: one is not None for name, one in tensors.items() if name in names}


def adam_step(writer: Writer, parameter: Operand, gradient: Operand, mean: Operand, square: Operand,
              largest: Operand | None, step: Operand, rate_tensor: Operand | None, scale: Operand | None,
              infinite: Operand | None, rate: Any, beta1: Any, beta2: Any, log1: Any, log2: Any, decay: Any, eps: Any,
              is_decoupled: bool, is_maximized: bool) -> None:
    """Writes the plan of pumice_vk::adam_step."""
    _launch(writer, adam,
            {"parameter": parameter, "gradient": gradient, "mean": mean, "square": square, "largest": largest, "step": step,
             "rate_tensor": rate_tensor, "scale": scale, "infinite": infinite},
            {"rate": rate, "beta1": beta1, "beta2": beta2, "log1": log1, "log2": log2, "decay": decay, "eps": eps},
            {"IS_DECOUPLED": is_decoupled, "IS_MAXIMIZED": is_maximized})


def sgd_step(writer: Writer, parameter: Operand, gradient: Operand, momenta: Operand | None, rate_tensor: Operand | None,
             scale: Operand | None, infinite: Operand | None, rate: Any, momentum: Any, dampening: Any, decay: Any,
             is_nesterov: bool, is_first: bool, is_maximized: bool) -> None:
    """Writes the plan of pumice_vk::sgd_step."""
    _launch(writer, sgd,
            {"parameter": parameter, "gradient": gradient, "momenta": momenta, "rate_tensor": rate_tensor, "scale": scale,
             "infinite": infinite},
            {"rate": rate, "momentum": momentum, "dampening": dampening, "decay": decay},
            {"IS_NESTEROV": is_nesterov, "IS_FIRST": is_first, "IS_MAXIMIZED": is_maximized})


def adagrad_step(writer: Writer, parameter: Operand, gradient: Operand, sums: Operand, step: Operand,
                 rate_tensor: Operand | None, scale: Operand | None, infinite: Operand | None, rate: Any, rate_decay: Any,
                 decay: Any, eps: Any, is_maximized: bool) -> None:
    """Writes the plan of pumice_vk::adagrad_step."""
    _launch(writer, adagrad,
            {"parameter": parameter, "gradient": gradient, "sums": sums, "step": step, "rate_tensor": rate_tensor,
             "scale": scale, "infinite": infinite},
            {"rate": rate, "rate_decay": rate_decay, "decay": decay, "eps": eps}, {"IS_MAXIMIZED": is_maximized})
