"""Builds the complete SPIR-V assembly of a shader.

Adds what every shader needs, and moves each line to the section that the format requires."""
import re

from harness import values

SECTIONS = ["OpCapability", "OpExtension", "OpExtInstImport", "OpMemoryModel", "OpEntryPoint",
            "OpExecutionMode", "OpName", "OpDecorate", "OpType", "OpFunction"]
TYPES = {"int8_t": "OpTypeInt 8 1", "uint8_t": "OpTypeInt 8 0", "int16_t": "OpTypeInt 16 1",
         "uint16_t": "OpTypeInt 16 0", "int": "OpTypeInt 32 1", "uint": "OpTypeInt 32 0",
         "int64_t": "OpTypeInt 64 1", "uint64_t": "OpTypeInt 64 0", "float16_t": "OpTypeFloat 16",
         "float": "OpTypeFloat 32", "double": "OpTypeFloat 64"}
CAPABILITIES = {"int8_t": "Int8 StorageBuffer8BitAccess", "uint8_t": "Int8 StorageBuffer8BitAccess",
                "int16_t": "Int16 StorageBuffer16BitAccess",
                "uint16_t": "Int16 StorageBuffer16BitAccess", "int64_t": "Int64",
                "uint64_t": "Int64", "float16_t": "Float16 StorageBuffer16BitAccess",
                "double": "Float64"}


def section_of(operation, line):
    if operation.startswith(("OpTypeForward", "OpType", "OpConstant", "OpSpecConstant")):
        return "OpType"
    if operation == "OpVariable" and not line.split()[-1].startswith("Function"):
        return "" if re.search(r"OpVariable %\S+ Function\b", line) else "OpType"
    if operation.startswith(("OpDecorate", "OpMemberDecorate", "OpGroupDecorate")):
        return "OpDecorate"
    if operation.startswith("OpExecutionMode"):
        return "OpExecutionMode"
    if operation in ("OpString", "OpSource", "OpMemberName"):
        return "OpName"
    return operation if operation in SECTIONS else ""


def preamble(case, parts, used):
    parts["OpCapability"].append("OpCapability Shader")
    parts["OpExtInstImport"].append('%glsl = OpExtInstImport "GLSL.std.450"')
    parts["OpDecorate"].append("OpDecorate %gid BuiltIn GlobalInvocationId")
    types = parts["OpType"]
    types += ["%void = OpTypeVoid", "%function = OpTypeFunction %void", "%bool = OpTypeBool",
              "%true = OpConstantTrue %bool", "%false = OpConstantFalse %bool"]
    named = {re.sub(r"^(to_)?(v[234])?", "", name) for name in re.findall(r"%(\w+)\b", used)}
    wanted = {"uint", "int", "float"} | named & set(TYPES)
    wanted |= {buffer.type for buffer in case.buffers if buffer.type in TYPES}
    for name in sorted(wanted):
        types.append(f"%{name} = {TYPES[name]}")
        parts["OpCapability"] += [f"OpCapability {c}" for c in CAPABILITIES.get(name, "").split()]
    types += [f"%v{n}{name} = OpTypeVector %{name} {n}" for n in (2, 3, 4)
              for name in sorted(wanted)]
    # Constants are declared if the text names them: %uint_5, %int_m1, %float_0_5.
    for name, sign, text in sorted(set(re.findall(r"%([a-z]+(?:\d+_t)?)_(m?)(\d+(?:_\d+)?)\b", used))
                                   | {("uint", "", "0")}):
        if name in TYPES:
            number = ("-" if sign else "") + text.replace("_", ".")
            types.append(f"%{name}_{sign}{text} = OpConstant %{name} {number}")
    types += ["%input3 = OpTypePointer Input %v3uint", "%gid = OpVariable %input3 Input"]
    for buffer in case.buffers:
        if buffer.access != "raw":
            declare(buffer, parts)


