//===- ExecutableArguments.cpp - arguments by position into a variant -------===//
// Fills the parameter block and the bindings that a variant's interface asks for: the packaging
// code's promise, read back independently of the runtime.
//===-------------------------------------------------------------------------===//
#include "executable/Executable.h"
#include "tests/support/Files.h"
#include "tests/support/Runner.h"

#include <cstring>

using namespace pumice::executable;

namespace pumice::tests {
namespace {

/// An entry point and the code for it: each kernel may have a variant of its own.
struct Chosen {
  const EntryPoint *entry = nullptr;
  const Variant *variant = nullptr;
  const Interface *interface = nullptr;
};

Result<Chosen> choose(const Executable &contents, const Dispatch &dispatch) {
  Chosen chosen;
  std::string name = dispatch.entry;
  if (name.empty() && contents.entryPoints.size() == 1)
    name = contents.entryPoints[0].name;
  for (const EntryPoint &entry : contents.entryPoints)
    if (entry.name == name)
      chosen.entry = &entry;
  if (!chosen.entry)
    return Status(StatusCode::NotFound, "there is no entry point '" + name + "'");
  if (chosen.entry->arguments.size() != dispatch.arguments.size())
    return Status(StatusCode::InvalidArgument,
                  name + " takes " + std::to_string(chosen.entry->arguments.size()) +
                      " arguments, " + std::to_string(dispatch.arguments.size()) + " are given");
  std::string seen;
  for (const Variant &variant : contents.variants) {
    seen += (seen.empty() ? "" : ", ") + variant.target;
    if (variant.kind != VariantKind::VulkanSpirv ||
        (!dispatch.target.empty() && variant.target != dispatch.target))
      continue;
    for (const Interface &interface : variant.interfaces)
      if (interface.entryPoint == name)
        return Chosen{chosen.entry, &variant, &interface};
  }
  return Status(StatusCode::NotFound,
                "no Vulkan variant of '" + name + "'" +
                    (dispatch.target.empty() ? "" : " for '" + dispatch.target + "'") +
                    "; the executable's variants are for: " + seen);
}

Result<Type> scalarType(const Argument &argument) {
  switch (argument.element) {
  case ElementType::i1:
  case ElementType::i4:
  case ElementType::i8:
    return Type::i8;
  case ElementType::i16:
    return Type::i16;
  case ElementType::i32:
    return Type::i32;
  case ElementType::i64:
    return Type::i64;
  case ElementType::index:
    return argument.elementBytes == 8 ? Type::i64 : Type::i32;
  case ElementType::bf16:
    return Type::bf16;
  case ElementType::f16:
    return Type::f16;
  case ElementType::f32:
    return Type::f32;
  case ElementType::f64:
    return Type::f64;
  case ElementType::f8:
  case ElementType::opaque:
    break;
  }
  return Status(StatusCode::Unsupported, "scalars of this element type cannot be written as JSON");
}

/// A scalar or, from a list, a vector; zeros fill what the field has beyond it.
Result<std::vector<uint8_t>> scalarBytes(const Argument &argument, const llvm::json::Value &value) {
  Result<Type> type = scalarType(argument);
  if (!type.isOk())
    return type.status();
  std::vector<uint8_t> bytes;
  if (const llvm::json::Array *elements = value.getAsArray()) {
    for (const llvm::json::Value &element : *elements)
      PUMICE_RETURN_IF_ERROR(appendValue(bytes, *type, element));
  } else {
    PUMICE_RETURN_IF_ERROR(appendValue(bytes, *type, value));
  }
  return bytes;
}

/// One launch's arguments beside the entry point's description of them.
struct Launch {
  const Case &test;
  const Dispatch &dispatch;
  const EntryPoint &entry;
  std::vector<const DeviceBuffer *> buffers; // null: a scalar
  const DeviceBuffer *printf = nullptr;      // null: none is named

