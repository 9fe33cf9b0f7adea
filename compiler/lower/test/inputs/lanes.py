"""Runs a kernel in MLIR's generic form. All lanes of one workgroup run in lockstep.

Every value is a list with an entry for each invocation, and control flow that diverges is masked. A
lane that does not exist, or does not take part, gives None. A value that is computed from None is None
too, and it is an error to store it or to branch on it. The interpreter supports the operations of
arith, memref, scf, vector, gpu and spirv that the passes over lanes emit.
"""

import math
import operator
import re
import struct

OP = re.compile(r'^(?:(?P<results>%[^=]*) = )?"(?P<name>[\w.]+)"\((?P<operands>[^)]*)\)'
                r'(?: <\{(?P<props>.*?)\}>)?(?P<rest>.*)$')


class Op:
    def __init__(self, results, name, operands, props):
        self.results, self.name, self.operands, self.props = results, name, operands, props
        self.regions, self.types, self.operand_types = [], [], []

    def prop(self, key):
        match = re.search(r"\b%s = ([^,}]*(?:<[^>]*>)?[^,}]*)" % key, self.props)
        return match.group(1).strip() if match else None


def split_types(text):
    out, depth, current = [], 0, ""
    for c in text:
        depth += c in "<(["
        depth -= c in ">)]"
        if c == "," and depth == 0:
            out.append(current.strip())
            current = ""
        else:
            current += c
    return out + [current.strip()] if current.strip() else out


def expand_results(text):
    out = []
    for name in (text or "").split(","):
        name = name.strip()
        if not name:
            continue
        if ":" in name:
            base, count = name.split(":")
            out += ["%s#%d" % (base, i) for i in range(int(count))]
        else:
            out.append(name)
    return out


def set_types(op, text):
    match = re.search(r": \((.*?)\) -> (.*)$", text)
    if match:
        op.operand_types = split_types(match.group(1))
        result = match.group(2).split(" loc(")[0].strip()
        op.types = split_types(result[1:-1] if result.startswith("(") else result)


class Parser:
    def __init__(self, text):
        self.lines = [line.strip() for line in text.splitlines() if line.strip()]
        self.at = 0

    def block(self):
        """Parses operations up to the end of a region: (arguments, operations)."""
        arguments, ops = [], []
        while not self.lines[self.at].startswith("}"):
            line = self.lines[self.at]
            if line.startswith("^"):
                arguments = re.findall(r"(%[\w]+): ", line)
                self.at += 1
                continue
            ops.append(self.op())
        return arguments, ops

    def op(self):
        line = self.lines[self.at]
        match = OP.match(line)
        assert match, "cannot parse: " + line
        operands = [o.strip() for o in match["operands"].split(",") if o.strip()]
        op = Op(expand_results(match["results"]), match["name"], operands, match["props"] or "")
        self.at += 1
        tail = line
        while tail.endswith("({") or tail.endswith("}, {"):
            op.regions.append(self.block())
            tail = self.lines[self.at]
            self.at += 1
        set_types(op, tail)
        return op


def width_of(type_):
    return 64 if type_ == "index" else int(type_.lstrip("iu"))


def is_float(type_):
    return type_ in ("f16", "bf16", "f32", "f64")


def rounded(value, type_):
    if value is None or math.isnan(value) or math.isinf(value) or type_ == "f64":
        return value
    if type_ == "bf16":
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    code = {"f16": "<e", "f32": "<f"}[type_]
    try:
        return struct.unpack(code, struct.pack(code, value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def bitcast(value, source, target):
    codes = {"f16": "<e", "f32": "<f", "f64": "<d", "i16": "<H", "i32": "<I", "i64": "<Q"}
    return struct.unpack(codes[target], struct.pack(codes[source], value))[0]


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) & 1 else value


PREDICATES = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge] + [
    operator.lt, operator.le, operator.gt, operator.ge]

BINARY = {
    "arith.addi": operator.add, "arith.subi": operator.sub, "arith.muli": operator.mul,
    "arith.andi": operator.and_, "arith.ori": operator.or_, "arith.xori": operator.xor,
    "arith.addf": operator.add, "arith.mulf": operator.mul, "arith.subf": operator.sub,
    "arith.minui": min, "arith.maxui": max, "arith.divui": operator.floordiv,
}

GROUP = {
    "IAdd": operator.add, "FAdd": operator.add, "IMul": operator.mul, "FMul": operator.mul,
    "UMin": min, "UMax": max, "BitwiseAnd": operator.and_, "BitwiseOr": operator.or_,
    "BitwiseXor": operator.xor,
}


