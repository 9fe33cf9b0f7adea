//===- ValidateVariant.cpp - checks a variant against its entry points ------===//
#include "executable/Validate.h"

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_set>

namespace pumice::executable {
namespace {
/// The demands that the source of a field makes on the field.
struct SourceRule {
  bool ofBuffer;       // `argument` must be a buffer
  bool alongDimension; // `dimension` must be one of the argument's
  bool address;        // 8 bytes; otherwise, numbers may have 4 or 8 bytes
};
SourceRule ruleOf(FieldSource source) {
  switch (source) {
  case FieldSource::BufferAddress:
    return {true, false, true};
  case FieldSource::BufferOffset:
  case FieldSource::BufferLength:
    return {true, false, false};
  case FieldSource::BufferExtent:
  case FieldSource::BufferStride:
    return {true, true, false};
  case FieldSource::PrintfAddress:
    return {false, false, true};
  case FieldSource::Scalar:
  case FieldSource::DynamicMemoryBytes:
  case FieldSource::PrintfWords:
    break;
  }
  return {false, false, false};
}

Status validateArgumentIndex(uint32_t index, ArgumentKind kind, const EntryPoint &entry,
                             const FieldPath &path) {
  if (index >= entry.arguments.size())
    return corrupt(path, "argument ", index, " is out of range: '", entry.name, "' has ",
                   entry.arguments.size());
  if (entry.arguments[index].kind != kind)
    return corrupt(path, "argument ", index, " of '", entry.name, "' is a ",
                   toString(entry.arguments[index].kind), ", not a ", toString(kind));
  return Status::ok();
}

Status validateFieldSize(const ParameterField &field, const EntryPoint &entry,
                         const FieldPath &path) {
  uint64_t size = field.size;
  if (field.source == FieldSource::Scalar) {
    const Argument &argument = entry.arguments[field.argument];
    uint64_t bytes = uint64_t{argument.elementBytes} * argument.vectorWidth;
    // A narrow scalar is zero-extended to a word, and an index to the number of bytes that the code
    // uses.
    bool widened = size > bytes && (size == 4 || size == 8);
    bool narrowIndex = argument.element == ElementType::index && size == 4;
    bool single = argument.vectorWidth == 1;
    if (size != bytes && !(single && (widened || narrowIndex)))
      return corrupt(path, "has ", size, " bytes, but the scalar has ", bytes);
    return Status::ok();
  }
  if (size != 8 && (ruleOf(field.source).address || size != 4))
    return corrupt(path, size, " is not a valid size for a ", toString(field.source), "; expected ",
                   ruleOf(field.source).address ? "8" : "4 or 8");
  return Status::ok();
}

Status validateField(const ParameterField &field, const EntryPoint &entry, uint32_t blockBytes,
                     const FieldPath &path) {
  FieldPath argument = path.field("argument"), dimension = path.field("dimension");
  PUMICE_RETURN_IF_ERROR(validateEnum(field.source, path.field("source")));
  SourceRule rule = ruleOf(field.source);
  if (rule.ofBuffer)
    PUMICE_RETURN_IF_ERROR(
        validateArgumentIndex(field.argument, ArgumentKind::Buffer, entry, argument));
  if (field.source == FieldSource::Scalar)
    PUMICE_RETURN_IF_ERROR(
        validateArgumentIndex(field.argument, ArgumentKind::Scalar, entry, argument));
  if (rule.alongDimension) {
    size_t rank = entry.arguments[field.argument].shape.size();
    if (field.dimension >= rank)
      return corrupt(dimension, "dimension ", field.dimension, " is out of range: the buffer has ",
                     rank);
  }
  PUMICE_RETURN_IF_ERROR(validateFieldSize(field, entry, path.field("size")));
  if (uint64_t{field.offset} + field.size > blockBytes)
    return corrupt(path.field("offset"), field.offset, " + ", field.size,
                   " bytes exceed parameterBytes ", blockBytes);
  return Status::ok();
}

Status validateFields(const Interface &interface, const EntryPoint &entry, const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(validateCount(interface.fields.size(), maxFields, path.field("fields")));
  std::vector<size_t> order;
  for (size_t i = 0; i < interface.fields.size(); ++i) {
    PUMICE_RETURN_IF_ERROR(validateField(interface.fields[i], entry, interface.parameterBytes,
                                         path.element("fields", i)));
    order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](size_t i) { return interface.fields[i].offset; });
  for (size_t i = 1; i < order.size(); ++i) {
    const ParameterField &before = interface.fields[order[i - 1]];
    const ParameterField &after = interface.fields[order[i]];
    FieldPath field = path.element("fields", order[i]);
    if (before.offset + before.size > after.offset)
      return corrupt(field.field("offset"), after.offset, " overlaps fields[", order[i - 1],
                     "], which has ", before.size, " bytes at ", before.offset);
  }
  return Status::ok();
}

Status validateBindings(const Interface &interface, const EntryPoint &entry,
                        const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(
      validateCount(interface.bindings.size(), maxBindings, path.field("bindings")));
  std::set<std::pair<uint32_t, uint32_t>> taken;
  size_t blocks = 0;
  for (size_t i = 0; i < interface.bindings.size(); ++i) {
    const DescriptorBinding &binding = interface.bindings[i];
    FieldPath place = path.element("bindings", i);
    PUMICE_RETURN_IF_ERROR(validateEnum(binding.source, place.field("source")));
    if (binding.set >= maxDescriptorSets)
      return corrupt(place.field("set"), binding.set, " is not below ", maxDescriptorSets);
    if (binding.binding > maxBindingNumber)
      return corrupt(place.field("binding"), binding.binding, " exceeds ", maxBindingNumber);
    if (!taken.emplace(binding.set, binding.binding).second)
      return corrupt(place.field("binding"), "set ", binding.set, " binding ", binding.binding,
                     " is taken by an earlier one");
    if (binding.source == BindingSource::Argument)
      PUMICE_RETURN_IF_ERROR(validateArgumentIndex(binding.argument, ArgumentKind::Buffer, entry,
                                                   place.field("argument")));
    else if (binding.uniform)
      return corrupt(place.field("uniform"), "only an argument's buffer may be a uniform buffer");
    blocks += binding.source == BindingSource::Parameters;
  }
  size_t expected = interface.place == ParameterPlace::DescribedBuffer;
  if (blocks != expected)
    return corrupt(path.field("bindings"), blocks, " bindings hold the parameter block; place ",
                   toString(interface.place), " needs ", expected);
  return Status::ok();
}

Status validateParameterBlock(const Interface &interface, const FieldPath &path) {
  FieldPath bytes = path.field("parameterBytes");
  PUMICE_RETURN_IF_ERROR(validateEnum(interface.place, path.field("place")));
  if (interface.parameterBytes > maxParameterBytes)
    return corrupt(bytes, interface.parameterBytes, " exceeds ", maxParameterBytes);
  if (interface.parameterBytes % 4)
    return corrupt(bytes, interface.parameterBytes, " is not a multiple of 4");
  bool hasBlock = interface.place != ParameterPlace::None;
  if (hasBlock != (interface.parameterBytes != 0))
    return corrupt(bytes, interface.parameterBytes, " does not fit place ",
                   toString(interface.place), hasBlock ? "; expected at least 4" : "; expected 0");
  return Status::ok();
}

/// Validates ids. A Vulkan module contains its own workgroup sizes. Values that the launch chooses
/// are passed as constants.
Status validateSpecIds(const Interface &interface, const EntryPoint &entry, VariantKind kind,
                       const FieldPath &path) {
  FieldPath memory = path.field("dynamicMemorySpecId");
  std::set<uint32_t> taken;
  for (size_t i = 0; i < 3; ++i) {
    FieldPath place = path.element("workgroupSizeSpecIds", i);
    uint32_t id = interface.workgroupSizeSpecIds[i];
    if (id != noSpecId && !taken.insert(id).second)
      return corrupt(place, id, " is taken by another constant");
    if (id == noSpecId && kind == VariantKind::VulkanSpirv && entry.workgroupSize[i] == 0)
      return corrupt(place, "missing, but '", entry.name, "' leaves this size to the launch");
  }
  uint32_t id = interface.dynamicMemorySpecId;
  if (id != noSpecId && !taken.insert(id).second)
    return corrupt(memory, id, " is taken by another constant");
  if (id == noSpecId && kind == VariantKind::VulkanSpirv && entry.dynamicWorkgroupMemory)
    return corrupt(memory, "missing, but '", entry.name, "' has dynamic workgroup memory");
  uint32_t bytes = interface.dynamicMemoryElementBytes;
  FieldPath element = path.field("dynamicMemoryElementBytes");
  if (id == noSpecId && bytes != 0)
    return corrupt(element, bytes, " without a dynamicMemorySpecId; expected 0");
  if (bytes > maxElementBytes)
    return corrupt(element, bytes, " exceeds ", maxElementBytes);
  return Status::ok();
}

/// Validates the size with which a variant was compiled: it is fixed, and so is that of the entry
/// point.
Status validateOwnSize(const Interface &interface, const EntryPoint &entry, const FieldPath &path) {
  FieldPath size = path.field("workgroupSize");
  const std::array<uint32_t, 3> &own = interface.workgroupSize;
  if (own == std::array<uint32_t, 3>{0, 0, 0})
    return Status::ok();
  if (std::ranges::count(own, 0u))
    return corrupt(size, "some extents are 0; expected all of them or none");
  if (std::ranges::count(entry.workgroupSize, 0u))
    return corrupt(size, "fixed, but '", entry.name, "' leaves its size to the launch");
  return validateSize(own, size);
}

Status validateSubgroups(const Interface &interface, const FieldPath &path) {
  uint32_t required = interface.requiredSubgroupSize, least = interface.leastSubgroupSize;
  auto isSize = [](uint32_t lanes) {
    return lanes == 0 || (std::has_single_bit(lanes) && lanes <= maxSubgroupSize);
  };
  if (!isSize(required))
    return corrupt(path.field("requiredSubgroupSize"), required,
                   " is neither 0 nor a power of two up to ", maxSubgroupSize);
  FieldPath leastPath = path.field("leastSubgroupSize");
  if (!isSize(least))
    return corrupt(leastPath, least, " is neither 0 nor a power of two up to ", maxSubgroupSize);
  if (required && least > required)
    return corrupt(leastPath, least, " exceeds requiredSubgroupSize ", required);
  return Status::ok();
}

Status validateInterface(const Interface &interface, const EntryPointsByName &entries,
                         VariantKind kind, const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(validateName(interface.symbol, path.field("symbol")));
  auto found = entries.find(interface.entryPoint);
  if (found == entries.end())
    return corrupt(path.field("entryPoint"), "no entry point is called '", interface.entryPoint,
                   "'");
  const EntryPoint &entry = *found->second;
  PUMICE_RETURN_IF_ERROR(validateParameterBlock(interface, path));
  PUMICE_RETURN_IF_ERROR(validateFields(interface, entry, path));
  PUMICE_RETURN_IF_ERROR(validateBindings(interface, entry, path));
  PUMICE_RETURN_IF_ERROR(validateSpecIds(interface, entry, kind, path));
  PUMICE_RETURN_IF_ERROR(validateOwnSize(interface, entry, path));
  if (interface.workgroupMemoryBytes > maxWorkgroupMemoryBytes)
    return corrupt(path.field("workgroupMemoryBytes"), interface.workgroupMemoryBytes, " exceeds ",
                   maxWorkgroupMemoryBytes);
  if (interface.indexBits != 0 && interface.indexBits != 32 && interface.indexBits != 64)
    return corrupt(path.field("indexBits"), interface.indexBits, " must be 0, 32 or 64");
  return validateSubgroups(interface, path);
}

Status validateNames(const std::vector<std::string> &names, const FieldPath &path,
                     std::string_view field) {
  for (size_t i = 0; i < names.size(); ++i)
    PUMICE_RETURN_IF_ERROR(validateName(names[i], path.element(field, i)));
  return Status::ok();
}

Status validateRequirements(const Requirements &r, VariantKind kind, const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(validateNames(r.extensions, path, "extensions"));
  PUMICE_RETURN_IF_ERROR(validateNames(r.features, path, "features"));
  PUMICE_RETURN_IF_ERROR(validateNames(r.cooperativeMatrices, path, "cooperativeMatrices"));
  PUMICE_RETURN_IF_ERROR(validateText(r.measuredMaps, path.field("measuredMaps")));
  PUMICE_RETURN_IF_ERROR(validateText(r.architecture, path.field("architecture"), maxNameBytes));
  if (kind == VariantKind::Native && r.architecture.empty())
    return corrupt(path.field("architecture"), "empty; native code must say what it runs on");
  return Status::ok();
}

Status validateCode(const Variant &variant, const FieldPath &path) {
  FieldPath code = path.field("code");
  if (variant.code.empty())
    return corrupt(code, "empty");
  bool isSpirv =
      variant.kind == VariantKind::VulkanSpirv || variant.kind == VariantKind::OpenclSpirv;
  if (!isSpirv)
    return Status::ok();
  auto symbols = spirvEntryPoints(variant.code, code);
  if (!symbols.isOk())
    return symbols.status();
  for (size_t i = 0; i < variant.interfaces.size(); ++i) {
    FieldPath interface = path.element("interfaces", i);
    const std::string &symbol = variant.interfaces[i].symbol;
    if (std::ranges::find(*symbols, symbol) == symbols->end())
      return corrupt(interface.field("symbol"), "the SPIR-V module has no entry point '", symbol,
                     "'");
  }
  return Status::ok();
}
} // namespace

