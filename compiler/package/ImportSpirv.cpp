//===- ImportSpirv.cpp - packs SPIR-V compute shaders as an executable ------===//
#include "compiler/package/ImportSpirv.h"

#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/spirv/ValidateSpirv.h"
#include "compiler/package/NativeVariants.h"
#include "compiler/package/Package.h"
#include "compiler/spirv/Requirements.h"
#include "compiler/target/Spirv.h"
#include "executable/SpirvReflection.h"
#include "executable/Validate.h"
#include "support/EnglishText.h"
#include "support/Version.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <cstring>
#include <set>

using namespace mlir;
using namespace pumice;
namespace exe = pumice::executable;

namespace {

constexpr uint32_t glCompute = 5, openClKernel = 6;
constexpr size_t mostExpanded = 1024; // elements of an array in a push-constant block

exe::ElementType elementOf(exe::SpirvScalar scalar, uint32_t bytes) {
  using exe::ElementType;
  switch (scalar) {
  case exe::SpirvScalar::Float:
    return bytes == 2 ? ElementType::f16 : bytes == 4 ? ElementType::f32 : ElementType::f64;
  case exe::SpirvScalar::Bfloat:
    return ElementType::bf16;
  case exe::SpirvScalar::Int:
  case exe::SpirvScalar::Uint:
  case exe::SpirvScalar::Bool:
    return bytes == 1   ? ElementType::i8
           : bytes == 2 ? ElementType::i16
           : bytes == 4 ? ElementType::i32
                        : ElementType::i64;
  case exe::SpirvScalar::Address:
  case exe::SpirvScalar::WorkgroupMemory:
    return ElementType::i64;
  case exe::SpirvScalar::Other:
    break;
  }
  return ElementType::opaque;
}

/// One entry point and its arguments, which are the same for every target.
class KernelImport {
public:
  KernelImport(const exe::SpirvEntryPoint &from, const exe::SpirvModule &module, StringRef source)
      : from(from) {
    entry.name = from.name;
    entry.location.file = source.str();
    entry.touchesUnnamedMemory = module.physicalAddresses;
    interface.entryPoint = interface.symbol = from.name;
    for (int d = 0; d < 3; ++d) {
      interface.workgroupSizeSpecIds[d] = from.workgroupSizeSpecIds[d];
      bool open = from.workgroupSizeSpecIds[d] != exe::noSpecId;
      uint32_t least = module.openCl ? 0 : 1; // OpenCL's kernels may let the launch choose the size
      entry.workgroupSize[d] = open ? 0 : std::max(from.workgroupSize[d], least);
    }
    // Values that specialization constants may change are checked after the constants are known.
    uint64_t fixed = from.workgroupMemoryBytes - from.openWorkgroupMemoryBytes;
    entry.workgroupMemoryBytes = bounded(from.workgroupMemoryBytes);
    interface.workgroupMemoryBytes = bounded(fixed);
  }

  Status run() {
    for (const exe::SpirvDescriptor &descriptor : from.descriptors)
      PUMICE_RETURN_IF_ERROR(addDescriptor(descriptor));
    if (!from.hasPushConstants)
      return Status::ok();
    for (const exe::SpirvParameter &parameter : from.parameters)
      if (!parameter.refused.empty())
        return Status(StatusCode::Unsupported, "'" + from.name + "': argument " + parameter.name +
                                                   " is " + parameter.refused +
                                                   "; kernels take buffers and numbers");
    interface.place = exe::ParameterPlace::PushConstants;
    interface.parameterBytes = static_cast<uint32_t>((from.pushConstants.bytes + 3) / 4 * 4);
    for (const exe::SpirvMember &member : from.pushConstants.members)
      PUMICE_RETURN_IF_ERROR(addMember(member, member.name, member.offset, 0));
    if (interface.parameterBytes == 0)
      interface.place = exe::ParameterPlace::None;
    return Status::ok();
  }

  exe::EntryPoint entry;
  exe::Interface interface;

private:
  /// Limits a size to the maximum in executables. No device has more.
  static uint32_t bounded(uint64_t bytes) {
    return static_cast<uint32_t>(std::min<uint64_t>(bytes, exe::maxWorkgroupMemoryBytes));
  }
  Status addDescriptor(const exe::SpirvDescriptor &descriptor);
  Status addMember(const exe::SpirvMember &member, const std::string &name, uint64_t offset,
                   size_t dimension);
  void addField(exe::Argument argument, exe::FieldSource source, uint64_t offset, uint32_t size);
  std::string uniqueName(std::string name);

