//===- Package.cpp - packs finished modules into an executable --------------===//
#include "compiler/package/Package.h"

#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/opencl/SpirvToLlvm.h"
#include "compiler/package/MslVariants.h"
#include "compiler/package/NativeVariants.h"
#include "compiler/spirv/Requirements.h"
#include "compiler/spirv/Serialize.h"
#include "support/Version.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;
using namespace pumice;
using namespace pumice::package;
namespace exe = pumice::executable;

namespace {

//===-------------------------------------------------------------------------===//
// Attributes as plain data
//===-------------------------------------------------------------------------===//

int64_t number(DictionaryAttr attr, StringRef name) {
  auto value = attr.getAs<IntegerAttr>(name);
  return value ? value.getInt() : 0;
}

StringRef text(DictionaryAttr attr, StringRef name) {
  auto value = attr.getAs<StringAttr>(name);
  return value ? value.getValue() : StringRef();
}

std::vector<int64_t> numbers(DictionaryAttr attr, StringRef name) {
  auto values = attr.getAs<DenseI64ArrayAttr>(name);
  if (!values)
    return {};
  std::vector<int64_t> result(values.asArrayRef());
  for (int64_t &value : result)
    if (ShapedType::isDynamic(value))
      value = exe::dynamic;
  return result;
}

exe::ElementType elementTypeOf(Type type) {
  if (type.isIndex())
    return exe::ElementType::index;
  if (type.isF16())
    return exe::ElementType::f16;
  if (type.isBF16())
    return exe::ElementType::bf16;
  if (type.isF32())
    return exe::ElementType::f32;
  if (type.isF64())
    return exe::ElementType::f64;
  if (isa<FloatType>(type))
    return type.getIntOrFloatBitWidth() == 8 ? exe::ElementType::f8 : exe::ElementType::opaque;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return exe::ElementType::i1;
    case 4:
      return exe::ElementType::i4;
    case 8:
      return exe::ElementType::i8;
    case 16:
      return exe::ElementType::i16;
    case 32:
      return exe::ElementType::i32;
    case 64:
      return exe::ElementType::i64;
    }
  return exe::ElementType::opaque;
}

/// Returns the element type that prints as `name`, or opaque if there is none.
exe::ElementType elementTypeNamed(StringRef name) {
  for (int i = 0; i < static_cast<int>(exe::ElementType::opaque); ++i)
    if (StringRef(exe::toString(exe::ElementType(i))) == name)
      return exe::ElementType(i);
  return exe::ElementType::opaque;
}

/// Returns the bytes of a scalar in memory, as LLVM allocates it. They are a power of two.
uint32_t bytesOf(Type scalar) {
  if (scalar.isIndex())
    return 8;
  return llvm::PowerOf2Ceil(llvm::divideCeil(scalar.getIntOrFloatBitWidth(), 8));
}

exe::Argument argumentOf(DictionaryAttr attr) {
  exe::Argument argument;
  argument.name = text(attr, "name");
  Type type = attr.getAs<TypeAttr>("type").getValue();
  Type scalar = getElementTypeOrSelf(type);
  argument.element = elementTypeOf(scalar);
  argument.elementBytes = bytesOf(scalar);
  if (auto vector = dyn_cast<VectorType>(type))
    argument.vectorWidth = vector.getNumElements();
  // In buffers, a vector takes the next power of two of elements.
  if (attr.get("buffer"))
    argument.vectorWidth = llvm::PowerOf2Ceil(argument.vectorWidth);
  if (!attr.get("buffer")) {
    argument.kind = exe::ArgumentKind::Scalar;
    argument.access = exe::Access::Read;
    argument.alignment = argument.elementBytes;
    return argument;
  }
  argument.shape = numbers(attr, "shape");
  argument.strides = numbers(attr, "strides");
  argument.offset = number(attr, "offset");
  if (ShapedType::isDynamic(argument.offset))
    argument.offset = exe::dynamic;
  argument.access = llvm::StringSwitch<exe::Access>(text(attr, "access"))
                        .Case("none", exe::Access::None)
                        .Case("read", exe::Access::Read)
                        .Case("write", exe::Access::Write)
                        .Default(exe::Access::ReadWrite);
  // Narrow elements may be accessed through the 32-bit words that hold them.
  auto reached = attr.getAs<IntegerAttr>("alignment");
  argument.alignment =
      std::max<uint32_t>(reached ? reached.getInt() : 1,
                         argument.elementBytes * llvm::PowerOf2Ceil(argument.vectorWidth));
  return argument;
}

