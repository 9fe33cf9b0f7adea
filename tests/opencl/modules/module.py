"""Writes small SPIR-V modules for OpenCL, as assembly: types, constants and instructions by name.

Types are strings: i8 to i64 (OpenCL's integers have no sign), f16 to f64, bool, size (as wide as an address), void, and
vectors of them (f32x4). `pointer`, `array`, `struct` and `function` make others, which are ids.
"""
import re

CAPABILITY = {"i8": "Int8", "i16": "Int16", "i64": "Int64", "f16": "Float16", "f64": "Float64"}
STORAGE = {"global": "CrossWorkgroup", "local": "Workgroup", "own": "Function", "constant": "UniformConstant",
           "generic": "Generic", "input": "Input"}
BUILTINS = {"GlobalInvocationId": "sizex3", "LocalInvocationId": "sizex3", "WorkgroupId": "sizex3",
            "WorkgroupSize": "sizex3", "NumWorkgroups": "sizex3", "GlobalSize": "sizex3", "GlobalOffset": "sizex3",
            "WorkDim": "i32", "GlobalLinearId": "size", "LocalInvocationIndex": "size", "SubgroupSize": "i32",
            "SubgroupMaxSize": "i32", "NumSubgroups": "i32", "SubgroupId": "i32", "SubgroupLocalInvocationId": "i32",
            "EnqueuedWorkgroupSize": "sizex3"}


def parts(name):
    """Returns the element and the number of elements of a scalar's or vector's type."""
    element, _, width = name.partition("x")
    return element, int(width or 1)


def bits_of(element):
    return 8 if element == "bool" else int(element[1:])


