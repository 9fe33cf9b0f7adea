"""Reads what a SPIR-V module declares, and checks whether a Vulkan target allows it.

Both use Khronos's own tables. SPIR-V's grammar (spirv-headers) names the enumerants. Vulkan's registry
(vk.xml) says which version, extension, feature or property enables each capability and SPIR-V extension.
NEWER_* list what is newer than the installed tables.
"""
import functools
import json
import struct
import xml.etree.ElementTree

GRAMMAR = "/usr/include/spirv/unified1/spirv.core.grammar.json"
REGISTRY = "/usr/share/vulkan/registry/vk.xml"

MAGIC = 0x07230203
OP_EXTENSION, OP_EXT_INST_IMPORT, OP_MEMORY_MODEL, OP_CAPABILITY = 10, 11, 14, 17
KERNEL = 6

# Capabilities that the installed grammar lacks: number, name, and the features of which
# one is needed.
NEWER_CAPABILITIES = {
    5116: ("BFloat16TypeKHR", ["shaderBFloat16Type"]),
    5117: ("BFloat16DotProductKHR", ["shaderBFloat16DotProduct"]),
    5118: ("BFloat16CooperativeMatrixKHR", ["shaderBFloat16CooperativeMatrix"]),
    6022: ("CooperativeMatrixKHR", ["cooperativeMatrix"]),
    6026: ("GroupNonUniformRotateKHR", ["shaderSubgroupRotate"]),
    6029: ("FloatControls2", ["shaderFloatControls2"]),
    5629: ("ExpectAssumeKHR", ["shaderExpectAssume"]),
}
# SPIR-V extensions that the installed registry lacks: a Vulkan extension, and the version it is core in.
NEWER_EXTENSIONS = {
    "SPV_KHR_bfloat16": ("VK_KHR_shader_bfloat16", None),
    "SPV_KHR_cooperative_matrix": ("VK_KHR_cooperative_matrix", None),
    "SPV_KHR_expect_assume": ("VK_KHR_shader_expect_assume", (1, 4)),
    "SPV_KHR_float_controls2": ("VK_KHR_shader_float_controls2", (1, 4)),
    "SPV_KHR_maximal_reconvergence": ("VK_KHR_shader_maximal_reconvergence", None),
    "SPV_KHR_subgroup_rotate": ("VK_KHR_shader_subgroup_rotate", (1, 4)),
}
# The Vulkan version since which each extension is part of Vulkan. For these extensions, the registry
# names a later version, whose structure has the features.
CORE_SINCE = {"VK_KHR_16bit_storage": (1, 1), "VK_KHR_variable_pointers": (1, 1)}


class BadModule(Exception):
    """Reports bytes that are not a SPIR-V module. The text says what is wrong, and where."""


class Module:
    """The declarations of one module: version, capabilities (numbers), extensions, opcodes used."""

    def __init__(self, data: bytes):
        if len(data) < 20 or len(data) % 4:
            raise BadModule(f"SPIR-V size must be a multiple of 4 bytes and at least 20, got {len(data)}")
        order = "<" if struct.unpack_from("<I", data)[0] == MAGIC else ">"
        self.words = struct.unpack(f"{order}{len(data) // 4}I", data)
        if self.words[0] != MAGIC:
            raise BadModule(f"first word {self.words[0]:#010x} is not SPIR-V's magic number")
        self.version = (self.words[1] >> 16 & 0xFF, self.words[1] >> 8 & 0xFF)
        self.capabilities, self.extensions, self.opcodes = [], [], set()
        at = 5
        while at < len(self.words):
            count, opcode = self.words[at] >> 16, self.words[at] & 0xFFFF
            if count == 0 or at + count > len(self.words):
                raise BadModule(f"instruction at word {at} (opcode {opcode}) runs over the end")
            operands = self.words[at + 1 : at + count]
            self.opcodes.add(opcode)
            if opcode == OP_CAPABILITY and operands:
                self.capabilities.append(operands[0])
            elif opcode == OP_EXTENSION:
                text = struct.pack(f"<{len(operands)}I", *operands)
                self.extensions.append(text.split(b"\0")[0].decode("utf-8", "replace"))
            at += count

    @property
    def is_kernel(self) -> bool:
        return KERNEL in self.capabilities


@functools.cache
def grammar():
    """Returns names by capability number, opcodes and extension names that the installed tools know."""
    with open(GRAMMAR) as file:
        tables = json.load(file)
    capabilities, extensions = {}, set()
    for kind in tables["operand_kinds"]:
        for entry in kind.get("enumerants", []):
            extensions.update(entry.get("extensions", []))
            if kind["kind"] == "Capability":
                capabilities.setdefault(entry["value"], []).append(entry["enumerant"])
    for instruction in tables["instructions"]:
        extensions.update(instruction.get("extensions", []))
    return capabilities, {i["opcode"] for i in tables["instructions"]}, extensions


