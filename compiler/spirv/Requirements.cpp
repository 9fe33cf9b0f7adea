//===- Requirements.cpp - the requirements of a module ----------------------===//
#include "compiler/spirv/Requirements.h"

#include "compiler/gen/IntelInstructions.h"
#include "compiler/spirv/MatrixShape.h"
#include "compiler/spirv/Serialize.h"
#include "compiler/target/MatrixText.h"
#include "compiler/target/Spirv.h"
#include "compiler/target/Tables.h"
#include "executable/OpenclNeeds.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;
using target::Feature;

//===-------------------------------------------------------------------------===//
// Single requirements
//===-------------------------------------------------------------------------===//

LogicalResult Requirements::addFeature(Operation *op, Feature feature) {
  if (!env.has(feature))
    return op->emitError() << target::needs(env, feature);
  features.insert(feature);
  return success();
}

LogicalResult Requirements::addSubgroupOperation(Operation *op, uint32_t bit) {
  if (env.hasSubgroup(bit)) {
    subgroupOperations |= bit;
    return success();
  }
  return op->emitError() << target::needs(env, target::whatBringsSubgroupOperation(env, bit));
}

LogicalResult Requirements::addCapability(Operation *op, spv::Capability capability) {
  if (!capabilities.insert(capability).second)
    return success();
  StringRef name = spv::stringifyCapability(capability);
  if (!target::allowsCapability(env, name)) {
    std::string bringers = target::whatBringsCapability(env, name);
    InFlightDiagnostic error = op->emitError();
    if (bringers.empty())
      return error << "needs the SPIR-V capability " << name << ", which no "
                   << target::nameOf(env.api) << " target has";
    return error << target::needs(env, bringers);
  }
  for (const target::SubgroupOperationInfo &info : target::allSubgroupOperations())
    if (StringRef(info.capability) == name)
      return addSubgroupOperation(op, info.bit);
  // If several features provide a capability, the storage class of atomics decides which feature is
  // needed.
  for (Feature feature : target::featuresFor(name))
    if (env.has(feature) && target::featuresFor(name).size() == 1)
      features.insert(feature);
  return success();
}

LogicalResult Requirements::addOneOf(Operation *op, ArrayRef<spv::Capability> choices) {
  if (choices.empty())
    return success();
  for (spv::Capability choice : choices)
    if (capabilities.contains(choice))
      return success();
  for (spv::Capability choice : choices)
    if (target::allowsCapability(env, spv::stringifyCapability(choice)))
      return addCapability(op, choice);
  return addCapability(op, choices.front());
}

LogicalResult Requirements::addExtensions(Operation *op,
                                          ArrayRef<ArrayRef<spv::Extension>> needed) {
  for (ArrayRef<spv::Extension> choices : needed) {
    auto allowed = llvm::find_if(choices, [&](spv::Extension choice) {
      return target::allowsSpirvExtension(env, spv::stringifyExtension(choice));
    });
    if (allowed != choices.end()) {
      extensions.insert(*allowed);
      continue;
    }
    StringRef name = spv::stringifyExtension(choices.front());
    std::string bringer = target::whatBringsSpirvExtension(env, name);
    return op->emitError() << target::needs(env, bringer.empty() ? name.str() : bringer);
  }
  return success();
}

LogicalResult Requirements::addDeclaredExtension(Operation *op, StringRef name) {
  if (std::optional<spv::Extension> known = spv::symbolizeExtension(name)) {
    const spv::Extension one[] = {*known};
    return addExtensions(op, ArrayRef<spv::Extension>(one));
  }
  if (target::allowsSpirvExtension(env, name))
    return success();
  std::string bringer = target::whatBringsSpirvExtension(env, name);
  return op->emitError() << target::needs(env, bringer.empty() ? name.str() : bringer);
}

void Requirements::addBringers(spv::Capability capability) {
  for (Feature feature : target::featuresFor(spv::stringifyCapability(capability)))
    if (env.has(feature))
      features.insert(feature);
}

//===-------------------------------------------------------------------------===//
// Types
//===-------------------------------------------------------------------------===//

