"""Gradients of resizes, padding, losses and activations."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from . import OpOverload, decomposes

aten = torch.ops.aten


def _forward(op: OpOverload) -> Callable[..., torch.Tensor]:
    """Returns PyTorch's decomposition of an operator."""
    found: Callable[..., torch.Tensor] = torch._decomp.decomposition_table[op]
    return found


def _weights(name: str, length: Any, size: Any, given: tuple[Any, ...], like: torch.Tensor) -> torch.Tensor:
    """Returns the weight of each of `length` elements in each of `size` results: the resize of a matrix of ones."""
    kind = torch.float64 if like.dtype == torch.float64 else torch.float32
    elements = torch.eye(length, dtype=kind, device=like.device).unsqueeze(0)
    if name != "upsample_bicubic2d":
        return _forward(getattr(aten, name).default)(elements, [size], *given)[0]
    # There is no cubic resize of lines. One of a row resizes only its length.
    return _forward(aten.upsample_bicubic2d.default)(elements.unsqueeze(2), [1, size], given[0], None, given[1])[0, :, 0]


def _resize(name: str, line: str, rank: int, *, has_corners: bool) -> None:
    """Registers the gradient of a resize: for each dimension, a product with the weights of the resize."""
    @decomposes(getattr(aten, f"{name}_backward").default)
    def backward(grad_output: torch.Tensor, output_size: Sequence[Any], input_size: Sequence[Any], *given: Any) -> Any:
        flags, scales = given[:has_corners], [*given[has_corners:], *[None] * rank]
        made = grad_output.float() if grad_output.dtype in (torch.float16, torch.bfloat16) else grad_output
        for d in range(rank):
            weights = _weights(line, input_size[2 + d], output_size[d], (*flags, scales[d]), grad_output)
            made = torch.movedim(torch.movedim(made, 2 + d, -1) @ weights.t(), -1, 2 + d)
        return made.to(grad_output.dtype).contiguous()


for _rank in (1, 2, 3):
    _resize(f"upsample_nearest{_rank}d", "upsample_nearest1d", _rank, has_corners=False)
    _resize(f"_upsample_nearest_exact{_rank}d", "_upsample_nearest_exact1d", _rank, has_corners=False)
_resize("upsample_linear1d", "upsample_linear1d", 1, has_corners=True)
_resize("upsample_bilinear2d", "upsample_linear1d", 2, has_corners=True)
_resize("upsample_trilinear3d", "upsample_linear1d", 3, has_corners=True)
_resize("upsample_bicubic2d", "upsample_bicubic2d", 2, has_corners=True)


@decomposes(aten.replication_pad1d_backward.default, aten.replication_pad2d_backward.default,
            aten.replication_pad3d_backward.default)
def replication_pad_backward(grad_output: torch.Tensor, self: torch.Tensor, padding: Sequence[Any]) -> torch.Tensor:
    """Adds gradients to the elements that were repeated. The padding begins with that of the last dimension."""
    made = grad_output
    for place in range(len(padding) // 2):
        dim = self.dim() - 1 - place
        length, sizes = self.shape[dim], list(made.shape)
        chosen = torch.arange(-padding[2 * place], length + padding[2 * place + 1], device=self.device).clamp(0, length - 1)
        sizes[dim] = length
        made = torch.zeros(sizes, dtype=made.dtype, device=made.device).index_add(dim, chosen, made)
    return made


_MEAN, _SUM = 1, 2


@decomposes(aten.multi_margin_loss_backward.default)
def multi_margin_loss_backward(grad_output: torch.Tensor, self: torch.Tensor, target: torch.Tensor, p: Any, margin: Any,
                               weight: torch.Tensor | None = None, reduction: int = _MEAN) -> torch.Tensor:
    rows, places = torch.atleast_2d(self), torch.atleast_1d(target).unsqueeze(1)
    distance = margin - torch.gather(rows, 1, places) + rows
    slopes = torch.where(distance > 0, 2 * distance if p == 2 else torch.ones_like(rows), 0) / rows.shape[1]
    if weight is not None:
        slopes = slopes * weight[places]
    is_target = torch.arange(rows.shape[1], device=self.device) == places
    slopes = torch.where(is_target, 0, slopes)
    slopes = torch.where(is_target, -slopes.sum(1, keepdim=True), slopes)
    return _of_mean(slopes, grad_output, reduction).view(self.shape)


def _label_margins(rows: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Finds by how much elements that are no labels come too close to each label.

    Returns:
        These numbers by row, label and element, or 0. Which labels there are, where they are, and which elements are
        labels. The labels of a row end at its first negative number.
    """
    counts = torch.cumprod((target >= 0).long(), 1) > 0
    places = torch.where(counts, target, 0)
    elements = torch.arange(rows.shape[1], device=rows.device)
    is_label = ((elements == places.unsqueeze(2)) & counts.unsqueeze(2)).any(1)
    margins = (1 - torch.gather(rows, 1, places).unsqueeze(2) + rows.unsqueeze(1)).clamp(min=0)
    return torch.where(counts.unsqueeze(2) & ~is_label.unsqueeze(1), margins, 0), counts, places, is_label


@decomposes(aten.multilabel_margin_loss_forward.default)
def multilabel_margin_loss_forward(self: torch.Tensor, target: torch.Tensor,
                                   reduction: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Computes the loss. PyTorch's decomposition also counts labels after the end."""
    rows = torch.atleast_2d(self)
    margins, _, _, is_label = _label_margins(rows, torch.atleast_2d(target))
    losses = margins.sum((1, 2)) / rows.shape[1]
    made = losses.mean() if reduction == _MEAN else losses.sum() if reduction == _SUM else losses
    return made.view([]) if self.dim() < 2 else made, is_label.to(self.dtype).view(target.shape)


@decomposes(aten.multilabel_margin_loss_backward.default)
def multilabel_margin_loss_backward(grad_output: torch.Tensor, self: torch.Tensor, target: torch.Tensor, reduction: int,
                                    is_target: torch.Tensor) -> torch.Tensor:
    rows = torch.atleast_2d(self)
    margins, counts, places, _ = _label_margins(rows, torch.atleast_2d(target))
    steps = (margins > 0).to(rows.dtype) / rows.shape[1]
    made = steps.sum(1).scatter_add(1, places, torch.where(counts, -steps.sum(2), 0))
    return _of_mean(made, grad_output, reduction).view(self.shape)


def _of_mean(slopes: torch.Tensor, grad_output: torch.Tensor, reduction: int) -> torch.Tensor:
    """Multiplies the derivatives of the losses of rows with the gradient of their sum, mean, or each loss."""
    if reduction == _MEAN:
        slopes = slopes / slopes.shape[0]
    return slopes * grad_output.reshape(-1, 1)


@decomposes(aten.softshrink_backward.default, aten.hardshrink_backward.default)
def shrink_backward(grad_output: torch.Tensor, self: torch.Tensor, lambd: float) -> torch.Tensor:
    return torch.where((self >= -lambd) & (self <= lambd), 0, grad_output)