# Extensions that enable no enumerant or instruction, so that the grammar does not list them.
SILENT_EXTENSIONS = {
    "SPV_KHR_16bit_storage", "SPV_KHR_8bit_storage", "SPV_KHR_non_semantic_info",
    "SPV_KHR_storage_buffer_storage_class", "SPV_EXT_relaxed_printf_string_address_space",
}


def unknown_to_installed(module: Module) -> list[str]:
    """Returns features of the module that the installed validator does not know."""
    capabilities, opcodes, extensions = grammar()
    found = [f"capability {name_of(c)}" for c in module.capabilities if c not in capabilities]
    found += [f"extension {e}" for e in module.extensions
              if e not in extensions and e not in SILENT_EXTENSIONS]
    found += [f"opcode {o}" for o in sorted(module.opcodes - opcodes)]
    return found


def name_of(capability: int) -> str:
    names = grammar()[0].get(capability)
    if names:
        return names[0]
    return NEWER_CAPABILITIES.get(capability, (f"{capability} (unknown)",))[0]


@functools.cache
def registry():
    """Returns vk.xml's <enable> conditions by SPIR-V capability name and by SPIR-V extension name."""
    root = xml.etree.ElementTree.parse(REGISTRY).getroot()
    def conditions(tag):
        return {e.get("name"): [dict(c.attrib) for c in e.iter("enable")] for e in root.iter(tag)}
    flags = {e.get("name"): 1 << int(e.get("bitpos"))
             for e in root.iter("enum") if e.get("bitpos") and "SUBGROUP_FEATURE" in e.get("name", "")}
    return conditions("spirvcapability"), conditions("spirvextension"), flags


class Target:
    """A target environment as `pumice target-env --json` prints it."""

    def __init__(self, description: dict):
        version = description["version"]
        parts = version.split(".") if isinstance(version, str) else version
        self.version = (int(parts[0]), int(parts[1]))
        self.extensions = set(description.get("extensions", []))
        features = description.get("features", [])
        self.features = {f for f in features if not isinstance(features, dict) or features[f]}
        self.limits = description.get("limits", {})

    def has(self, name: str) -> bool:
        return name in self.features or bool(self.limits.get(name))

    def _available(self, names: str) -> bool:
        """Evaluates `requires` of the registry, a list of versions and extensions, any of which suffices."""
        for name in filter(None, names.split(",")):
            if name in CORE_SINCE and self.version >= CORE_SINCE[name]:
                return True
            if name.startswith("VK_VERSION_"):
                if self.version >= tuple(int(n) for n in name.split("_")[2:4]):
                    return True
            elif name in self.extensions:
                return True
        return not names

    def _meets(self, condition: dict) -> bool:
        if "version" in condition:
            return self._available(condition["version"])
        if "extension" in condition:
            return condition["extension"] in self.extensions
        if not self._available(condition.get("requires", "")):
            return False
        if "feature" in condition:
            # Two structures have a member of this name. Target environments distinguish them.
            nv = condition.get("struct", "").endswith("CooperativeMatrixFeaturesNV")
            return condition["feature"] + ("NV" if nv else "") in self.features
        value = condition["value"]
        if value in ("VK_TRUE", "VK_FALSE"):
            return self.has(condition["member"]) == (value == "VK_TRUE")
        flags = registry()[2]
        if value in flags:
            return bool(int(self.limits.get("subgroupFeatures", 0)) & flags[value])
        return False

    def refuses(self, module: Module) -> list[str]:
        """Returns each capability and extension of `module` that this target does not allow, with the reason."""
        by_capability, by_extension, _ = registry()
        found = []
        for capability in module.capabilities:
            # An enumerant has several names (a vendor's, then Khronos's). It is enough if one of them is allowed.
            names = grammar()[0].get(capability, [])
            conditions = [c for n in names for c in by_capability.get(n, [])]
            if any(self._meets(c) for c in conditions):
                continue
            needs = [c.get("feature") or c.get("member") or c.get("extension") or c.get("version")
                     for c in conditions]
            if not conditions and capability in NEWER_CAPABILITIES:
                needs = NEWER_CAPABILITIES[capability][1]
                if any(self.has(n) for n in needs):
                    continue
            why = f"needs {' or '.join(sorted(set(needs)))}" if needs else "no Vulkan device has it"
            found.append(f"capability {name_of(capability)}: {why}")
        for extension in module.extensions:
            if any(self._meets(c) for c in by_extension.get(extension, [])):
                continue
            needs = [c.get("extension") or c.get("version") for c in by_extension.get(extension, [])]
            if not needs and extension in NEWER_EXTENSIONS:
                name, core = NEWER_EXTENSIONS[extension]
                if name in self.extensions or (core and self.version >= core):
                    continue
                needs = [name]
            why = f"needs {' or '.join(needs)}" if needs else "no Vulkan device has it"
            found.append(f"extension {extension}: {why}")
        return found
