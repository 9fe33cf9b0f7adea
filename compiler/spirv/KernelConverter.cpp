//===- KernelConverter.cpp - types and pointers of SPIR-V kernels -----------===//
#include "compiler/spirv/KernelConverter.h"

#include "compiler/lower/structure/MemorySpace.h"
#include "compiler/spirv/Serialize.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

/// Lists every capability that MLIR knows, and whether one of the APIs allows it. The list is made
/// only once, because finding implied capabilities is a search, and the conversion of every
/// operation needs it.
static const llvm::DenseMap<uint32_t, bool> &capabilitiesOf(bool openCl) {
  auto without = [](spv::Capability foreign) {
    llvm::DenseMap<uint32_t, bool> result;
    for (uint32_t i = 0; i < 7000; ++i)
      if (std::optional<spv::Capability> known = spv::symbolizeCapability(i))
        result[i] = *known != foreign &&
                    !llvm::is_contained(spv::getRecursiveImpliedCapabilities(*known), foreign);
    return result;
  };
  static const llvm::DenseMap<uint32_t, bool> vulkan = without(spv::Capability::Kernel),
                                              kernel = without(spv::Capability::Shader);
  return openCl ? kernel : vulkan;
}

bool pumice::spirv::isForeign(spv::Capability capability, bool openCl) {
  return !capabilitiesOf(openCl).lookup(static_cast<uint32_t>(capability));
}

/// Returns an environment that allows everything that the API may allow, so that no conversion
/// fails because of the target. For Vulkan it excludes Kernel, with which MLIR's patterns would
/// choose OpenCL instructions.
static spv::TargetEnvAttr permissiveTarget(MLIRContext *context, bool openCl) {
  SmallVector<spv::Capability> capabilities;
  for (auto [number, isAllowed] : capabilitiesOf(openCl))
    if (isAllowed)
      capabilities.push_back(static_cast<spv::Capability>(number));
  SmallVector<spv::Extension> extensions;
  for (uint32_t i = 0; i < spv::getMaxEnumValForExtension(); ++i)
    if (std::optional<spv::Extension> known = spv::symbolizeExtension(i))
      extensions.push_back(*known);
  auto triple = spv::VerCapExtAttr::get(spv::Version::V_1_6, capabilities, extensions, context);
  return spv::TargetEnvAttr::get(triple, spv::getDefaultResourceLimits(context),
                                 openCl ? spv::ClientAPI::OpenCL : spv::ClientAPI::Vulkan,
                                 spv::Vendor::Unknown, spv::DeviceType::Unknown,
                                 spv::TargetEnvAttr::kUnknownDeviceID);
}

static SPIRVConversionOptions exactConversion(unsigned indexBits) {
  SPIRVConversionOptions options;
  // Both options would change types silently. Narrow types have been legalized before.
  options.emulateLT32BitScalarTypes = false;
  options.emulateUnsupportedFloatTypes = false;
  options.use64bitIndex = indexBits == 64;
  return options;
}

KernelTypeConverter::KernelTypeConverter(MLIRContext *context, MemoryStyle style,
                                         unsigned indexBits)
    : SPIRVTypeConverter(permissiveTarget(context, style.openCl), exactConversion(indexBits)),
      memoryStyle(style) {
  // Conversions are tried in reverse order: the one that was added last comes first.
  addConversion([this](MemRefType type) -> std::optional<Type> { return convertMemRef(type); });
  populateMatrixTypes(*this);
}

spv::StorageClass KernelTypeConverter::storageClassOf(MemRefType type) const {
  switch (lower::memorySpaceOf(type)) {
  case lower::MemorySpace::Workgroup:
    return spv::StorageClass::Workgroup;
  case lower::MemorySpace::Private:
    return spv::StorageClass::Function;
  case lower::MemorySpace::Global:
  case lower::MemorySpace::Unknown:
    break;
  }
  if (memoryStyle.openCl)
    return spv::StorageClass::CrossWorkgroup;
  return memoryStyle.physical ? spv::StorageClass::PhysicalStorageBuffer
                              : spv::StorageClass::StorageBuffer;
}

