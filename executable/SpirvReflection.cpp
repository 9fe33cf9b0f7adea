//===- SpirvReflection.cpp - the interface of a SPIR-V module ---------------===//
// Reads the properties of the module first. Then finds the functions that each entry point reaches,
// and the variables that these functions use. Before version 1.4, the module does not list these
// variables.
//===-------------------------------------------------------------------------===//
#include "executable/SpirvReflection.h"

#include "executable/SpirvParameters.h"
#include "executable/SpirvTypes.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>

namespace pumice::executable {
using namespace spirv;

namespace {
// Limits for all entry points together. They exceed what real programs need, but take little
// memory.
constexpr size_t mostMembers = 1 << 16, mostDescriptors = 1 << 16, mostVisits = 1 << 22;
constexpr size_t mostEntryPoints = 1 << 12;

struct FunctionUses {
  std::vector<uint32_t> calls, variables; // ids, without duplicates
};

struct Variable {
  uint32_t storageClass = 0;
  SpirvLayout layout;         // the layout of workgroup memory
  bool isBlock = false;       // true: it shares its memory with other blocks
  SpirvDescriptor descriptor; // for variables in other storage classes
};

class Reflection {
public:
  Reflection(SpirvWords words, const FieldPath &path, std::span<const SpirvConstantValue> constants)
      : words(words), path(path), types(words, constants) {}
  Result<SpirvModule> run();

private:
  Status readModule();
  void readEntryPoint(SpirvInstruction instruction, std::string_view name);
  void readExecutionMode(SpirvInstruction instruction);
  void readVariable(SpirvInstruction instruction);
  void readSpecConstant(SpirvInstruction instruction);
  void readFunctions();
  void noteUses(SpirvInstruction instruction, FunctionUses &uses) const;
  Status attach(SpirvEntryPoint &entry, uint32_t function);
  static void addWorkgroupMemory(SpirvEntryPoint &entry, const Variable &variable,
                                 uint64_t &ofBlocks);
  void setWorkgroupSize(SpirvEntryPoint &entry, uint32_t function) const;
  DescriptorKind kindOf(uint32_t storageClass, uint32_t typeId) const;
  Access accessOf(uint32_t variable, uint32_t typeId) const;