std::vector<std::string> strings(DictionaryAttr attr, StringRef name) {
  std::vector<std::string> result;
  if (auto values = attr.getAs<ArrayAttr>(name))
    for (auto value : values.getAsRange<StringAttr>())
      result.push_back(value.str());
  return result;
}

exe::ParameterField fieldOf(DictionaryAttr attr) {
  exe::ParameterField field;
  field.source = llvm::StringSwitch<exe::FieldSource>(text(attr, "source"))
                     .Case("buffer_address", exe::FieldSource::BufferAddress)
                     .Case("buffer_offset", exe::FieldSource::BufferOffset)
                     .Case("buffer_extent", exe::FieldSource::BufferExtent)
                     .Case("buffer_stride", exe::FieldSource::BufferStride)
                     .Case("printf_address", exe::FieldSource::PrintfAddress)
                     .Case("printf_words", exe::FieldSource::PrintfWords)
                     .Default(exe::FieldSource::Scalar);
  field.argument = number(attr, "argument");
  field.dimension = number(attr, "dimension");
  field.offset = number(attr, "offset");
  field.size = number(attr, "size");
  return field;
}

exe::DescriptorBinding bindingOf(DictionaryAttr attr) {
  exe::DescriptorBinding binding;
  binding.set = number(attr, "set");
  binding.binding = number(attr, "binding");
  binding.source = llvm::StringSwitch<exe::BindingSource>(text(attr, "source"))
                       .Case("parameters", exe::BindingSource::Parameters)
                       .Case("printf", exe::BindingSource::Printf)
                       .Default(exe::BindingSource::Argument);
  binding.argument = number(attr, "argument");
  return binding;
}

exe::SourceLocation locationOf(Location loc) {
  exe::SourceLocation result;
  loc->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    result = {file.getFilename().str(), file.getLine(), file.getColumn()};
    return WalkResult::interrupt();
  });
  return result;
}

std::vector<exe::PrintfFormat> printfsOf(Operation *kernel) {
  std::vector<exe::PrintfFormat> result;
  auto formats = kernel->getAttrOfType<ArrayAttr>(lower::printfFormatsAttrName);
  if (!formats)
    return result;
  for (auto attr : formats.getAsRange<DictionaryAttr>()) {
    exe::PrintfFormat format;
    format.id = number(attr, "id");
    format.format = text(attr, "format");
    for (auto type : attr.getAs<ArrayAttr>("types").getAsRange<StringAttr>())
      format.arguments.push_back(elementTypeNamed(type.getValue()));
    result.push_back(std::move(format));
  }
  return result;
}

//===-------------------------------------------------------------------------===//
// One kernel
//===-------------------------------------------------------------------------===//

exe::EntryPoint entryPointOf(mlir::spirv::FuncOp kernel, const std::string &name) {
  exe::EntryPoint entry;
  entry.name = name;
  auto interface = kernel->getAttrOfType<DictionaryAttr>(lower::interfaceAttrName);
  for (auto argument : interface.getAs<ArrayAttr>("arguments").getAsRange<DictionaryAttr>())
    entry.arguments.push_back(argumentOf(argument));
  for (auto [i, argument] : llvm::enumerate(entry.arguments))
    if (argument.name.empty())
      argument.name = "arg" + std::to_string(i);
  if (auto size = kernel->getAttrOfType<DenseI32ArrayAttr>("known_block_size"))
    for (int i = 0; i < 3; ++i)
      entry.workgroupSize[i] = size[i];
  entry.touchesUnnamedMemory = interface.contains("unnamed_memory");
  entry.assumesNoOverlap = kernel->hasAttr(lower::noOverlapAttrName);
  entry.location = locationOf(kernel.getLoc());
  entry.printfs = printfsOf(kernel);
  return entry;
}

/// Merges the descriptions of one entry point in the variants for several targets.
void unite(exe::EntryPoint &all, const exe::EntryPoint &one) {
  // Emulation may need scratch memory. The kernel's own memory is the memory that every variant
  // needs.
  all.workgroupMemoryBytes = std::min(all.workgroupMemoryBytes, one.workgroupMemoryBytes);
  for (auto [argument, other] : llvm::zip(all.arguments, one.arguments))
    argument.alignment = std::max(argument.alignment, other.alignment);
}