/// Returns whether an operation only moves narrow values, or converts them to wider ones. Storage
/// capabilities suffice for this.
static bool onlyMoves(Operation *op) {
  return isa<spv::LoadOp, spv::StoreOp, spv::AccessChainOp, spv::UConvertOp, spv::SConvertOp,
             spv::FConvertOp, spv::AddressOfOp, spv::GlobalVariableOp>(op);
}

static bool isBuffer(spv::StorageClass storage) {
  return storage == spv::StorageClass::StorageBuffer ||
         storage == spv::StorageClass::PhysicalStorageBuffer ||
         storage == spv::StorageClass::PushConstant;
}

LogicalResult Requirements::addType(Operation *op, Type type,
                                    std::optional<spv::StorageClass> storage) {
  if (auto pointer = dyn_cast<spv::PointerType>(type)) {
    // SPIR-V 1.3 includes this storage class.
    static constexpr spv::Extension storageBuffers[] = {
        spv::Extension::SPV_KHR_storage_buffer_storage_class};
    if (pointer.getStorageClass() == spv::StorageClass::StorageBuffer &&
        failed(addExtensions(op, ArrayRef<spv::Extension>(storageBuffers))))
      return failure();
    if (pointer.getStorageClass() == spv::StorageClass::PushConstant)
      addPushedPointees(op, pointer.getPointeeType());
    return addType(op, pointer.getPointeeType(), pointer.getStorageClass());
  }
  if (auto composite = dyn_cast<spv::StructType>(type)) {
    llvm::SmallDenseSet<Type> seen; // an argument may have thousands of elements of one type
    for (Type member : composite.getElementTypes())
      if (seen.insert(member).second && failed(addType(op, member, storage)))
        return failure();
    return success();
  }
  if (auto array = dyn_cast<spv::ArrayType>(type))
    return addType(op, array.getElementType(), storage);
  if (auto array = dyn_cast<spv::RuntimeArrayType>(type))
    return addType(op, array.getElementType(), storage);
  auto known = dyn_cast<spv::SPIRVType>(type);
  if (!known)
    return success();
  // For bf16, MLIR knows the requirements of scalars, but not those of matrices.
  if (auto matrix = dyn_cast<spv::CooperativeMatrixType>(type))
    if (matrix.getElementType().isBF16() &&
        failed(addCapability(op, spv::Capability::BFloat16CooperativeMatrixKHR)))
      return failure();
  // A narrow type in a buffer needs a storage capability. A narrow type elsewhere, and a cast of a
  // pointer to one, needs the capability of the type itself.
  bool needsType = storage && (!isBuffer(*storage) || isa<spv::BitcastOp>(op));
  if (storage && !isBuffer(*storage))
    storage = std::nullopt;
  // MLIR only knows the storage capabilities of bound buffers. Those of buffers by address are the
  // same.
  if (storage == spv::StorageClass::PhysicalStorageBuffer)
    storage = spv::StorageClass::StorageBuffer;
  Type scalar = getElementTypeOrSelf(type);
  bool narrow =
      scalar.isIntOrFloat() && scalar.getIntOrFloatBitWidth() < 32 && !scalar.isInteger(1);
  if (narrow && needsType && failed(addType(op, type, std::nullopt)))
    return failure();
  if (!storage && narrow && !needsType && onlyMoves(op)) {
    movedNarrow.try_emplace(scalar, op);
    return success();
  }
  SmallVector<ArrayRef<spv::Capability>> needed;
  known.getCapabilities(needed, storage);
  for (ArrayRef<spv::Capability> choices : needed)
    if (failed(addOneOf(op, choices)))
      return failure();
  SmallVector<ArrayRef<spv::Extension>, 1> needing;
  known.getExtensions(needing, storage);
  return addExtensions(op, needing);
}