  const exe::SpirvEntryPoint &from;
  std::set<std::string> names;
};

std::string KernelImport::uniqueName(std::string name) {
  while (!names.insert(name).second)
    name += '_';
  return name;
}

Status KernelImport::addDescriptor(const exe::SpirvDescriptor &descriptor) {
  std::string place =
      "set " + std::to_string(descriptor.set) + " binding " + std::to_string(descriptor.binding);
  bool uniform = descriptor.kind == exe::DescriptorKind::UniformBuffer;
  if (descriptor.kind != exe::DescriptorKind::StorageBuffer && !uniform)
    return Status(StatusCode::Unsupported, "'" + from.name + "': " + place + " is " +
                                               withArticle(exe::toString(descriptor.kind)) +
                                               "; kernels take storage and uniform buffers");
  if (descriptor.count != 1)
    return Status(StatusCode::Unsupported, "'" + from.name + "': " + place +
                                               " is an array of buffers; kernels take single ones");
  const exe::SpirvBlock &block = descriptor.block;
  exe::Argument argument;
  argument.name =
      uniqueName(block.name.empty() ? "binding" + std::to_string(descriptor.binding) : block.name);
  argument.access = descriptor.access;
  argument.strides = {1};
  argument.alignment = 4;
  // A block that consists of one array of numbers becomes a buffer of these numbers. Other blocks
  // become buffers of bytes.
  bool plain = block.members.size() == 1 && block.bytes == 0 && block.runtimeStride != 0 &&
               block.members[0].dimensions.size() == 1 && block.members[0].offset == 0 &&
               block.members[0].bytes == block.runtimeStride &&
               block.members[0].scalar != exe::SpirvScalar::Address &&
               block.members[0].scalar != exe::SpirvScalar::Other;
  argument.element =
      plain ? elementOf(block.members[0].scalar, block.members[0].bytes) : exe::ElementType::i8;
  argument.elementBytes = plain ? block.members[0].bytes : 1;
  argument.shape = {block.runtimeStride ? exe::dynamic : static_cast<int64_t>(block.bytes)};
  argument.alignment = std::max(argument.alignment, argument.elementBytes);
  interface.bindings.push_back({descriptor.set, descriptor.binding, exe::BindingSource::Argument,
                                static_cast<uint32_t>(entry.arguments.size()), uniform});
  entry.arguments.push_back(std::move(argument));
  return Status::ok();
}

void KernelImport::addField(exe::Argument argument, exe::FieldSource source, uint64_t offset,
                            uint32_t size) {
  argument.name = uniqueName(std::move(argument.name));
  interface.fields.push_back({source, static_cast<uint32_t>(entry.arguments.size()), 0,
                              static_cast<uint32_t>(offset), size});
  entry.arguments.push_back(std::move(argument));
}

/// Adds a number or an array of numbers. "m" becomes m, or m[0], m[1], …. A vector remains one
/// argument.
Status KernelImport::addMember(const exe::SpirvMember &member, const std::string &name,
                               uint64_t offset, size_t dimension) {
  size_t left = member.dimensions.size() - dimension;
  bool vector =
      left == 1 && member.dimensions[dimension].isVector && member.dimensions[dimension].count <= 4;
  if (left > 0 && !vector) {
    const exe::SpirvDimension &along = member.dimensions[dimension];
    if (along.count > mostExpanded || entry.arguments.size() > mostExpanded)
      return Status(StatusCode::Unsupported, "'" + from.name + "': push constant " + member.name +
                                                 " has more than " + std::to_string(mostExpanded) +
                                                 " numbers; put them into a buffer");
    for (uint64_t i = 0; i < along.count; ++i)
      PUMICE_RETURN_IF_ERROR(addMember(member, name + "[" + std::to_string(i) + "]",
                                       offset + i * along.stride, dimension + 1));
    return Status::ok();
  }
  exe::Argument argument;
  argument.name = name;
  if (member.scalar == exe::SpirvScalar::Address && left == 0) {
    argument.element = exe::ElementType::i8;
    argument.elementBytes = 1;
    argument.shape = {exe::dynamic};
    argument.strides = {1};
    // Pointers state the alignment that the code relies on. No scalar has a larger one.
    argument.alignment = 16;
    addField(std::move(argument), exe::FieldSource::BufferAddress, offset, 8);
    return Status::ok();
  }
  // A pointer to workgroup memory becomes a number of bytes after the kernel's own memory.
  entry.dynamicWorkgroupMemory |= member.scalar == exe::SpirvScalar::WorkgroupMemory;
  argument.kind = exe::ArgumentKind::Scalar;
  argument.access = exe::Access::Read;
  argument.element = elementOf(member.scalar, member.bytes);
  argument.elementBytes = member.bytes;
  argument.vectorWidth = vector ? static_cast<uint32_t>(member.dimensions[dimension].count) : 1;
  addField(argument, exe::FieldSource::Scalar, offset, member.bytes * argument.vectorWidth);
  return Status::ok();
}

/// Checks the module's declarations against one target, and returns its requirements.
FailureOr<exe::Requirements> needsOf(Operation *place, const exe::SpirvModule &module,
                                     const target::TargetEnv &target) {
  namespace spv = mlir::spirv;
  if (module.versionMinor > target.spirvMinorVersion())
    return place->emitError() << "is SPIR-V 1." << module.versionMinor << ", but "
                              << target::describe(target) << " takes SPIR-V 1."
                              << target.spirvMinorVersion();
  pumice::spirv::Requirements needs(target);
  for (uint32_t number : module.capabilities) {
    std::optional<spv::Capability> known = spv::symbolizeCapability(number);
    if (!known)
      return place->emitError() << "declares SPIR-V capability " << number
                                << ", which Pumice does not know";
    if (failed(needs.addCapability(place, *known)))
      return failure();
    needs.addBringers(*known);
  }
  for (const std::string &extension : module.extensions)
    if (failed(needs.addDeclaredExtension(place, extension)))
      return failure();
  if (failed(needs.finish()))
    return failure();
  exe::Requirements result = package::requirementsOf(needs.attribute(place->getContext()));
  if (target.isOpenCl())
    return result;
  uint32_t spirv = module.versionMinor; // the version of the module, not of the target
  result.versionMinor = spirv >= 6 ? 3 : spirv == 5 ? 2 : spirv >= 3 ? 1 : 0;
  std::erase(result.extensions, "VK_KHR_spirv_1_4");
  if (spirv == 4)
    result.extensions.push_back("VK_KHR_spirv_1_4");
  return result;
}

/// Adds the code as a variant for `target`, after it has been checked against the target.
LogicalResult addVariant(Operation *place, const exe::SpirvModule &module,
                         std::span<const uint8_t> code, const target::TargetEnv &target,
                         const std::vector<exe::Interface> &interfaces, exe::Executable &contents) {
  std::vector<uint32_t> words(code.size() / sizeof(uint32_t));
  std::memcpy(words.data(), code.data(), words.size() * sizeof(uint32_t));
  // Missing features are reported first, since the validator would call the module invalid.
  FailureOr<exe::Requirements> requirements = needsOf(place, module, target);
  if (failed(requirements))
    return failure();
  spirv_import::Validation checked = spirv_import::validateSpirv(words, module.extensions, target);
  if (!checked.valid)
    return emitError(place->getLoc())
           << "is not valid SPIR-V for " << target::describe(target) << ": " << checked.problem;
  if (!checked.skipped.empty())
    emitWarning(place->getLoc()) << "was not validated: " << checked.skipped;
  exe::Variant variant;
  variant.kind = module.openCl ? exe::VariantKind::OpenclSpirv : exe::VariantKind::VulkanSpirv;
  variant.target = target.name;
  variant.targetEnv = package::targetText(place->getContext(), target);
  variant.requirements = std::move(*requirements);
  variant.interfaces = interfaces;
  variant.code.assign(code.begin(), code.end());
  contents.variants.push_back(std::move(variant));
  return success();
}

} // namespace