def declare(buffer, parts):
    dtype, components = values.parse_type(buffer.type)
    scalar = next(name for name, it in values.SCALARS.items() if it is dtype)
    element = scalar if components == 1 else f"v{components}{scalar}"
    stride = dtype().itemsize * (4 if components == 3 else components)
    name = buffer.name
    parts["OpDecorate"] += [
        f"OpDecorate %{name}_elements ArrayStride {stride}",
        f"OpDecorate %{name}_block Block", f"OpMemberDecorate %{name}_block 0 Offset 0",
        f"OpDecorate %{name} DescriptorSet {buffer.place[0]}",
        f"OpDecorate %{name} Binding {buffer.place[1]}"]
    if f"%to_{element} = OpTypePointer StorageBuffer %{element}" not in parts["OpType"]:
        parts["OpType"].append(f"%to_{element} = OpTypePointer StorageBuffer %{element}")
    parts["OpType"] += [
        f"%{name}_elements = OpTypeRuntimeArray %{element}",
        f"%{name}_block = OpTypeStruct %{name}_elements",
        f"%to_{name}_block = OpTypePointer StorageBuffer %{name}_block",
        f"%{name} = OpVariable %to_{name}_block StorageBuffer"]


def expand(line, elements, counter):
    """Expands `%x = LOAD a [%index]` and `STORE r %x [%index]`, which access a buffer's element.

    The default index is %i."""
    if match := re.match(r"(%\w+) = LOAD (\w+)(?: (%\w+))?$", line):
        to, name, index = match[1], match[2], match[3] or "%i"
        element = elements[name]
        return [f"{to}_at = OpAccessChain %to_{element} %{name} %uint_0 {index}",
                f"{to} = OpLoad %{element} {to}_at"]
    if match := re.match(r"STORE (\w+) (%\w+)(?: (%\w+))?$", line):
        name, value, index = match[1], match[2], match[3] or "%i"
        counter[0] += 1
        return [f"%store{counter[0]} = OpAccessChain %to_{elements[name]} %{name} %uint_0 {index}",
                f"OpStore %store{counter[0]} {value}"]
    return [line]


def whole(case):
    text = case.body
    for name, value in sorted(case.variant.items(), key=lambda item: -len(item[0])):
        text = text.replace("$" + name, value)
    lines = [re.sub(r"\s+;.*", "", line).strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith(";")]
    parts = {name: [] for name in SECTIONS}
    preamble(case, parts, "\n".join(lines))
    elements = {}
    for buffer in case.buffers:
        dtype, components = values.parse_type(buffer.type)
        scalar = next(name for name, it in values.SCALARS.items() if it is dtype)
        elements[buffer.name] = scalar if components == 1 else f"v{components}{scalar}"
    body, counter = [], [0]
    for line in lines:
        operation = re.sub(r"^%\w+ = ", "", line).split()[0]
        section = section_of(operation, line)
        if section and section != "OpFunction":
            if line not in parts[section]:
                parts[section].append(line)
        else:
            body += expand(line, elements, counter)
    parts["OpFunction"] = function(body)
    if not parts["OpMemoryModel"]:
        parts["OpMemoryModel"] = ["OpMemoryModel Logical GLSL450"]
    variables = [line.split()[0] for line in parts["OpType"] if "= OpVariable " in line
                 and (case.target > "vulkan1.1" or line.split()[-1] == "Input")]
    parts["OpEntryPoint"] = ['OpEntryPoint GLCompute %main "main" ' + " ".join(variables)]
    if not any("LocalSize" in line for line in parts["OpExecutionMode"]):
        parts["OpExecutionMode"].append("OpExecutionMode %main LocalSize {} {} {}".format(*case.size))
    return "\n".join(line for name in SECTIONS for line in parts[name]) + "\n"


def function(body):
    """Makes the text the body of main, unless it defines functions. %i is main's invocation."""
    start = ["%invocation = OpLoad %v3uint %gid", "%i = OpCompositeExtract %uint %invocation 0"]
    if any("= OpFunction " in line for line in body):
        at = next(i for i, line in enumerate(body) if line.startswith("%main = OpFunction"))
        at = next(i for i in range(at, len(body)) if "= OpLabel" in body[i]) + 1
        while "= OpVariable " in body[at]:
            at += 1
        return body[:at] + start + body[at:]
    variables = [line for line in body if "= OpVariable " in line]
    rest = [line for line in body if line not in variables]
    return (["%main = OpFunction %void None %function", "%entry = OpLabel"] + variables + start
            + rest + ["OpReturn", "OpFunctionEnd"])
