"""Triton's types in NumPy. Types that NumPy lacks are stored as bits."""
import numpy as np


class Type:
    """A type. `name` is its name in Triton's signatures, `lang` its name in triton.language."""

    def __init__(self, name, lang, storage, kind, layout=None):
        self.name, self.lang, self.storage, self.kind = name, lang, np.dtype(storage), kind
        self.layout = layout  # for floats that NumPy lacks: (exponent bits, mantissa bits, bias, special)
        self.bits = 1 if name == "i1" else self.storage.itemsize * 8

    def decode(self, stored):
        """Returns numbers that NumPy computes with: f64 for narrow floats."""
        if self.layout is None:
            return stored if self.kind != "b" else stored.astype(bool)
        if self.name == "bf16":
            return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
        return self._all()[stored]

    def encode(self, numbers):
        """Rounds to nearest even, without saturation."""
        numbers = np.asarray(numbers)
        if self.kind == "b":
            return (numbers != 0).astype(self.storage)
        if self.kind in "iu":
            return numbers.astype(self.storage)
        with np.errstate(all="ignore"):
            if self.layout is None:
                return numbers.astype(self.storage)
            if self.name == "bf16":
                bits = numbers.astype(np.float32).view(np.uint32)
                rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
                return np.where(np.isnan(numbers), 0x7FC0, rounded).astype(np.uint16)
            return self._nearest(numbers.astype(np.float64))

    def _all(self):
        """Returns the values of all 256 codes."""
        exponent_bits, mantissa_bits, bias, special = self.layout
        code = np.arange(256)
        exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
        mantissa = code & ((1 << mantissa_bits) - 1)
        scale = 2.0**mantissa_bits
        value = np.where(exponent == 0, mantissa / scale * 2.0**(1 - bias),
                         (1 + mantissa / scale) * 2.0**(exponent.astype(float) - bias))
        value = np.where(code & 0x80, -value, value)
        top = exponent == (1 << exponent_bits) - 1
        if special == "ieee":
            value[top & (mantissa == 0)] *= np.inf
            value[top & (mantissa != 0)] = np.nan
        elif special == "fn":
            value[top & (mantissa == (1 << mantissa_bits) - 1)] = np.nan
        elif special == "fnuz":
            value[0x80] = np.nan
        return value

    def _nearest(self, numbers):
        values = self._all()[:128]
        finite = values[np.isfinite(values)]
        above = np.clip(np.searchsorted(finite, np.abs(numbers)), 1, len(finite) - 1)
        low, high = finite[above - 1], finite[above]
        to_low, to_high = np.abs(numbers) - low, high - np.abs(numbers)
        up = (to_high < to_low) | ((to_high == to_low) & (above % 2 == 0))
        code = np.where(up, above, above - 1)
        code = code | np.where((numbers < 0) & ((code != 0) | (self.layout[3] != "fnuz")), 0x80, 0)
        none = np.flatnonzero(np.isnan(self._all()))
        return np.where(np.isnan(numbers) & (none.size > 0), none[0] if none.size else 0, code).astype(np.uint8)

    @property
    def epsilon(self):
        """Returns half of the distance from 1 to the next larger number."""
        if self.layout:
            return 2.0**-(self.layout[1] + 1)
        return float(np.finfo(self.storage).eps) / 2


I1 = Type("i1", "int1", np.uint8, "b")
I8, I16, I32, I64 = (Type(f"i{n}", f"int{n}", f"i{n // 8}", "i") for n in (8, 16, 32, 64))
U8, U16, U32, U64 = (Type(f"u{n}", f"uint{n}", f"u{n // 8}", "u") for n in (8, 16, 32, 64))
F16 = Type("fp16", "float16", np.float16, "f")
F32 = Type("fp32", "float32", np.float32, "f")
F64 = Type("fp64", "float64", np.float64, "f")
BF16 = Type("bf16", "bfloat16", np.uint16, "f", (8, 7, 127, "ieee"))
E4NV = Type("fp8e4nv", "float8e4nv", np.uint8, "f", (4, 3, 7, "fn"))
E5 = Type("fp8e5", "float8e5", np.uint8, "f", (5, 2, 15, "ieee"))
E4B8 = Type("fp8e4b8", "float8e4b8", np.uint8, "f", (4, 3, 8, "fnuz"))
E5B16 = Type("fp8e5b16", "float8e5b16", np.uint8, "f", (5, 2, 16, "fnuz"))
E4B15 = Type("fp8e4b15", "float8e4b15", np.uint8, "f", (4, 3, 15, "none"))

SIGNED, UNSIGNED = [I8, I16, I32, I64], [U8, U16, U32, U64]
INTEGERS = SIGNED + UNSIGNED
FLOATS = [BF16, F16, F32, F64]
EIGHTS = [E4NV, E5, E4B8, E5B16, E4B15]
NUMBERS = INTEGERS + FLOATS


def sample(rng, type, shape, low=None, high=None):
    """Returns random stored values of a type. Floats are between -4 and 4 by default."""
    if type.kind == "b":
        return rng.integers(0, 2, shape).astype(np.uint8)
    if type.kind == "f":
        return type.encode(rng.uniform(-4 if low is None else low, 4 if high is None else high, shape))
    info = np.iinfo(type.storage)
    return rng.integers(info.min if low is None else low, info.max if high is None else high, shape,
                        dtype=type.storage, endpoint=True)
