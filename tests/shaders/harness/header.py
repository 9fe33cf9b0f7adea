"""Reads a shader and its header: lines that begin with `//!`, or `;!` in assembly.

README.md describes them."""
import dataclasses
import itertools
import pathlib
import re

import numpy as np

from harness import values


class HeaderError(Exception):
    """Names the file and the line of an error in a header."""


@dataclasses.dataclass
class Buffer:
    name: str
    type: str  # a GLSL type
    access: str  # "in", "out", "inout", or "raw": the shader declares it itself
    place: tuple  # set, binding, element
    initial: np.ndarray
    expected: np.ndarray = None
    tolerance: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Case:
    """One variant of one shader."""

    name: str  # folder/file, and the variant
    path: pathlib.Path
    body: str  # without the header, whose lines are left empty
    variant: dict  # name -> text
    size: tuple = (32, 1, 1)
    groups: tuple = (2, 1, 1)
    subgroup: int = 0  # the required subgroup size; 0: the device chooses
    full: bool = False
    drivers: list = None  # the drivers that run it; None: all
    target: str = "vulkan1.3"
    buffers: list = dataclasses.field(default_factory=list)
    push: dict = dataclasses.field(default_factory=dict)
    constants: dict = dataclasses.field(default_factory=dict)

    @property
    def lanes(self):
        """The total number of invocations."""
        return int(np.prod(self.size) * np.prod(self.groups))


def read_directives(text):
    """Returns [(line number, directive)], and the text with these lines left empty."""
    directives, body = [], []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"\s*(?://|;)!( *)(.*)", line)
        body.append("" if match else line)
        if match and len(match[1]) > 2 and directives:
            directives[-1] = (directives[-1][0], directives[-1][1] + " " + match[2])
        elif match:
            directives.append((number, match[2]))
    return directives, "\n".join(body) + "\n"


def variants(directives):
    """Returns [{name: text}], one for each combination of the `for` lines."""
    axes = []
    for _, line in directives:
        if line.startswith("for "):
            names, items = line[4:].split(":", 1)
            names = [name.strip() for name in names.split(",")]
            axes.append([dict(zip(names, item.split(","))) for item in items.split()])
    return [{k: v for part in choice for k, v in part.items()} for choice in itertools.product(*axes)]