class Machine:
    """A workgroup of `count` invocations in subgroups of `size` lanes."""

    def __init__(self, count, size):
        self.count, self.size, self.values = count, size, {}

    def run(self, text, arguments):
        parser = Parser(text)
        while '"gpu.func"' not in parser.lines[parser.at]:
            parser.at += 1
        function = parser.op()
        names, ops = function.regions[0]
        for name, argument in zip(names, arguments):
            self.values[name] = argument
        for name in names[len(arguments):]:
            self.values[name] = {}  # a workgroup attribution
        self.execute(ops, [True] * self.count)

    def execute(self, ops, mask):
        """Returns the operands of the terminator."""
        for op in ops:
            if op.name in ("scf.yield", "scf.condition", "gpu.return"):
                return [self.values[o] for o in op.operands]
            operands = [self.values[o] for o in op.operands]
            results = self.step(op, operands, mask)
            for name, value in zip(op.results, results or []):
                self.values[name] = value
        return []

    def each(self, function, *operands):
        return [None if any(o is None for o in args) else function(*args)
                for args in zip(*operands)]

    def constant(self, op, type_):
        text = op.prop("value").split(" : ")[0]
        if text in ("true", "false"):
            return [int(text == "true")] * self.count
        if is_float(type_):
            value = (bitcast(int(text, 16), "i" + type_[1:], type_) if text.startswith("0x")
                     else float(text))
            return [value] * self.count
        return [int(text) & ((1 << width_of(type_)) - 1)] * self.count

    def step(self, op, operands, mask):
        name = op.name
        type_ = op.types[0] if op.types else None
        lanes = range(self.count)
        if name in ("arith.constant", "spirv.Constant"):
            return [self.constant(op, type_)]
        if name in BINARY:
            if is_float(type_):
                return [self.each(lambda a, b: rounded(BINARY[name](a, b), type_), *operands)]
            wrap = (1 << width_of(type_)) - 1
            return [self.each(lambda a, b: BINARY[name](a, b) & wrap, *operands)]
        if name.startswith("arith.") or name.startswith("math."):
            return [self.arith(op, operands, type_)]
        if name.startswith("spirv.GroupNonUniform"):
            return [self.group(op, operands, mask, type_)]
        if name == "gpu.lane_id":
            return [[i % self.size for i in lanes]]
        if name == "gpu.subgroup_id":
            return [[i // self.size for i in lanes]]
        if name == "gpu.subgroup_size":
            return [[self.size] * self.count]
        if name == "gpu.num_subgroups":
            return [[-(-self.count // self.size)] * self.count]
        if name == "gpu.thread_id":
            return [list(lanes) if "dim x" in op.props else [0] * self.count]
        if name == "gpu.block_dim":
            return [[self.count if "dim x" in op.props else 1] * self.count]
        if name == "gpu.barrier":
            assert all(mask), "a barrier that not all invocations reach"
            return []
        if name in ("memref.load", "memref.store"):
            return self.memory(op, operands, mask)
        if name.startswith("vector."):
            return [self.vector(op, operands, type_)]
        return {"scf.if": self.if_, "scf.for": self.for_, "scf.while": self.while_}[name](
            op, operands, mask)

    def arith(self, op, operands, type_):
        name, source = op.name, op.operand_types[0]
        if name == "arith.select":
            assert None not in operands[0] or True
            return [None if c is None else (a if c else b) for c, a, b in zip(*operands)]
        if name == "math.fma":
            return self.each(lambda a, b, c: rounded(a * b + c, type_), *operands)
        if name == "arith.cmpi":
            predicate, width = int(op.prop("predicate").split()[0]), width_of(source)
            fix = (lambda v: signed(v, width)) if 2 <= predicate <= 5 else (lambda v: v)
            compare = PREDICATES[predicate]
            return self.each(lambda a, b: int(compare(fix(a), fix(b))), *operands)
        if name in ("arith.extf", "arith.truncf"):
            return self.each(lambda a: rounded(a, type_), *operands)
        if name == "arith.bitcast":
            return self.each(lambda a: bitcast(a, source, type_), *operands)
        if name == "arith.negf":
            return self.each(operator.neg, *operands)
        width, wrap = width_of(source), (1 << width_of(type_)) - 1
        unary = {
            "arith.extui": lambda a: a, "arith.trunci": lambda a: a & wrap,
            "arith.index_castui": lambda a: a & wrap,
            "arith.extsi": lambda a: signed(a, width) & wrap,
            "arith.index_cast": lambda a: signed(a, width) & wrap,
        }
        if name in unary:
            return self.each(unary[name], *operands)
        binary = {
            "arith.shli": lambda a, b: a << b & wrap, "arith.shrui": lambda a, b: a >> b,
            "arith.shrsi": lambda a, b: signed(a, width) >> b & wrap,
            "arith.divui": lambda a, b: a // b, "arith.maxui": max,
            "arith.minsi": lambda a, b: min(a, b, key=lambda v: signed(v, width)),
            "arith.maxsi": lambda a, b: max(a, b, key=lambda v: signed(v, width)),
        }
        return self.each(binary[name], *operands)

    def source(self, operands, mask, lane, index):
        """Returns the operand's value in another lane of the same subgroup, if that lane takes part."""
        base = lane - lane % self.size
        other = base + index if index is not None and 0 <= index < self.size else self.count
        return operands[0][other] if other < self.count and mask[other] else None

    def group(self, op, operands, mask, type_):
        kind, lanes = op.name[len("spirv.GroupNonUniform"):], range(self.count)
        groups = [[i for i in range(b, min(b + self.size, self.count)) if mask[i]]
                  for b in range(0, self.count, self.size)]
        mine = lambda i: groups[i // self.size]
        local = lambda i: i % self.size
        if kind == "Elect":
            return [int(mask[i] and mine(i)[0] == i) for i in lanes]
        if kind in ("All", "Any"):
            vote = all if kind == "All" else any
            return [int(vote(operands[0][j] for j in mine(i))) for i in lanes]
        if kind == "Ballot":
            words = [sum(1 << local(j) for j in mine(i) if operands[0][j]) for i in lanes]
            return [[w >> 32 * k & 0xFFFFFFFF for k in range(4)] for w in words]
        if kind == "BallotFindLSB":
            whole = [sum(w << 32 * k for k, w in enumerate(v)) for v in operands[0]]
            return [(w & -w).bit_length() - 1 for w in whole]
        if kind in ("Shuffle", "Broadcast"):
            return [self.source(operands, mask, i, operands[1][i]) for i in lanes]
        if kind in ("ShuffleXor", "ShuffleDown", "ShuffleUp"):
            move = {"ShuffleXor": operator.xor, "ShuffleDown": operator.add,
                    "ShuffleUp": operator.sub}[kind]
            return [self.source(operands, mask, i, move(local(i), operands[1][i])) for i in lanes]
        clusters = operands[2] if kind == "RotateKHR" and len(operands) > 2 else (
            operands[1] if kind != "RotateKHR" and len(operands) > 1 else [self.size] * self.count)
        if kind == "RotateKHR":
            return [self.source(operands, mask, i, local(i) - local(i) % c +
                                (local(i) + d) % c) for i, d, c in zip(lanes, operands[1], clusters)]
        result = []
        for i in lanes:
            members = [j for j in mine(i) if j // clusters[i] == i // clusters[i]]
            result.append(self.fold(kind, [operands[0][j] for j in members], type_))
        return result

    def fold(self, kind, values, type_):
        if not values or None in values:
            return None
        if kind in ("SMin", "SMax"):
            pick = min if kind == "SMin" else max
            return pick(values, key=lambda v: signed(v, width_of(type_)))
        total = values[0]
        for value in values[1:]:
            total = GROUP[kind](total, value)
            total = rounded(total, type_) if is_float(type_) else (
                total & ((1 << width_of(type_)) - 1))
        return total

    def memory(self, op, operands, mask):
        is_store = op.name == "memref.store"
        buffer, indices = operands[is_store], operands[is_store + 1:]
        result = [None] * self.count
        for i in range(self.count):
            if not mask[i]:
                continue
            key = tuple(index[i] for index in indices)
            assert None not in key, "an address that is not defined"
            if is_store:
                assert operands[0][i] is not None, "a stored value that is not defined"
                buffer[key] = operands[0][i]
            else:
                result[i] = buffer.get(key)
        return [] if is_store else [result]

    def vector(self, op, operands, type_):
        if op.name == "vector.extract":
            position = int(re.search(r"array<i64: (\d+)>", op.props).group(1))
            return self.each(lambda v: v[position], operands[0])
        if op.name == "vector.from_elements":
            return [list(values) for values in zip(*operands)]
        assert op.name == "vector.broadcast", op.name
        count = int(re.search(r"vector<(\d+)x", type_).group(1))
        return [[v] * count for v in operands[0]]

    def region(self, region, arguments, mask):
        for name, value in zip(region[0], arguments):
            self.values[name] = value
        return self.execute(region[1], mask)

    def merge(self, mask, new, old):
        return [[n if m else o for m, n, o in zip(mask, a, b)] for a, b in zip(new, old)]

    def if_(self, op, operands, mask):
        assert not any(m and c is None for m, c in zip(mask, operands[0])), "an undefined branch"
        taken = [bool(m and c) for m, c in zip(mask, operands[0])]
        other = [bool(m and not c) for m, c in zip(mask, operands[0])]
        results = [[None] * self.count for _ in op.results]
        for region, part in zip(op.regions, (taken, other)):
            if any(part):
                results = self.merge(part, self.region(region, [], part), results)
        return results

    def for_(self, op, operands, mask):
        i, end, by = operands[:3]
        carried = operands[3:]
        while True:
            live = [bool(m and a < b) for m, a, b in zip(mask, i, end)]
            if not any(live):
                return carried
            carried = self.merge(live, self.region(op.regions[0], [i] + carried, live), carried)
            i = [a + s if m else a for m, a, s in zip(live, i, by)]

    def while_(self, op, operands, mask):
        state, live = operands, mask
        results = [[None] * self.count for _ in op.results]
        while True:
            condition, *values = self.region(op.regions[0], state, live)
            results = self.merge(live, values, results)
            live = [bool(m and c) for m, c in zip(live, condition)]
            if not any(live):
                return results
            state = self.merge(live, self.region(op.regions[1], values, live), state)