/// Returns the bytes of one element of an array variable. Vectors occupy a power of two.
uint32_t elementBytesOf(mlir::spirv::GlobalVariableOp variable) {
  auto pointer = cast<mlir::spirv::PointerType>(variable.getType());
  Type element = cast<mlir::spirv::ArrayType>(pointer.getPointeeType()).getElementType();
  auto vector = dyn_cast<VectorType>(element);
  uint32_t components = vector ? llvm::PowerOf2Ceil(vector.getNumElements()) : 1;
  return components * bytesOf(getElementTypeOrSelf(element));
}

/// Returns whether a kernel for OpenCL takes a pointer to workgroup memory, which the launch
/// allocates.
bool takesWorkgroupMemory(mlir::spirv::FuncOp kernel) {
  return llvm::any_of(kernel.getArgumentTypes(), [](Type type) {
    auto pointer = dyn_cast<mlir::spirv::PointerType>(type);
    return pointer && pointer.getStorageClass() == mlir::spirv::StorageClass::Workgroup;
  });
}

exe::Interface interfaceOf(mlir::spirv::FuncOp kernel, mlir::spirv::ModuleOp module,
                           const std::string &name) {
  auto attr = kernel->getAttrOfType<DictionaryAttr>(lower::interfaceAttrName);
  exe::Interface interface;
  interface.entryPoint = name;
  interface.symbol = kernel.getName();
  interface.place = llvm::StringSwitch<exe::ParameterPlace>(text(attr, "place"))
                        .Case("push_constants", exe::ParameterPlace::PushConstants)
                        .Case("addressed_buffer", exe::ParameterPlace::AddressedBuffer)
                        .Case("described_buffer", exe::ParameterPlace::DescribedBuffer)
                        .Default(exe::ParameterPlace::None);
  interface.parameterBytes = number(attr, "bytes");
  interface.indexBits = number(attr, "index_bits");
  for (auto field : attr.getAs<ArrayAttr>("fields").getAsRange<DictionaryAttr>())
    interface.fields.push_back(fieldOf(field));
  for (auto binding : attr.getAs<ArrayAttr>("bindings").getAsRange<DictionaryAttr>())
    interface.bindings.push_back(bindingOf(binding));
  bool openCl = module.getMemoryModel() == mlir::spirv::MemoryModel::OpenCL;
  if (!kernel->hasAttr("known_block_size") && !openCl) // OpenCL's launches give the size
    interface.workgroupSizeSpecIds = {0, 1, 2};
  if (auto memory =
          module.lookupSymbol<mlir::spirv::GlobalVariableOp>(pumice::spirv::dynamicMemoryName)) {
    interface.dynamicMemorySpecId = pumice::spirv::dynamicMemorySpecId;
    interface.dynamicMemoryElementBytes = elementBytesOf(memory);
  }
  if (auto bytes = module->getAttrOfType<IntegerAttr>(pumice::spirv::workgroupBytesAttrName))
    interface.workgroupMemoryBytes = bytes.getInt();
  if (auto size = kernel->getAttrOfType<IntegerAttr>(lower::requiredSubgroupSizeAttrName))
    interface.requiredSubgroupSize = size.getInt();
  interface.fullSubgroups = kernel->hasAttr(lower::fullSubgroupsAttrName);
  if (auto least = kernel->getAttrOfType<IntegerAttr>(lower::leastSubgroupSizeAttrName))
    interface.leastSubgroupSize = llvm::PowerOf2Ceil(least.getInt());
  return interface;
}

} // namespace

exe::Requirements pumice::package::requirementsOf(DictionaryAttr attr) {
  exe::Requirements result;
  result.features = strings(attr, "features");
  result.extensions = strings(attr, "extensions");
  result.cooperativeMatrices = strings(attr, "cooperative_matrices");
  result.subgroupOperations = number(attr, "subgroup_operations");
  std::vector<int64_t> version = numbers(attr, "version");
  if (version.size() == 2) {
    result.versionMajor = version[0];
    result.versionMinor = version[1];
  }
  return result;
}

std::string pumice::package::targetText(MLIRContext *context, const target::TargetEnv &target) {
  std::string result;
  llvm::raw_string_ostream(result) << vk::toAttr(context, target);
  return result;
}