/// Adds the requirements of types to which a push-constant block points. Validators treat these
/// types as if they were in the block itself.
void Requirements::addPushedPointees(Operation *op, Type type) {
  if (auto pointer = dyn_cast<spv::PointerType>(type))
    return addPushedPointees(op, pointer.getPointeeType());
  if (auto block = dyn_cast<spv::StructType>(type)) {
    llvm::SmallDenseSet<Type> seen;
    for (Type member : block.getElementTypes())
      if (seen.insert(member).second)
        addPushedPointees(op, member);
  }
  if (auto array = dyn_cast<spv::RuntimeArrayType>(type))
    return addPushedPointees(op, array.getElementType());
  Type scalar = getElementTypeOrSelf(type);
  if (scalar.isIntOrFloat() && scalar.getIntOrFloatBitWidth() < 32)
    pushedNarrow.try_emplace(scalar, op);
}

LogicalResult Requirements::addTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  if (auto variable = dyn_cast<spv::GlobalVariableOp>(op))
    types.push_back(variable.getType());
  for (Type type : types)
    if (failed(addType(op, type, std::nullopt)))
      return failure();
  return success();
}

//===-------------------------------------------------------------------------===//
// Operations with special requirements
//===-------------------------------------------------------------------------===//

/// The capability and extension for atomic additions of floats of one width.
struct FloatAddition {
  spv::Capability capability;
  Feature inBuffers, inWorkgroupMemory;
};
static FloatAddition floatAddition(Type type) {
  if (type.isF16())
    return {spv::Capability::AtomicFloat16AddEXT, Feature::shaderBufferFloat16AtomicAdd,
            Feature::shaderSharedFloat16AtomicAdd};
  if (type.isF64())
    return {spv::Capability::AtomicFloat64AddEXT, Feature::shaderBufferFloat64AtomicAdd,
            Feature::shaderSharedFloat64AtomicAdd};
  return {spv::Capability::AtomicFloat32AddEXT, Feature::shaderBufferFloat32AtomicAdd,
          Feature::shaderSharedFloat32AtomicAdd};
}

/// Adds the requirements of an atomic operation. For 64-bit and float atomics, buffers and
/// workgroup memory have separate features.
LogicalResult Requirements::addAtomic(Operation *op) {
  auto pointer = dyn_cast<spv::PointerType>(op->getOperand(0).getType());
  if (!pointer || !op->getName().getStringRef().contains("Atomic"))
    return success();
  bool shared = pointer.getStorageClass() == spv::StorageClass::Workgroup;
  Type type = pointer.getPointeeType();
  if (type.isInteger(64)) {
    if (failed(addFeature(op, shared ? Feature::shaderSharedInt64Atomics
                                     : Feature::shaderBufferInt64Atomics)))
      return failure();
    return addCapability(op, spv::Capability::Int64Atomics);
  }
  if (!isa<spv::EXTAtomicFAddOp>(op))
    return success();
  FloatAddition needed = floatAddition(type);
  if (failed(addFeature(op, shared ? needed.inWorkgroupMemory : needed.inBuffers)))
    return failure();
  return addCapability(op, needed.capability);
}

LogicalResult Requirements::addSubgroupTypes(Operation *op) {
  if (!op->getName().getStringRef().starts_with("spirv.GroupNonUniform"))
    return success();
  for (Type type : op->getOperandTypes()) {
    Type scalar = getElementTypeOrSelf(type);
    if (!scalar.isIntOrFloat() || scalar.isInteger(1) || scalar.isInteger(32) || scalar.isF32() ||
        scalar.isF64())
      continue;
    if (failed(addFeature(op, Feature::shaderSubgroupExtendedTypes)))
      return failure();
  }
  return success();
}

/// Checks the shape of a product. A device lists the shapes that it can multiply. The feature alone
/// does not guarantee any shape.
LogicalResult Requirements::addMatrixProduct(spv::KHRCooperativeMatrixMulAddOp op) {
  std::optional<target::CooperativeMatrixShape> shape = matrixShapeOf(op);
  if (!shape)
    return op.emitError() << "multiplies " << op.getA().getType() << ", whose components no "
                          << "Vulkan device multiplies";
  std::string text = target::toString(*shape);
  if (!llvm::is_contained(env.cooperativeMatrices, *shape))
    return op.emitError() << "multiplies matrices of the shape '" << text
                          << "', which is not among the cooperativeMatrixPropertiesKHR of "
                          << target::describe(env);
  matrixShapes.insert(text);
  return success();
}