class Reader:
    """Evaluates one variant's header on a device with subgroups of `lanes`."""

    def __init__(self, case, lanes):
        self.case = case
        self.names = values.namespace()
        for name, text in case.variant.items():
            self.names[name] = self.value_of(text)
        self.names["SG"] = case.subgroup or lanes
        self.shape()

    def shape(self):
        self.names.update(N=self.case.lanes, I=np.arange(self.case.lanes), size=self.case.size,
                          groups=self.case.groups)

    def value_of(self, text):
        """Returns the value of `text`: NumPy's type for a GLSL scalar type, or that of an
        expression.

        Returns text that cannot be evaluated unchanged."""
        if text in values.SCALARS:
            return values.SCALARS[text]
        try:
            return self.evaluate(text)
        except (NameError, SyntaxError):
            return text

    def evaluate(self, text):
        with np.errstate(all="ignore"):
            # eval() gets one dictionary, so that comprehensions see its names too.
            return eval(text, self.names)

    def words(self, text):
        return re.sub(r"\b\w+\b", lambda m: self.case.variant.get(m[0], m[0]), text)

    def read(self, line):
        word, _, rest = line.partition(" ")
        if word in ("size", "groups"):
            numbers = tuple(int(self.value_of(n)) for n in self.words(rest).split())
            setattr(self.case, word, (numbers + (1, 1))[:3])
            self.shape()
        elif word == "let":
            names, text = rest.split("=", 1)
            names, value = names.split(","), self.evaluate(text.strip())
            self.names.update(zip((name.strip() for name in names),
                                  value if len(names) > 1 else [value]))
        elif word in ("in", "out", "inout", "raw"):
            self.buffer(word, rest)
        elif word == "push":
            name, text = rest.split("=", 1)
            self.case.push[name.strip()] = np.asarray(self.evaluate(text.strip())).tolist()
        elif word == "spec":
            number, text = rest.split("=", 1)
            self.case.constants[number.strip()] = self.evaluate(text.strip())
        elif word == "target":
            self.case.target = rest.strip()
        elif word == "full":
            self.case.full = True
        elif word == "only":
            self.case.drivers = rest.split()
        elif word not in ("for", "subgroup"):
            raise ValueError(f"'{word}' is no directive")

    def buffer(self, access, rest):
        match = re.fullmatch(r"(\w+) (\w+)(?: @([\d.]+))?((?: ~\w+:\S+)*) = (.*)", rest)
        if not match:
            raise ValueError(f"not 'TYPE NAME [@SET.BINDING[.ELEMENT]] [~KEY:VALUE] = EXPRESSION': {rest}")
        type_name = self.case.variant.get(match[1], match[1])
        dtype, components = values.parse_type(type_name)
        initial, expected = None, None
        first, arrow, second = match[5].partition("->")
        if access in ("in", "inout") or (access == "raw" and arrow):
            initial = self.elements(first, dtype, components)
            expected = initial
            if arrow:
                expected = None if second.strip() == "anything" else \
                    self.elements(second, dtype, components, initial.size)
                if expected is not None and expected.shape != initial.shape:
                    raise ValueError(f"{initial.size} elements before, {expected.size} afterwards")
        elif access == "raw":
            initial = expected = self.elements(first, dtype, components)
        else:
            expected = self.elements(first, dtype, components)
            # The initial value is not zero, so that unwritten elements are noticed.
            initial = np.frombuffer(b"\x5a" * expected.nbytes, dtype).reshape(expected.shape)
        if components == 3 and access != "raw":  # each row takes 16 bytes
            tail = np.frombuffer(b"\x5a" * initial[:, :1].nbytes, dtype).reshape(-1, 1)
            initial, expected = (np.hstack([part, tail]) for part in (initial, expected))
        tolerance = {key: float(self.evaluate(value))
                     for key, value in re.findall(r"~(\w+):(\S+)", match[4])}
        self.names[match[2]] = initial if access == "in" else expected
        place = tuple(int(part) for part in match[3].split(".")) if match[3] else \
            (0, len(self.case.buffers))
        self.case.buffers.append(Buffer(match[2], type_name, access, (place + (0,))[:3], initial,
                                        expected, tolerance))

    def elements(self, text, dtype, components, count=None):
        """Repeats a single number `count` times, by default once for each invocation."""
        value = self.evaluate(text.strip())
        if isinstance(value, list) and np.issubdtype(dtype, np.integer):
            value = np.array(value, object)  # integers of any size
        value = np.asarray(value)
        if value.ndim == 0:
            value = np.full(count or self.case.lanes * components, value)
        with np.errstate(all="ignore"):
            value = values.wrap(value, dtype) if value.dtype == object else value.astype(dtype)
        return value.reshape(-1, components) if components > 1 else value.ravel()


def read_cases(path, root, device_lanes):
    """Returns the variants of the shader for a device with subgroups of `device_lanes`.

    Variants that require another size name it in `subgroup`."""
    directives, body = read_directives(path.read_text())
    name = str(path.relative_to(root).with_suffix(""))
    sizes = [0]
    for _, line in directives:
        if line.startswith("subgroup "):
            sizes = [int(word) for word in line.split()[1:]]
    cases = []
    for variant in variants(directives):
        for size in sizes:
            labels = [re.sub(r"\W", "", text) for text in variant.values()][:3]
            label = "-".join([name, *labels] + [f"of{size}"] * (size > 0))
            variant_here = dict(variant, SG=str(size or device_lanes))
            case = Case(label, path, body, variant_here, subgroup=size)
            reader = Reader(case, device_lanes)
            for number, line in directives:
                try:
                    reader.read(line)
                except Exception as error:
                    raise HeaderError(f"{path}:{number}: {type(error).__name__}: {error}") from error
            cases.append(case)
    return cases