Type KernelTypeConverter::convertMemRef(MemRefType type) {
  if (type.getRank() != 1 || !type.getLayout().isIdentity())
    return {};
  Type element = convertType(type.getElementType());
  if (!element || !isa<spv::ScalarType, VectorType>(element))
    return {};
  spv::StorageClass storage = storageClassOf(type);
  if (storage == spv::StorageClass::CrossWorkgroup)
    return spv::PointerType::get(element, storage);
  if (lower::memorySpaceOf(type) == lower::MemorySpace::Global)
    return spv::PointerType::get(runtimeArrayOf(element), storage);
  // Only dynamic workgroup memory has no size yet. Serialize turns its length into a constant that
  // the pipeline specializes.
  if (!type.hasStaticShape())
    return storage == spv::StorageClass::Workgroup
               ? spv::PointerType::get(spv::ArrayType::get(element, dynamicMemoryDefault), storage)
               : Type();
  return spv::PointerType::get(spv::ArrayType::get(element, type.getNumElements()), storage);
}

/// Returns the number of bytes that an array element takes in memory.
static uint32_t strideOf(Type element) {
  if (auto vector = dyn_cast<VectorType>(element))
    return llvm::PowerOf2Ceil(vector.getNumElements()) * vector.getElementTypeBitWidth() / 8;
  return element.getIntOrFloatBitWidth() / 8;
}

bool MemoryStyle::canCastPointersTo(Type element) const {
  if (!castsPointers)
    return false;
  Type scalar = getElementTypeOrSelf(element);
  if (scalar.isInteger(8))
    return int8;
  if (scalar.isInteger(16))
    return int16;
  return !scalar.isF16() || float16;
}

spv::StructType pumice::spirv::runtimeArrayOf(Type element) {
  auto array = spv::RuntimeArrayType::get(element, strideOf(element));
  return spv::StructType::get({array}, {0}, {},
                              {spv::StructType::StructDecorationInfo(
                                  spv::Decoration::Block, UnitAttr::get(element.getContext()))});
}

Value pumice::spirv::elementPointer(OpBuilder &builder, Location loc, Value pointer, Value index) {
  auto type = cast<spv::PointerType>(pointer.getType());
  if (type.getStorageClass() == spv::StorageClass::CrossWorkgroup)
    return spv::InBoundsPtrAccessChainOp::create(builder, loc, pointer, index, ValueRange());
  SmallVector<Value, 2> path;
  if (isa<spv::StructType>(cast<spv::PointerType>(pointer.getType()).getPointeeType()))
    path.push_back(spv::ConstantOp::getZero(builder.getI32Type(), loc, builder));
  path.push_back(index);
  return spv::AccessChainOp::create(builder, loc, pointer, path);
}

AccessFlags pumice::spirv::accessFlags(OpBuilder &builder, const MemoryStyle &style, Value pointer,
                                       uint64_t alignment, bool nontemporal) {
  spv::StorageClass storage = cast<spv::PointerType>(pointer.getType()).getStorageClass();
  auto flags = spv::MemoryAccess::None;
  AccessFlags result;
  if (storage == spv::StorageClass::PhysicalStorageBuffer ||
      storage == spv::StorageClass::CrossWorkgroup) {
    flags = flags | spv::MemoryAccess::Aligned;
    result.alignment = builder.getI32IntegerAttr(alignment);
  }
  if (nontemporal)
    flags = flags | spv::MemoryAccess::Nontemporal;
  if (style.coherent &&
      (storage == spv::StorageClass::PhysicalStorageBuffer ||
       storage == spv::StorageClass::CrossWorkgroup || storage == spv::StorageClass::StorageBuffer))
    flags = flags | spv::MemoryAccess::Volatile;
  bool shared = storage != spv::StorageClass::Function && storage != spv::StorageClass::Input &&
                storage != spv::StorageClass::PushConstant;
  if (style.vulkanModel && shared)
    flags = flags | spv::MemoryAccess::NonPrivatePointer;
  if (flags != spv::MemoryAccess::None)
    result.flags = spv::MemoryAccessAttr::get(builder.getContext(), flags);
  return result;
}