class Module:
    def __init__(self, bits=64, version="1.0"):
        self.bits, self.version = bits, version
        self.capabilities, self.extensions, self.entries = {"Addresses", "Kernel"}, [], []
        self.modes, self.names, self.decorations, self.declared, self.functions = [], [], [], [], []
        self.known, self.builtins, self.count = {}, {}, 0
        self.body, self.variables = None, None

    def fresh(self):
        self.count += 1
        return f"%x{self.count}"

    def declare(self, text):
        """Returns the id of a type, constant or variable of the module, which exists once."""
        if text not in self.known:
            self.known[text] = self.fresh()
            self.declared.append(f"{self.known[text]} = {text}")
        return self.known[text]

    def needs(self, *capabilities):
        self.capabilities.update(capabilities)

    def extension(self, name):
        if name not in self.extensions:
            self.extensions.append(name)

    def decorate(self, target, text):
        self.decorations.append(f"OpDecorate {target} {text}")

    def type(self, name):
        if name.startswith("%"):
            return name
        element, width = parts(name)
        element = f"i{self.bits}" if element == "size" else element
        if width > 1:
            if width > 4:
                self.needs("Vector16")
            return self.declare(f"OpTypeVector {self.type(element)} {width}")
        if element in CAPABILITY:
            self.needs(CAPABILITY[element])
        if element in ("void", "bool"):
            return self.declare(f"OpType{element.capitalize()}")
        kind = "OpTypeInt {} 0" if element[0] == "i" else "OpTypeFloat {}"
        return self.declare(kind.format(element[1:]))

    def pointer(self, storage, pointee):
        if storage == "generic":
            self.needs("GenericPointer")
        return self.declare(f"OpTypePointer {STORAGE[storage]} {self.type(pointee)}")

    def array(self, element, count):
        return self.declare(f"OpTypeArray {self.type(element)} {self.constant('i32', count)}")

    def struct(self, *members, decorations=()):
        name = self.fresh()
        self.declared.append(f"{name} = OpTypeStruct {' '.join(self.type(m) for m in members)}")
        for text in decorations:
            self.decorate(name, text)
        return name

    def function_type(self, result, *parameters):
        return self.declare(f"OpTypeFunction {' '.join(self.type(t) for t in (result, *parameters))}")

    def constant(self, name, value):
        """Returns a constant of a scalar, or of a vector: of one number for each element, or for all."""
        element, width = parts(name)
        if width > 1:
            values = list(value) if hasattr(value, "__len__") else [value] * width
            each = " ".join(self.constant(element, v) for v in values)
            return self.declare(f"OpConstantComposite {self.type(name)} {each}")
        if element == "bool":
            return self.declare(f"OpConstant{bool(value)} {self.type(name)}")
        if element[0] == "f":
            return self.declare(f"OpConstant {self.type(name)} {float(value).hex()}")
        bits = self.bits if element == "size" else bits_of(element)
        return self.declare(f"OpConstant {self.type(name)} {int(value) % (1 << bits)}")

    def null(self, of):
        return self.declare(f"OpConstantNull {self.type(of)}")

    def variable(self, storage, pointee, initial=""):
        """Returns a variable of the module, or of the function if its storage is "own"."""
        name, line = self.fresh(), f"OpVariable {self.pointer(storage, pointee)} {STORAGE[storage]} {initial}"
        (self.variables if storage == "own" else self.declared).append(f"{name} = {line}")
        return name

    def op(self, operation, result, *operands):
        """Appends an instruction with a result, and returns its id."""
        name = self.fresh()
        self.body.append(f"{name} = {operation} {self.type(result)} {' '.join(map(str, operands))}")
        return name

    def do(self, operation, *operands):
        self.body.append(f"{operation} {' '.join(map(str, operands))}")

    def label(self, name=None):
        name = name or self.fresh()
        self.body.append(f"{name} = OpLabel")
        return name

    def std(self, function, result, *operands):
        """Appends a call of a function of OpenCL.std."""
        return self.op("OpExtInst", result, "%std", function, *operands)

    def builtin(self, name, component=None):
        if name not in self.builtins:
            if name.startswith(("Subgroup", "NumSubgroups")):
                self.needs("SubgroupDispatch" if self.version >= "1.1" else "Kernel")
            self.builtins[name] = self.variable("input", BUILTINS[name])
            self.decorate(self.builtins[name], f"BuiltIn {name}")
            self.decorate(self.builtins[name], "Constant")
        whole = self.op("OpLoad", BUILTINS[name], self.builtins[name])
        return whole if component is None else self.op("OpCompositeExtract", parts(BUILTINS[name])[0], whole, component)

    def function(self, result, *parameters, control="None"):
        """Begins a function, and returns its id and those of its parameters."""
        name = self.fresh()
        self.body, self.variables = [], []
        lines = [f"{name} = OpFunction {self.type(result)} {control} {self.function_type(result, *parameters)}"]
        given = [self.fresh() for _ in parameters]
        lines += [f"{p} = OpFunctionParameter {self.type(t)}" for p, t in zip(given, parameters)]
        self.functions.append([lines, self.variables, self.body])
        return name, *given

    def kernel(self, name, *parameters):
        """Begins a kernel, and returns its parameters."""
        entry, *given = self.function("void", *parameters)
        self.entries.append((entry, name, self.functions[-1]))
        return given

    def end(self, *value):
        self.do(*(("OpReturnValue", *value) if value else ("OpReturn",)))

    def element(self, pointer, of, index):
        """Returns a pointer to an element of a buffer."""
        return self.op("OpInBoundsPtrAccessChain", self.pointer("global", of), pointer, index)

    def load(self, pointer, of, index):
        return self.op("OpLoad", of, self.element(pointer, of, index), "Aligned", alignment(of, self.bits))

    def store(self, pointer, of, index, value):
        self.do("OpStore", self.element(pointer, of, index), value, "Aligned", alignment(of, self.bits))

    def text(self):
        lines = [f"OpCapability {name}" for name in sorted(self.capabilities)]
        lines += [f'OpExtension "{name}"' for name in self.extensions]
        lines += ['%std = OpExtInstImport "OpenCL.std"', f"OpMemoryModel Physical{self.bits} OpenCL"]
        for entry, name, _ in self.entries:
            bodies = set(re.findall(r"%\w+", " ".join(" ".join(f[2]) for f in self.functions)))
            used = [v for v in self.interface() if v in bodies]
            lines.append(f'OpEntryPoint Kernel {entry} "{name}" {" ".join(used)}')
        lines += self.modes + ["OpSource OpenCL_C 200000"] + self.names + self.decorations + self.declared
        for head, variables, body in self.functions:
            lines += head
            if body:
                lines += [f"{self.fresh()} = OpLabel", *variables, *body]
            lines.append("OpFunctionEnd")
        return "\n".join(lines) + "\n"

    def interface(self):
        """Returns the variables that an entry point lists: from SPIR-V 1.4 on, all of the module."""
        if self.version < "1.4":
            return list(self.builtins.values())
        return [line.split()[0] for line in self.declared if " = OpVariable " in line]


def alignment(name, bits):
    element, width = parts(name)
    size = bits if element == "size" else bits_of(element)
    return size // 8 * (4 if width == 3 else width)