  int64_t extent(uint32_t argument, uint32_t dimension) const {
    int64_t fixed = dimension < entry.arguments[argument].shape.size()
                        ? entry.arguments[argument].shape[dimension]
                        : dynamic;
    if (fixed != dynamic)
      return fixed;
    const BufferData &data = *buffers[argument]->data;
    uint64_t elementBytes =
        uint64_t(entry.arguments[argument].elementBytes) * entry.arguments[argument].vectorWidth;
    const std::vector<int64_t> &given = dispatch.arguments[argument].shape.empty()
                                            ? data.shape
                                            : dispatch.arguments[argument].shape;
    if (given.empty() && entry.arguments[argument].shape.size() == 1)
      return static_cast<int64_t>(data.initial.size() / elementBytes);
    return dimension < given.size() ? given[dimension] : dynamic;
  }
  int64_t stride(uint32_t argument, uint32_t dimension) const {
    const std::vector<int64_t> &given = dispatch.arguments[argument].strides;
    if (dimension < given.size())
      return given[dimension];
    int64_t product = 1; // row-major
    for (size_t d = entry.arguments[argument].shape.size(); d-- > dimension + 1;)
      product *= extent(argument, static_cast<uint32_t>(d));
    return product;
  }
};

/// The bytes of one field, before they are cut or zero-extended to its size.
Result<std::vector<uint8_t>> fieldBytes(const ParameterField &field, const Launch &launch) {
  auto number = [](int64_t value) {
    std::vector<uint8_t> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  };
  bool ofArgument = field.source != FieldSource::PrintfAddress &&
                    field.source != FieldSource::PrintfWords &&
                    field.source != FieldSource::DynamicMemoryBytes;
  if (ofArgument && field.argument >= launch.buffers.size())
    return Status(StatusCode::DataCorrupt,
                  "a field is about argument " + std::to_string(field.argument));
  const DeviceBuffer *buffer = ofArgument ? launch.buffers[field.argument] : nullptr;
  if (ofArgument && field.source != FieldSource::Scalar && !buffer)
    return Status(StatusCode::InvalidArgument,
                  "argument " + std::to_string(field.argument) + " has to be a buffer");
  switch (field.source) {
  case FieldSource::BufferAddress:
    if (!buffer->address)
      return Status(StatusCode::Unsupported, "the device lacks bufferDeviceAddress");
    return number(static_cast<int64_t>(buffer->address));
  case FieldSource::BufferOffset:
    return number(launch.dispatch.arguments[field.argument].offset);
  case FieldSource::BufferExtent: {
    int64_t extent = launch.extent(field.argument, field.dimension);
    if (extent == dynamic)
      return Status(StatusCode::InvalidArgument,
                    "argument " + std::to_string(field.argument) + " needs a shape");
    return number(extent);
  }
  case FieldSource::BufferStride:
    return number(launch.stride(field.argument, field.dimension));
  case FieldSource::BufferLength:
    return number(static_cast<int64_t>(buffer->data->initial.size()));
  case FieldSource::PrintfAddress:
    return number(static_cast<int64_t>(launch.printf ? launch.printf->address : 0));
  case FieldSource::PrintfWords:
    return number(
        static_cast<int64_t>(launch.printf ? launch.printf->data->initial.size() / 4 : 0));
  case FieldSource::DynamicMemoryBytes:
    return number(launch.dispatch.dynamicMemoryBytes);
  case FieldSource::Scalar:
    if (buffer)
      return Status(StatusCode::InvalidArgument,
                    "argument " + std::to_string(field.argument) + " has to be a scalar");
    return scalarBytes(launch.entry.arguments[field.argument],
                       launch.dispatch.arguments[field.argument].scalar);
  }
  return Status(StatusCode::DataCorrupt, "a field has an unknown source");
}

Result<std::vector<uint8_t>> parameterBlock(const Interface &interface, const Launch &launch) {
  std::vector<uint8_t> block(interface.parameterBytes);
  for (size_t i = 0; i < interface.fields.size(); ++i) {
    const ParameterField &field = interface.fields[i];
    Result<std::vector<uint8_t>> bytes = fieldBytes(field, launch);
    if (!bytes.isOk())
      return Status(bytes.status()).at("field " + std::to_string(i));
    if (uint64_t(field.offset) + field.size > block.size())
      return Status(StatusCode::DataCorrupt,
                    "field " + std::to_string(i) + " lies beyond the parameter block");
    bytes->resize(field.size); // integers are little-endian: cutting and zero-extending is this
    std::memcpy(block.data() + field.offset, bytes->data(), field.size);
  }
  return block;
}

/// Workgroup size and dynamic memory, where they are specialization constants.
Status specialize(const Interface &interface, const Launch &launch,
                  std::vector<vulkan::SpecializationConstant> &constants) {
  for (size_t d = 0; d < 3; ++d)
    if (interface.workgroupSizeSpecIds[d] != noSpecId) {
      uint32_t size = launch.dispatch.workgroupSize[d];
      if (size == 0)
        return Status(StatusCode::InvalidArgument, "the entry point needs a workgroup_size");
      constants.push_back({interface.workgroupSizeSpecIds[d], 4, size});
    }
  if (interface.dynamicMemorySpecId != noSpecId)
    constants.push_back({interface.dynamicMemorySpecId, 4, launch.dispatch.dynamicMemoryElements});
  return Status::ok();
}

/// What the code counts on, where neither the module nor the pipeline can say it.
Status checkSubgroups(const Interface &interface, const Launch &launch,
                      const vulkan::BareDevice &device) {
  uint32_t required = interface.requiredSubgroupSize;
  if (!required && interface.leastSubgroupSize > device.minSubgroupSize)
    return Status(StatusCode::Unsupported, "needs subgroups of " +
                                               std::to_string(interface.leastSubgroupSize) +
                                               " lanes or more; the device may choose " +
                                               std::to_string(device.minSubgroupSize));
  bool known = launch.entry.workgroupSize[0] != 0;
  uint32_t x = known ? launch.entry.workgroupSize[0] : launch.dispatch.workgroupSize[0];
  uint32_t size = required ? required : device.maxSubgroupSize;
  if (interface.fullSubgroups && size && x % size)
    return Status(StatusCode::InvalidArgument,
                  "needs full subgroups, but its " + std::to_string(x) +
                      " invocations along x are no multiple of " + std::to_string(size));
  return Status::ok();
}

/// Puts a buffer behind every descriptor that the interface names.
Status bind(const Interface &interface, const Launch &launch, const DeviceBuffer *parameters,
            PreparedDispatch &prepared) {
  for (const DescriptorBinding &binding : interface.bindings) {
    const DeviceBuffer *buffer = nullptr;
    if (binding.source == BindingSource::Parameters)
      buffer = parameters;
    else if (binding.source == BindingSource::Printf)
      buffer = launch.printf;
    else if (binding.argument < launch.buffers.size())
      buffer = launch.buffers[binding.argument];
    if (!buffer)
      return Status(StatusCode::InvalidArgument, "set " + std::to_string(binding.set) +
                                                     " binding " + std::to_string(binding.binding) +
                                                     " has no buffer");
    prepared.request.buffers.push_back({binding.set, binding.binding, false});
    prepared.bound.push_back(buffer);
  }
  return Status::ok();
}

} // namespace

Result<PreparedDispatch> Runner::prepareExecutable(const Case &test, const Dispatch &dispatch,
                                                   Buffers &buffers) {
  Result<std::vector<uint8_t>> bytes = readFile(dispatch.executable);
  if (!bytes.isOk())
    return bytes.status();
  Result<Executable> contents = executable::read(*bytes);
  if (!contents.isOk())
    return Status(contents.status()).at(dispatch.executable);
  Result<Chosen> chosen = choose(*contents, dispatch);
  if (!chosen.isOk())
    return chosen.status();
  const Interface &interface = *chosen->interface;

  Launch launch{test, dispatch, *chosen->entry, {}};
  auto named = [&](const std::string &name, const DeviceBuffer *&buffer) {
    Result<const DeviceBuffer *> found = find(buffers, name);
    if (found.isOk())
      buffer = *found;
    return found.status();
  };
  for (const ArgumentData &argument : dispatch.arguments) {
    launch.buffers.push_back(nullptr);
    if (!argument.buffer.empty())
      PUMICE_RETURN_IF_ERROR(named(argument.buffer, launch.buffers.back()));
  }
  if (!test.printfBuffer.empty())
    PUMICE_RETURN_IF_ERROR(named(test.printfBuffer, launch.printf));
  else if (!chosen->entry->printfs.empty())
    return Status(StatusCode::InvalidArgument,
                  chosen->entry->name + " prints: name a printf_buffer");

  Result<std::vector<uint8_t>> block = parameterBlock(interface, launch);
  if (!block.isOk())
    return block.status();
  PreparedDispatch prepared;
  const DeviceBuffer *parameters = nullptr;
  if (interface.place == ParameterPlace::PushConstants) {
    prepared.pushConstants = *block;
    prepared.pushConstants.resize((block->size() + 3) & ~size_t(3));
  } else if (interface.place != ParameterPlace::None) {
    DeviceBuffer &made = buffers["<parameters " + std::to_string(buffers.size()) + ">"];
    PUMICE_RETURN_IF_ERROR(allocate(std::max<size_t>(block->size(), 4), made));
    std::memcpy(made.mapped, block->data(), block->size());
    parameters = &made;
    if (interface.place == ParameterPlace::AddressedBuffer) {
      prepared.pushConstants.resize(sizeof made.address);
      std::memcpy(prepared.pushConstants.data(), &made.address, sizeof made.address);
    }
  }
  PUMICE_RETURN_IF_ERROR(bind(interface, launch, parameters, prepared));

  PUMICE_RETURN_IF_ERROR(checkSubgroups(interface, launch, device));
  vulkan::PipelineRequest &request = prepared.request;
  request.symbol = interface.symbol;
  request.requiredSubgroupSize = interface.requiredSubgroupSize;
  request.fullSubgroups = interface.fullSubgroups;
  request.spirv.resize(chosen->variant->code.size() / sizeof(uint32_t));
  std::memcpy(request.spirv.data(), chosen->variant->code.data(),
              request.spirv.size() * sizeof(uint32_t));
  PUMICE_RETURN_IF_ERROR(specialize(interface, launch, request.constants));
  return prepared;
}

} // namespace pumice::tests