bool package::looksLikeSpirv(StringRef bytes) {
  return bytes.starts_with("\x03\x02\x23\x07") || bytes.starts_with("\x07\x23\x02\x03");
}

FailureOr<exe::Executable> package::importSpirv(MLIRContext *context, std::span<const uint8_t> code,
                                                StringRef sourceName,
                                                const std::vector<target::TargetEnv> &targets) {
  context->loadDialect<vk::VkDialect, mlir::spirv::SPIRVDialect>();
  Location location = FileLineColLoc::get(context, sourceName, 0, 0);
  OwningOpRef<ModuleOp> place = ModuleOp::create(location); // diagnostics need an operation
  context->printOpOnDiagnostic(false);

  Result<exe::SpirvModule> module = exe::reflectSpirv(code);
  if (!module.isOk())
    return emitError(location) << module.status().message();

  exe::Executable contents;
  std::vector<exe::Interface> interfaces;
  for (const exe::SpirvEntryPoint &from : module->entryPoints) {
    if (from.model != (module->openCl ? openClKernel : glCompute))
      continue;
    KernelImport kernel(from, *module, sourceName);
    if (Status status = kernel.run(); !status.isOk())
      return emitError(location) << status.message();
    contents.entryPoints.push_back(std::move(kernel.entry));
    interfaces.push_back(std::move(kernel.interface));
  }
  if (interfaces.empty())
    return emitError(location)
           << "holds no compute shader or OpenCL kernel (entry point of model GLCompute or Kernel)";

  contents.producer = "pumice " PUMICE_VERSION_TEXT;
  auto isOpenCl = [](const target::TargetEnv &target) { return target.isOpenCl(); };
  if (module->openCl && llvm::none_of(targets, isOpenCl)) {
    // No target describes OpenCL devices, so one variant without requirements serves all of them.
    exe::Variant &variant = contents.variants.emplace_back();
    variant.kind = exe::VariantKind::OpenclSpirv;
    variant.target = "opencl";
    variant.interfaces = interfaces;
    variant.code.assign(code.begin(), code.end());
  }
  for (const target::TargetEnv &target : targets) {
    if (target.isOpenCl() && !module->openCl)
      return emitError(location) << "is a module for Vulkan, and " << target::describe(target)
                                 << " runs modules for OpenCL: compile the kernel from its source";
    // An OpenCL module for a target of Vulkan only becomes native code, if the target asks for it.
    if (target.isOpenCl() == module->openCl &&
        failed(addVariant(*place, *module, code, target, interfaces, contents)))
      return failure();
    size_t base = module->openCl ? 0 : contents.variants.size() - 1;
    if (failed(package::addNativeVariants(location, base, target, contents)))
      return failure();
  }
  return contents;
}