/// Adds the requirements of an operation that becomes OpReadClockKHR during serialization.
LogicalResult Requirements::addClock(spv::SpecConstantOp scope) {
  constexpr int64_t device = 1;
  bool isDevice = cast<IntegerAttr>(scope.getDefaultValue()).getInt() == device;
  if (!env.has(Feature::shaderInt64))
    return scope.emitError() << target::needs(env, Feature::shaderInt64);
  return success(succeeded(addFeature(scope, isDevice ? Feature::shaderDeviceClock
                                                      : Feature::shaderSubgroupClock)) &&
                 succeeded(addCapability(scope, spv::Capability::ShaderClockKHR)) &&
                 succeeded(addDeclaredExtension(scope, "SPV_KHR_shader_clock")));
}

LogicalResult Requirements::addOperation(Operation *op) {
  if (auto constant = dyn_cast<spv::SpecConstantOp>(op);
      constant && constant.getSymName().starts_with(clockScopeName))
    return addClock(constant);
  if (auto function = dyn_cast<spv::FuncOp>(op); function && function.isExternal()) {
    // It stands for an instruction, which Serialize writes.
    StringRef extension = gen::extensionOf(function.getName());
    if (!extension.empty() && failed(addDeclaredExtension(op, extension)))
      return failure();
    unnamed.insert(extension.str());
    return success();
  }
  if (auto function = dyn_cast<spv::FuncOp>(op)) // OpenCL's kernels have parameters
    for (Type type : function.getArgumentTypes())
      if (failed(addType(op, type, std::nullopt)))
        return failure();
  // For float additions, MLIR lists the capabilities of all widths as alternatives. Only the
  // capability of this width suffices.
  if (auto query = dyn_cast<spv::QueryCapabilityInterface>(op);
      query && !isa<spv::EXTAtomicFAddOp>(op))
    for (ArrayRef<spv::Capability> choices : query.getCapabilities())
      if (failed(addOneOf(op, choices)))
        return failure();
  if (auto query = dyn_cast<spv::QueryExtensionInterface>(op))
    if (failed(addExtensions(op, query.getExtensions())))
      return failure();
  if (auto query = dyn_cast<spv::QueryMinVersionInterface>(op))
    if (std::optional<spv::Version> version = query.getMinVersion();
        version && static_cast<uint32_t>(*version) > env.spirvMinorVersion())
      return op->emitError() << "needs SPIR-V " << spv::stringifyVersion(*version) << ", but "
                             << target::describe(env) << " takes SPIR-V 1."
                             << env.spirvMinorVersion();
  if (auto builtIn = op->getAttrOfType<StringAttr>("built_in"))
    if (std::optional<spv::BuiltIn> known = spv::symbolizeBuiltIn(builtIn.getValue())) {
      if (env.isOpenCl() && builtIn.getValue().contains("Subgroup") &&
          failed(addSubgroupOperation(op, target::SubgroupBasic)))
        return failure();
      if (auto choices = spv::getCapabilities(*known))
        if (failed(addOneOf(op, *choices)))
          return failure();
    }
  if (op->getNumOperands() > 0 && failed(addAtomic(op)))
    return failure();
  if (auto product = dyn_cast<spv::KHRCooperativeMatrixMulAddOp>(op))
    if (failed(addMatrixProduct(product)))
      return failure();
  return success(succeeded(addSubgroupTypes(op)) && succeeded(addTypes(op)));
}

/// Returns the capability that computing with `narrow` needs.
static spv::Capability ownCapability(Type narrow) {
  if (isa<FloatType>(narrow))
    return spv::Capability::Float16;
  return narrow.isInteger(8) ? spv::Capability::Int8 : spv::Capability::Int16;
}

