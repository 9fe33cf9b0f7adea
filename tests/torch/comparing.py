"""Moves the arguments of an operator to another device, and compares results of two devices."""
import torch
from torch.utils._pytree import tree_leaves, tree_map

SLACK = 4  # how many times the CPU's own error is allowed, where a tolerance is exceeded


def tensors_in(value):
    """Returns the tensors among lists, tuples and dictionaries."""
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


class Unmovable(NotImplementedError):
    """Says that a tensor has no counterpart on vk."""


class Mover:
    """Copies tensors to a device. Storages stay shared: views and aliases among the arguments are kept."""

    def __init__(self, device):
        self.device = torch.device(device)
        self.has_moved = False  # whether anything named a place
        self._storages = {}
        self._tensors = {}

    def move(self, value):
        """Returns a value with all of its tensors moved, and with this device in the place of the CPU."""
        return tree_map(self._leaf, value)

    def _leaf(self, value):
        if isinstance(value, torch.Tensor):
            self.has_moved = True
            if id(value) not in self._tensors:  # the same tensor twice is the same tensor again
                self._tensors[id(value)] = (value, self._tensor(value))
            return self._tensors[id(value)][1]
        if isinstance(value, torch.device) and value.type == "cpu" or isinstance(value, str) and value == "cpu":
            self.has_moved = True
            return self.device
        return value

    def _tensor(self, tensor):
        if tensor.layout != torch.strided or tensor.is_quantized:
            raise Unmovable(f"a tensor of layout {tensor.layout}")
        if tensor.is_conj():
            return self._tensor(tensor.conj()).conj()
        if tensor.is_neg():
            return self._tensor(tensor._neg_view())._neg_view()
        with torch.no_grad():
            base = self._storage(tensor.detach())
            made = base.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())
        made = made.detach().requires_grad_(tensor.requires_grad) if tensor.requires_grad else made
        if isinstance(tensor, torch.nn.Parameter):
            made = torch.nn.Parameter(made, requires_grad=tensor.requires_grad)
        return made

    def _storage(self, tensor):
        storage = tensor.untyped_storage()
        key = storage._cdata, tensor.dtype
        if key not in self._storages:
            count = storage.nbytes() // tensor.element_size()
            flat = torch.empty(0, dtype=tensor.dtype).set_(storage, 0, (count,), (1,))
            shared = next((made for (data, _), made in self._storages.items() if data == storage._cdata), None)
            if shared is None:
                made = torch.empty(count, dtype=tensor.dtype, device=self.device)
                made.copy_(flat)
            else:
                made = torch.empty(0, dtype=tensor.dtype, device=self.device)
                made.set_(shared.untyped_storage(), 0, (count,), (1,))
            self._storages[key] = made
        return self._storages[key]


def equal(one, other):
    """Returns whether two tensors have equal elements, and NaNs in the same places."""
    one, other = one.detach(), other.detach()
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return bool(((one == other) | ((one != one) & (other != other))).all())


def widened(value):
    """Returns a value with its floating-point tensors in the widest type."""
    def widen(leaf):
        if not isinstance(leaf, torch.Tensor):
            return {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
                    torch.complex64: torch.complex128}.get(leaf, leaf) if isinstance(leaf, torch.dtype) else leaf
        if leaf.is_complex():
            return leaf.detach().to(torch.complex128).requires_grad_(leaf.requires_grad)
        if leaf.is_floating_point():
            return leaf.detach().double().requires_grad_(leaf.requires_grad)
        return leaf
    return tree_map(widen, value)


def tolerances(entry, dtype):
    """Returns PyTorch's default (atol, rtol) of a type, or the largest that the entry itself overrides them with."""
    from torch.testing._comparison import default_tolerances
    rtol, atol = default_tolerances(dtype)
    for info in entry.decorators if entry else ():
        if getattr(info, "device_type", None) not in (None, "cpu", "cuda"):
            continue
        for decorator in getattr(info, "decorators", ()):
            kind = type(decorator).__name__
            if kind == "toleranceOverride" and dtype in decorator.d:
                given = decorator.d[dtype]
                atol, rtol = max(atol, given.atol), max(rtol, given.rtol)
            elif kind == "precisionOverride" and dtype in decorator.d:
                atol = max(atol, decorator.d[dtype])
    return atol, rtol


def first_line(error):
    """Returns the kind and the first line of an error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:400]


def layout_difference(ours, theirs):
    """Returns how the strides of two results differ, or nothing. Strides of one element have no meaning."""
    for number, (one, other) in enumerate(zip(ours, theirs)):
        if one.layout != torch.strided or other.layout != torch.strided or one.numel() <= 1:
            continue
        pairs = [(a, b) for size, a, b in zip(one.shape, one.stride(), other.stride()) if size > 1]
        if any(a != b for a, b in pairs):
            return f"result {number} of shape {list(other.shape)}: expected {other.stride()}, got {one.stride()}"
    return ""


def difference(ours, theirs, entry=None, *, values=True, device=None):
    """Returns how two lists of results differ, or nothing."""
    if len(ours) != len(theirs):
        return f"count: expected {len(theirs)} tensors, got {len(ours)}"
    for number, (one, other) in enumerate(zip(ours, theirs)):
        if one.dtype != other.dtype:
            return f"type: result {number}: expected {other.dtype}, got {one.dtype}"
        if one.shape != other.shape:
            return f"shape: result {number}: expected {list(other.shape)}, got {list(one.shape)}"
        if device and one.device.type != device:
            return f"device: result {number}: expected {device}, got {one.device}"
        if not values or other.layout != torch.strided:
            continue
        atol, rtol = tolerances(entry, other.dtype)
        try:
            torch.testing.assert_close(one.detach().cpu(), other.detach(), atol=atol, rtol=rtol, equal_nan=True)
        except AssertionError as error:
            said = [line for line in str(error).splitlines() if line.strip()]
            return f"value: result {number}: {'; '.join(said)}"[:500]
    return ""


def is_as_close(ours, theirs, exact):
    """Returns whether the errors of our results are about as small as the CPU's. `exact` has the wide results."""
    if len(ours) != len(exact) or len(theirs) != len(exact):
        return False
    for one, other, truth in zip(ours, theirs, exact):
        if one.shape != other.shape or one.dtype != other.dtype or truth.shape != other.shape:
            return False
        one, other, truth = one.detach().cpu(), other.detach(), truth.detach()
        if torch.equal(one, other):
            continue
        if not (one.is_floating_point() or one.is_complex()):
            return False
        wide = truth.dtype
        one, other = one.to(wide), other.to(wide)
        same = (one == other) | (one.isnan() & other.isnan())
        finite = truth.isfinite()
        if not (same | (finite & one.isfinite() & other.isfinite())).all():
            return False
        if not (finite & ~same).any():
            continue
        spacing = torch.finfo(theirs[0].dtype if theirs[0].is_floating_point() else torch.float32).eps
        allowed = SLACK * (other - truth)[finite].abs().max() + SLACK * spacing * truth[finite].abs()
        if not ((one - truth)[finite].abs() <= allowed).all():
            return False
    return True