Status validateVariant(const Variant &variant, const EntryPointsByName &entries,
                       const FieldPath &path) {
  PUMICE_RETURN_IF_ERROR(validateEnum(variant.kind, path.field("kind")));
  PUMICE_RETURN_IF_ERROR(validateText(variant.target, path.field("target"), maxNameBytes));
  PUMICE_RETURN_IF_ERROR(validateText(variant.targetEnv, path.field("targetEnv")));
  FieldPath requirements = path.field("requirements");
  PUMICE_RETURN_IF_ERROR(validateRequirements(variant.requirements, variant.kind, requirements));
  PUMICE_RETURN_IF_ERROR(
      validateCount(variant.interfaces.size(), maxEntryPoints, path.field("interfaces")));
  std::unordered_set<std::string_view> provided;
  for (size_t i = 0; i < variant.interfaces.size(); ++i) {
    const Interface &interface = variant.interfaces[i];
    FieldPath place = path.element("interfaces", i);
    PUMICE_RETURN_IF_ERROR(validateInterface(interface, entries, variant.kind, place));
    if (!provided.insert(interface.entryPoint).second)
      return corrupt(place.field("entryPoint"), "'", interface.entryPoint,
                     "' has an earlier interface in this variant");
  }
  return validateCode(variant, path);
}

} // namespace pumice::executable