LogicalResult Packager::addVariant(mlir::spirv::ModuleOp module, const target::TargetEnv &target,
                                   bool onlyMatrices) {
  // Adds line information for CPU targets only: the CPU device reports the line of a kernel's
  // fault, and GPUs do not.
  FailureOr<std::vector<uint32_t>> words =
      target.isOpenCl() && viaLlvm
          ? opencl::serializeViaLlvm(module, target)
          : pumice::spirv::serialize(module, target.isCpu() && !target.isOpenCl());
  if (failed(words))
    return failure();
  exe::Variant variant;
  variant.kind = target.isOpenCl() ? exe::VariantKind::OpenclSpirv : exe::VariantKind::VulkanSpirv;
  variant.target = target.name;
  variant.targetEnv = targetText(module.getContext(), target);
  variant.requirements =
      requirementsOf(module->getAttrOfType<DictionaryAttr>(pumice::spirv::requirementsAttrName));
  auto bytes = reinterpret_cast<const uint8_t *>(words->data());
  variant.code.assign(bytes, bytes + words->size() * sizeof(uint32_t));

  std::set<std::string> maps;
  for (auto kernel : module.getOps<mlir::spirv::FuncOp>())
    if (auto relied = kernel->getAttrOfType<ArrayAttr>(lower::measuredMapsAttrName))
      for (auto map : relied.getAsRange<StringAttr>())
        maps.insert(map.str());
  variant.requirements.measuredMaps = llvm::join(maps, exe::measuredMapsSeparator);

  auto original = module->getAttrOfType<StringAttr>(lower::originalModuleAttrName);
  StringRef moduleName = original ? original.getValue() : module.getName().value_or("");
  for (auto kernel : module.getOps<mlir::spirv::FuncOp>()) {
    if (!kernel->hasAttr(lower::interfaceAttrName))
      continue;
    std::string name = (moduleName + "::" + kernel.getName()).str();
    // The body of a gpu.launch has its own module, which is named like the kernel.
    if (!moduleName.contains("::") || moduleName == kernel.getName())
      namesOfTheirOwn[name] = kernel.getName();
    exe::EntryPoint entry = entryPointOf(kernel, name);
    auto known = llvm::find_if(contents.entryPoints,
                               [&](const exe::EntryPoint &other) { return other.name == name; });
    exe::Interface interface = interfaceOf(kernel, module, name);
    entry.dynamicWorkgroupMemory =
        interface.dynamicMemorySpecId != exe::noSpecId || takesWorkgroupMemory(kernel);
    entry.workgroupMemoryBytes = interface.workgroupMemoryBytes;
    if (known == contents.entryPoints.end())
      contents.entryPoints.push_back(std::move(entry));
    else {
      if (entry.workgroupSize != known->workgroupSize)
        interface.workgroupSize = entry.workgroupSize;
      unite(*known, entry);
    }
    variant.interfaces.push_back(std::move(interface));
  }
  contents.variants.push_back(std::move(variant));
  if (onlyMatrices) {
    replaceByMslWithMatrices(contents.variants.size() - 1, contents);
    return success();
  }
  if (withMsl)
    addMslVariants(module.getLoc(), contents.variants.size() - 1, target, contents);
  return addNativeVariants(module.getLoc(), contents.variants.size() - 1, target, contents);
}

LogicalResult Packager::add(ModuleOp module, const target::TargetEnv &target) {
  for (auto finished : module.getOps<mlir::spirv::ModuleOp>())
    if (finished->hasAttr(pumice::spirv::requirementsAttrName) &&
        failed(addVariant(finished, target)))
      return failure();
  return success();
}

LogicalResult Packager::addMslWithMatrices(ModuleOp module, const target::TargetEnv &target) {
  for (auto finished : module.getOps<mlir::spirv::ModuleOp>())
    if (finished->hasAttr(pumice::spirv::requirementsAttrName) &&
        failed(addVariant(finished, target, /*onlyMatrices=*/true)))
      return failure();
  return success();
}

exe::Executable Packager::finish() && {
  std::map<std::string, int> uses;
  for (const exe::EntryPoint &entry : contents.entryPoints)
    ++uses[entry.name];
  for (const auto &[name, own] : namesOfTheirOwn)
    ++uses[own];
  auto settle = [&](std::string &name) {
    auto own = namesOfTheirOwn.find(name);
    if (own != namesOfTheirOwn.end() && uses[own->second] == 1)
      name = own->second;
  };
  for (exe::EntryPoint &entry : contents.entryPoints)
    settle(entry.name);
  for (exe::Variant &variant : contents.variants)
    for (exe::Interface &interface : variant.interfaces)
      settle(interface.entryPoint);
  contents.producer = "pumice " PUMICE_VERSION_TEXT;
  return std::move(contents);
}