  SpirvWords words;
  const FieldPath &path;
  SpirvTypes types;
  SpirvModule module;
  std::unordered_map<uint32_t, Variable> variables;
  std::unordered_map<uint32_t, FunctionUses> functions;
  std::unordered_map<uint32_t, std::vector<uint32_t>> parameters; // of functions, by id
  std::vector<uint32_t> entryFunctions;           // one for each entry point of the module
  std::unordered_map<uint32_t, size_t> sizeModes; // maps a function to the word of its mode
  uint32_t workgroupSizeConstant = 0;
  size_t members = mostMembers, descriptors = mostDescriptors, visits = mostVisits;
};

Result<SpirvModule> Reflection::run() {
  PUMICE_RETURN_IF_ERROR(types.read(path));
  uint32_t version = words.headerWord(1);
  module.versionMajor = version >> 16 & 0xff;
  module.versionMinor = version >> 8 & 0xff;
  if (module.versionMajor != 1)
    return Status(StatusCode::Unsupported,
                  concat(path.prefix(), "SPIR-V version ", module.versionMajor, ".",
                         module.versionMinor, " is unsupported; this build reads 1.0 to 1.6"));
  PUMICE_RETURN_IF_ERROR(readModule());
  readFunctions();
  for (size_t i = 0; i < module.entryPoints.size(); ++i) {
    SpirvEntryPoint &entry = module.entryPoints[i];
    setWorkgroupSize(entry, entryFunctions[i]);
    PUMICE_RETURN_IF_ERROR(attach(entry, entryFunctions[i]));
    if (entry.model != modelKernel)
      continue;
    if (auto found = parameters.find(entryFunctions[i]); found != parameters.end())
      describeParameters(types, entryFunctions[i], found->second, members, entry);
  }
  std::ranges::sort(module.specConstants, {}, &SpirvSpecConstant::id);
  module.emptyArray = types.emptyArray();
  return std::move(module);
}

Status Reflection::readModule() {
  for (SpirvInstruction instruction : words) {
    std::string_view text;
    switch (instruction.opcode()) {
    case OpCapability:
      module.capabilities.push_back(instruction.operand(0));
      break;
    case OpExtension:
      if (!instruction.text(0, text))
        return corrupt(path, "the extension's name at word ", instruction.position() + 1,
                       " has no terminating zero");
      module.extensions.emplace_back(text);
      break;
    case OpMemoryModel:
      module.physicalAddresses = instruction.operand(0) == addressingPhysicalStorageBuffer64;
      module.openCl = instruction.operand(1) == memoryModelOpenCl;
      break;
    case OpEntryPoint:
      if (!instruction.text(2, text))
        return corrupt(path, "the entry point's name at word ", instruction.position() + 3,
                       " has no terminating zero");
      if (module.entryPoints.size() == mostEntryPoints)
        return Status(StatusCode::ResourceExhausted,
                      concat(path.prefix(), "more than ", mostEntryPoints, " entry points"));
      readEntryPoint(instruction, text);
      break;
    case OpExecutionMode:
    case OpExecutionModeId:
      readExecutionMode(instruction);
      break;
    case OpVariable:
    case OpUntypedVariable:
      readVariable(instruction);
      break;
    case OpSpecConstantTrue:
    case OpSpecConstantFalse:
    case OpSpecConstant:
      readSpecConstant(instruction);
      break;
    case OpConstantComposite:
    case OpSpecConstantComposite:
      if (types.decoration(instruction.operand(1), BuiltIn) == builtInWorkgroupSize)
        workgroupSizeConstant = instruction.operand(1);
      break;
    default:
      break;
    }
  }
  return Status::ok();
}

void Reflection::readEntryPoint(SpirvInstruction instruction, std::string_view name) {
  SpirvEntryPoint &entry = module.entryPoints.emplace_back();
  entryFunctions.push_back(instruction.operand(1));
  entry.model = instruction.operand(0);
  entry.name = name;
  for (size_t i = 2 + SpirvInstruction::textOperands(name); i < instruction.operands(); ++i) {
    uint32_t id = instruction.operand(i);
    entry.interface.push_back(id);
    entry.readsNumWorkgroups |= types.decoration(id, BuiltIn) == builtInNumWorkgroups;
  }
}

void Reflection::readExecutionMode(SpirvInstruction instruction) {
  uint32_t mode = instruction.operand(1);
  if (mode != modeLocalSize && mode != modeLocalSizeId)
    return;
  sizeModes.insert_or_assign(instruction.operand(0), instruction.position());
}

/// Reads the execution mode, or a constant with the decoration WorkgroupSize, which takes
/// precedence.
void Reflection::setWorkgroupSize(SpirvEntryPoint &entry, uint32_t function) const {
  auto mode = sizeModes.find(function);
  std::optional<SpirvInstruction> sizes = types.definition(workgroupSizeConstant);
  bool literals = false;
  if (!sizes && mode != sizeModes.end()) {
    sizes = words.at(mode->second);
    literals = sizes->operand(1) == modeLocalSize;
  }
  for (size_t d = 0; sizes && d < 3; ++d) {
    uint32_t operand = sizes->operand(2 + d);
    // If the value of a constant cannot be computed, for example of a vector, it counts as at least
    // one.
    std::optional<SpirvConstant> value = types.constant(operand);
    entry.workgroupSize[d] = literals ? operand : value ? static_cast<uint32_t>(value->bits) : 1;
    if (!literals)
      entry.workgroupSizeSpecIds[d] = types.decoration(operand, SpecId).value_or(noSpecId);
  }
}

void Reflection::readSpecConstant(SpirvInstruction instruction) {
  uint32_t id = instruction.operand(1);
  std::optional<uint32_t> specId = types.decoration(id, SpecId);
  if (!specId)
    return;
  SpirvSpecConstant &constant = module.specConstants.emplace_back();
  constant.id = *specId;
  constant.name = types.name(id);
  shortenName(constant.name);
  constant.scalar = types.scalar(instruction.operand(0), constant.bytes);
  constant.defaultBits = types.literal(instruction).bits;
}

DescriptorKind Reflection::kindOf(uint32_t storageClass, uint32_t typeId) const {
  std::optional<SpirvInstruction> type = types.definition(typeId);
  if (storageClass == StorageBuffer)
    return DescriptorKind::StorageBuffer;
  if (storageClass == Uniform)
    return types.decoration(typeId, BufferBlock) ? DescriptorKind::StorageBuffer
                                                 : DescriptorKind::UniformBuffer;
  if (!type)
    return DescriptorKind::Unknown;
  bool combined = type->opcode() == OpTypeSampledImage;
  if (combined)
    type = types.definition(type->operand(1));
  if (!type)
    return DescriptorKind::Unknown;
  switch (type->opcode()) {
  case OpTypeSampler:
    return DescriptorKind::Sampler;
  case OpTypeAccelerationStructure:
    return DescriptorKind::AccelerationStructure;
  case OpTypeImage: { // {result, sampled type, dim, depth, arrayed, multisampled, sampled, ...}
    constexpr uint32_t dimBuffer = 5, dimSubpassData = 6;
    bool storage = type->operand(6) == 2;
    if (type->operand(2) == dimBuffer)
      return storage ? DescriptorKind::StorageTexelBuffer : DescriptorKind::UniformTexelBuffer;
    if (type->operand(2) == dimSubpassData)
      return DescriptorKind::InputAttachment;
    return combined  ? DescriptorKind::CombinedImageSampler
           : storage ? DescriptorKind::StorageImage
                     : DescriptorKind::SampledImage;
  }
  default:
    return DescriptorKind::Unknown;
  }
}

Access Reflection::accessOf(uint32_t variable, uint32_t typeId) const {
  std::optional<SpirvInstruction> type = types.definition(typeId);
  uint32_t count = type && type->opcode() == OpTypeStruct ? type->operands() - 1 : 0;
  auto all = [&](Decoration which) {
    if (types.decoration(variable, which))
      return true;
    for (uint32_t member = 0; member < count; ++member)
      if (!types.decoration(typeId, which, member))
        return false;
    return count > 0;
  };
  unsigned access = (all(NonReadable) ? 0 : unsigned(Access::Read)) |
                    (all(NonWritable) ? 0 : unsigned(Access::Write));
  return static_cast<Access>(access);
}

void Reflection::readVariable(SpirvInstruction instruction) {
  uint32_t id = instruction.operand(1), storageClass = instruction.operand(2);
  if (storageClass != UniformConstant && storageClass != Uniform && storageClass != PushConstant &&
      storageClass != StorageBuffer && storageClass != Workgroup)
    return;
  if (module.openCl && storageClass == UniformConstant)
    return;                                 // constants, which have no descriptor
  uint32_t typeId = instruction.operand(3); // for untyped variables: the type of their contents
  if (instruction.opcode() == OpVariable) {
    std::optional<SpirvInstruction> pointer = types.definition(instruction.operand(0));
    typeId = pointer && pointer->opcode() == OpTypePointer ? pointer->operand(2) : 0;
  }
  Variable &variable = variables[id];
  variable.storageClass = storageClass;
  if (storageClass == Workgroup) {
    variable.layout = types.layout(typeId);
    variable.isBlock = types.decoration(typeId, Block).has_value();
    return;
  }
  SpirvDescriptor &descriptor = variable.descriptor;
  // Supports only one dimension, because Vulkan has no arrays of arrays of descriptors.
  std::optional<SpirvInstruction> type = types.definition(typeId);
  if (type && (type->opcode() == OpTypeArray || type->opcode() == OpTypeRuntimeArray)) {
    descriptor.count = type->opcode() == OpTypeRuntimeArray ? 0 : types.arrayCount(*type);
    typeId = type->operand(1);
  }
  descriptor.block = types.block(typeId, members);
  if (std::string_view name = types.name(id); !name.empty())
    descriptor.block.name = name;
  shortenName(descriptor.block.name);
  if (storageClass == PushConstant)
    return;
  descriptor.set = types.decoration(id, DescriptorSet).value_or(0);
  descriptor.binding = types.decoration(id, Binding).value_or(0);
  descriptor.kind = kindOf(storageClass, typeId);
  descriptor.access =
      descriptor.kind == DescriptorKind::UniformBuffer ? Access::Read : accessOf(id, typeId);
}

/// Returns whether the operands of an instruction are only values and literals, not variables. This
/// holds for group operations and for products of packed vectors.
static bool takesValuesAlone(uint32_t opcode) {
  return (opcode >= OpGroupAll && opcode <= OpGroupSMax) ||
         (opcode >= OpGroupNonUniformElect && opcode <= OpGroupNonUniformQuadSwap) ||
         (opcode >= OpSDot && opcode <= OpSUDotAccSat);
}

/// Collects the variables among the operands of an instruction. Literals must be excluded, because
/// a literal that equals the id of a variable would bind an unused descriptor.
void Reflection::noteUses(SpirvInstruction instruction, FunctionUses &uses) const {
  size_t first = 0, last = instruction.operands();
  if (takesValuesAlone(instruction.opcode()))
    return;
  switch (instruction.opcode()) {
  case OpLine:
  case OpNoLine:
  case OpUndef:
  case OpLabel:
  case OpLoopMerge:
  case OpSelectionMerge:
  case OpBranchConditional:
  case OpSwitch:
  case OpVectorShuffle:
  case OpCompositeExtract:
  case OpCompositeInsert:
  case OpVariable:
  case OpCooperativeMatrixMulAddKHR:
    return;                        // labels, literals, and other values
  case OpCooperativeMatrixLoadKHR: // the layout is the id of a constant; the rest are literals
    first = 2, last = std::min<size_t>(last, 3);
    break;
  case OpCooperativeMatrixStoreKHR:
  case OpLifetimeStart:
  case OpLifetimeStop:
    last = std::min<size_t>(last, 1);
    break;
  case OpLoad:
  case OpAccessChain:
  case OpInBoundsAccessChain:
  case OpPtrAccessChain:
  case OpInBoundsPtrAccessChain:
  case OpArrayLength:
  case OpGenericCastToPtrExplicit:
    first = 2, last = std::min<size_t>(last, 3);
    break;
  case OpStore:
  case OpCopyMemory:
  case OpCopyMemorySized:
    last = std::min<size_t>(last, 2);
    break;
  case OpFunctionCall:
    uses.calls.push_back(instruction.operand(2));
    first = 3;
    break;
  case OpExtInst:
    first = 4;
    break;
  default:
    break;
  }
  for (size_t i = first; i < last; ++i)
    if (variables.contains(instruction.operand(i)))
      uses.variables.push_back(instruction.operand(i));
}

void Reflection::readFunctions() {
  auto once = [](std::vector<uint32_t> &ids) {
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
  };
  FunctionUses *current = nullptr;
  std::vector<uint32_t> *list = nullptr;
  for (SpirvInstruction instruction : words) {
    if (instruction.opcode() == OpFunction) {
      current = &functions[instruction.operand(1)];
      list = &parameters[instruction.operand(1)];
    } else if (instruction.opcode() == OpFunctionParameter && list) {
      list->push_back(instruction.operand(1));
    } else if (instruction.opcode() == OpFunctionEnd && current) {
      once(current->calls);
      once(current->variables);
      current = nullptr;
    } else if (current) {
      noteUses(instruction, *current);
    }
  }
}

/// Merges variables with the same set, binding and kind into one descriptor.
static void mergeAliases(std::vector<SpirvDescriptor> &descriptors) {
  auto place = [](const SpirvDescriptor &descriptor) {
    return std::tie(descriptor.set, descriptor.binding, descriptor.kind, descriptor.count);
  };
  std::ranges::sort(descriptors, {}, [](const SpirvDescriptor &descriptor) {
    return std::tie(descriptor.set, descriptor.binding, descriptor.kind, descriptor.count,
                    descriptor.block.name);
  });
  std::vector<SpirvDescriptor> merged;
  for (SpirvDescriptor &next : descriptors) {
    if (merged.empty() || place(merged.back()) != place(next)) {
      merged.push_back(std::move(next));
      continue;
    }
    SpirvDescriptor &first = merged.back();
    first.access = Access(unsigned(first.access) | unsigned(next.access));
    if (first.block.members != next.block.members)
      std::ranges::move(next.block.members, std::back_inserter(first.block.members));
    first.block.bytes = std::max(first.block.bytes, next.block.bytes);
    first.block.runtimeStride = std::max(first.block.runtimeStride, next.block.runtimeStride);
  }
  descriptors = std::move(merged);
}

Status Reflection::attach(SpirvEntryPoint &entry, uint32_t function) {
  std::vector<uint32_t> pending{function};
  std::unordered_set<uint32_t> reached{function};
  std::set<uint32_t> used; // sorted, so that equal modules have equal results
  auto tooMuch = [&] {
    return Status(StatusCode::ResourceExhausted,
                  concat(path.prefix(), "entry point '", entry.name,
                         "': the module has more descriptions than this build accepts"));
  };
  while (!pending.empty()) {
    auto found = functions.find(pending.back());
    pending.pop_back();
    if (found == functions.end())
      continue;
    const FunctionUses &uses = found->second;
    size_t cost = uses.calls.size() + uses.variables.size() + 1;
    if (cost > visits)
      return tooMuch();
    visits -= cost;
    used.insert(uses.variables.begin(), uses.variables.end());
    for (uint32_t callee : uses.calls)
      if (reached.insert(callee).second)
        pending.push_back(callee);
  }
  uint64_t blockBytes = 0;
  for (uint32_t id : used) {
    const Variable &variable = variables.at(id);
    size_t cost = variable.descriptor.block.members.size() + 1;
    if (cost > descriptors)
      return tooMuch();
    descriptors -= cost;
    if (variable.storageClass == Workgroup) {
      addWorkgroupMemory(entry, variable, blockBytes);
    } else if (variable.storageClass == PushConstant) {
      entry.hasPushConstants = true;
      entry.pushConstants = variable.descriptor.block;
    } else {
      entry.descriptors.push_back(variable.descriptor);
    }
  }
  mergeAliases(entry.descriptors);
  return Status::ok();
}

/// All blocks with a layout begin at the same address, so only the largest one counts.
void Reflection::addWorkgroupMemory(SpirvEntryPoint &entry, const Variable &variable,
                                    uint64_t &ofBlocks) {
  uint64_t bytes = variable.layout.packedBytes;
  if (variable.isBlock) {
    bytes -= std::min(bytes, ofBlocks);
    ofBlocks += bytes;
  }
  auto add = [&](uint64_t &sum) { sum = std::min(sum + bytes, SpirvTypes::mostSize); };
  add(entry.workgroupMemoryBytes);
  if (variable.layout.isOpen)
    add(entry.openWorkgroupMemoryBytes);
}
} // namespace

Result<SpirvModule> reflectSpirv(std::span<const uint8_t> code, const FieldPath &path,
                                 std::span<const SpirvConstantValue> constants) {
  PUMICE_TRY(SpirvWords words, SpirvWords::of(code, path));
  return Reflection(words, path, constants).run();
}

std::string_view toString(DescriptorKind kind) {
  switch (kind) {
  case DescriptorKind::StorageBuffer:
    return "storage buffer";
  case DescriptorKind::UniformBuffer:
    return "uniform buffer";
  case DescriptorKind::StorageImage:
    return "storage image";
  case DescriptorKind::SampledImage:
    return "sampled image";
  case DescriptorKind::CombinedImageSampler:
    return "combined image sampler";
  case DescriptorKind::Sampler:
    return "sampler";
  case DescriptorKind::StorageTexelBuffer:
    return "storage texel buffer";
  case DescriptorKind::UniformTexelBuffer:
    return "uniform texel buffer";
  case DescriptorKind::InputAttachment:
    return "input attachment";
  case DescriptorKind::AccelerationStructure:
    return "acceleration structure";
  case DescriptorKind::Unknown:
    break;
  }
  return "descriptor of an unknown kind";
}

std::string typeName(SpirvScalar scalar, uint32_t bytes) {
  switch (scalar) {
  case SpirvScalar::Int:
    return concat("i", bytes * 8);
  case SpirvScalar::Uint:
    return concat("u", bytes * 8);
  case SpirvScalar::Float:
    return concat("f", bytes * 8);
  case SpirvScalar::Bfloat:
    return "bf16";
  case SpirvScalar::Bool:
    return "bool";
  case SpirvScalar::Address:
    return "address";
  case SpirvScalar::WorkgroupMemory:
    return "workgroup memory";
  case SpirvScalar::Other:
    break;
  }
  return "value";
}

} // namespace pumice::executable