/// Adds the requirements of narrow types that are only moved. They need a storage capability of
/// their width. Without one, they need the capability of the type itself.
LogicalResult Requirements::addMovedTypes() {
  using spv::Capability;
  const Capability storage8[] = {Capability::StorageBuffer8BitAccess,
                                 Capability::UniformAndStorageBuffer8BitAccess,
                                 Capability::StoragePushConstant8};
  const Capability storage16[] = {Capability::StorageBuffer16BitAccess,
                                  Capability::StorageUniform16, Capability::StoragePushConstant16};
  for (auto [type, op] : movedNarrow) {
    bool bytes = type.getIntOrFloatBitWidth() == 8;
    ArrayRef<Capability> enough = bytes ? ArrayRef(storage8) : ArrayRef(storage16);
    if (llvm::any_of(enough, [&](Capability c) { return capabilities.contains(c); }))
      continue;
    SmallVector<ArrayRef<Capability>> needed;
    cast<spv::SPIRVType>(type).getCapabilities(needed, std::nullopt);
    for (ArrayRef<Capability> choices : needed)
      if (failed(addOneOf(op, choices)))
        return failure();
  }
  return success();
}

LogicalResult Requirements::finish() {
  if (failed(addMovedTypes()))
    return failure();
  for (auto [type, op] : pushedNarrow) {
    bool bytes = type.getIntOrFloatBitWidth() == 8;
    spv::Capability pushed =
        bytes ? spv::Capability::StoragePushConstant8 : spv::Capability::StoragePushConstant16;
    if (capabilities.contains(ownCapability(type)))
      continue;
    if (failed(addOneOf(op, {pushed, ownCapability(type)})))
      return failure();
  }
  return success();
}

//===-------------------------------------------------------------------------===//
// Results
//===-------------------------------------------------------------------------===//

spv::VerCapExtAttr Requirements::triple(MLIRContext *context) const {
  SmallVector<spv::Capability> minimal;
  for (spv::Capability capability : capabilities) {
    // Shader and Kernel are declared even if another capability implies them, because consumers
    // look for them.
    bool implied =
        capability != spv::Capability::Shader && capability != spv::Capability::Kernel &&
        llvm::any_of(capabilities, [&](spv::Capability other) {
          return other != capability &&
                 llvm::is_contained(spv::getRecursiveImpliedCapabilities(other), capability);
        });
    if (!implied)
      minimal.push_back(capability);
  }
  // If a capability comes from an extension, the extension must be declared, unless the SPIR-V
  // version includes it.
  std::set<spv::Extension> declared = extensions;
  uint32_t version = env.spirvMinorVersion();
  auto require = [&](StringRef name) {
    if (std::optional<spv::Extension> known = spv::symbolizeExtension(name))
      declared.insert(*known);
  };
  auto requireFor = [&](std::string_view names, std::string_view extension) {
    for (std::string_view name : target::splitWords(names))
      if (std::optional<spv::Capability> known = spv::symbolizeCapability(name);
          known && capabilities.contains(*known) && !extension.empty())
        require(extension);
  };
  for (const executable::OpenclInfo &info : executable::allOpencl())
    if (env.isOpenCl())
      requireFor(info.capabilities, info.spirvExtension);
  for (const target::FeatureInfo &info : target::allFeatures()) {
    if (env.isOpenCl() || info.spirvExtension.empty() || version >= info.spirvCore)
      continue;
    requireFor(info.capabilities, info.spirvExtension);
  }
  // Extensions that the version includes are not declared.
  std::erase_if(declared, [&](spv::Extension extension) {
    StringRef name = spv::stringifyExtension(extension);
    return llvm::any_of(target::allFeatures(), [&](const target::FeatureInfo &info) {
      return info.spirvExtension == std::string_view(name) && version >= info.spirvCore;
    });
  });
  if (version >= 3)
    declared.erase(spv::Extension::SPV_KHR_storage_buffer_storage_class);
  SmallVector<spv::Extension> sorted(declared.begin(), declared.end());
  return spv::VerCapExtAttr::get(static_cast<spv::Version>(version), minimal, sorted, context);
}

/// Returns the requirements of a module for OpenCL. Features stand for the extensions that provide
/// them. Only capabilities without a feature need their extension by name.
DictionaryAttr Requirements::openClAttribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<StringRef> featureNames, extensionNames;
  for (Feature feature : features)
    featureNames.push_back(target::nameOf(feature));
  auto uses = [&](const executable::OpenclInfo &info) {
    if (!info.spirvExtension.empty() && unnamed.contains(std::string(info.spirvExtension)))
      return true;
    return llvm::any_of(target::splitWords(info.capabilities), [&](std::string_view name) {
      std::optional<spv::Capability> known = spv::symbolizeCapability(name);
      return known && capabilities.contains(*known);
    });
  };
  auto isFeature = [](const executable::OpenclInfo &info) {
    return !info.features.empty() || info.subgroupOperations != 0;
  };
  std::string described; // the capabilities for which a feature or a subgroup operation stands
  for (const executable::OpenclInfo &info : executable::allOpencl())
    if (isFeature(info))
      (described += ' ') += info.capabilities;
  for (const executable::OpenclInfo &info : executable::allOpencl()) {
    bool isCovered = llvm::all_of(target::splitWords(info.capabilities), [&](auto word) {
      return llvm::is_contained(target::splitWords(described), word);
    });
    if (!isFeature(info) && !isCovered && uses(info))
      extensionNames.push_back(info.name);
  }
  llvm::sort(featureNames);
  llvm::sort(extensionNames);
  // Newer versions of OpenCL add nothing that kernels need. The code states its version of SPIR-V.
  std::pair<int64_t, int64_t> version(env.versionMajor, env.versionMinor);
  version = std::min(version, std::pair<int64_t, int64_t>(3, 0));
  return b.getDictionaryAttr(
      {b.getNamedAttr("features", b.getStrArrayAttr(featureNames)),
       b.getNamedAttr("cooperative_matrices", b.getStrArrayAttr({})),
       b.getNamedAttr("extensions", b.getStrArrayAttr(extensionNames)),
       b.getNamedAttr("subgroup_operations", b.getI64IntegerAttr(subgroupOperations)),
       b.getNamedAttr("version", b.getDenseI64ArrayAttr({version.first, version.second}))});
}

DictionaryAttr Requirements::attribute(MLIRContext *context) const {
  if (env.isOpenCl())
    return openClAttribute(context);
  Builder b(context);
  SmallVector<StringRef> featureNames;
  std::set<std::string> extensionNames;
  for (Feature feature : features) {
    featureNames.push_back(target::nameOf(feature));
    const target::FeatureInfo &info = target::infoOf(feature);
    if (info.core != target::never && env.atLeast(1, info.core))
      continue;
    for (std::string_view name : target::splitWords(info.extensions))
      if (env.hasExtension(name)) {
        extensionNames.insert(std::string(name));
        break;
      }
  }
  llvm::sort(featureNames);
  SmallVector<StringRef> names(extensionNames.begin(), extensionNames.end());
  if (env.spirvMinorVersion() < 3 &&
      extensions.contains(spv::Extension::SPV_KHR_storage_buffer_storage_class))
    names.push_back("VK_KHR_storage_buffer_storage_class");
  // The oldest version of Vulkan that accepts this version of SPIR-V.
  uint32_t spirv = env.spirvMinorVersion();
  uint32_t minor = spirv >= 6 ? 3 : spirv == 5 ? 2 : spirv >= 3 ? 1 : 0;
  if (spirv == 4)
    names.push_back("VK_KHR_spirv_1_4");
  SmallVector<StringRef> shapes(matrixShapes.begin(), matrixShapes.end());
  return b.getDictionaryAttr(
      {b.getNamedAttr("features", b.getStrArrayAttr(featureNames)),
       b.getNamedAttr("cooperative_matrices", b.getStrArrayAttr(shapes)),
       b.getNamedAttr("extensions", b.getStrArrayAttr(names)),
       b.getNamedAttr("subgroup_operations", b.getI64IntegerAttr(subgroupOperations)),
       b.getNamedAttr("version", b.getDenseI64ArrayAttr({1, static_cast<int64_t>(minor)}))});
}
