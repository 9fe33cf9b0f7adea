//===- SpirvTargetEnv.cpp - #vk.target_env → #spirv.target_env --------------===//
//   before: #vk.target_env<v1.1, r(120), [], {shaderInt64, subgroupFeatures = 1 : i32, …}>
//   after:  #spirv.target_env<#spirv.vce<v1.3, [GroupNonUniform, Int64, Matrix, Shader],
//               [SPV_KHR_storage_buffer_storage_class, …]>, api=Vulkan, #spirv.resource_limits<…>>
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/SelectTarget.h"

#include "compiler/target/Spirv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::target;

/// Returns the names that `symbolize` knows. MLIR 22 lacks a few, so modules cannot use these
/// either.
template <typename Enum>
static SmallVector<Enum> symbolizeAll(const std::vector<std::string_view> &names,
                                      std::optional<Enum> (*symbolize)(StringRef)) {
  SmallVector<Enum> result;
  for (std::string_view name : names)
    if (std::optional<Enum> known = symbolize({name.data(), name.size()}))
      result.push_back(*known);
  return result;
}

static spirv::Version spirvVersion(uint32_t minor) {
  constexpr spirv::Version versions[] = {
      spirv::Version::V_1_0, spirv::Version::V_1_1, spirv::Version::V_1_2, spirv::Version::V_1_3,
      spirv::Version::V_1_4, spirv::Version::V_1_5, spirv::Version::V_1_6};
  return versions[std::min<size_t>(minor, std::size(versions) - 1)];
}

static Type componentType(Builder &builder, ComponentType type) {
  MLIRContext *context = builder.getContext();
  auto signedInteger = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Signed);
  };
  auto unsignedInteger = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case ComponentType::f16:
    return builder.getF16Type();
  case ComponentType::f32:
    return builder.getF32Type();
  case ComponentType::f64:
    return builder.getF64Type();
  case ComponentType::bf16:
    return builder.getBF16Type();
  case ComponentType::s8:
    return signedInteger(8);
  case ComponentType::s16:
    return signedInteger(16);
  case ComponentType::s32:
    return signedInteger(32);
  case ComponentType::s64:
    return signedInteger(64);
  case ComponentType::u8:
    return unsignedInteger(8);
  case ComponentType::u16:
    return unsignedInteger(16);
  case ComponentType::u32:
    return unsignedInteger(32);
  case ComponentType::u64:
    return unsignedInteger(64);
  }
  llvm_unreachable("every component type has a type");
}

static spirv::ScopeAttr scopeAttr(MLIRContext *context, MatrixScope scope) {
  constexpr spirv::Scope scopes[] = {spirv::Scope::Subgroup, spirv::Scope::Workgroup,
                                     spirv::Scope::Device, spirv::Scope::QueueFamily};
  return spirv::ScopeAttr::get(context, scopes[static_cast<size_t>(scope)]);
}

static Attribute matrixAttr(Builder &builder, const CooperativeMatrixShape &shape) {
  return spirv::CooperativeMatrixPropertiesKHRAttr::get(
      builder.getContext(), shape.m, shape.n, shape.k, componentType(builder, shape.a),
      componentType(builder, shape.b), componentType(builder, shape.c),
      componentType(builder, shape.result), shape.saturating,
      scopeAttr(builder.getContext(), shape.scope));
}

static Attribute matrixAttrNV(Builder &builder, const CooperativeMatrixShape &shape) {
  return spirv::CooperativeMatrixPropertiesNVAttr::get(
      builder.getContext(), shape.m, shape.n, shape.k, componentType(builder, shape.a),
      componentType(builder, shape.b), componentType(builder, shape.c),
      componentType(builder, shape.result), scopeAttr(builder.getContext(), shape.scope));
}

/// Clamps to `int`, the type of upstream's limits. No larger value is needed.
static int clamp(uint64_t value) { return static_cast<int>(std::min<uint64_t>(value, INT32_MAX)); }

static spirv::ResourceLimitsAttr resourceLimits(Builder &builder, const TargetEnv &env) {
  const Limits &limits = env.limits;
  SmallVector<int32_t> sizes;
  for (uint32_t size : limits.maxComputeWorkGroupSize)
    sizes.push_back(clamp(size));
  SmallVector<Attribute> matrices, matricesNV;
  for (const CooperativeMatrixShape &shape : env.cooperativeMatrices)
    matrices.push_back(matrixAttr(builder, shape));
  for (const CooperativeMatrixShape &shape : env.cooperativeMatricesNV)
    matricesNV.push_back(matrixAttrNV(builder, shape));
  return spirv::ResourceLimitsAttr::get(
      builder.getContext(), clamp(limits.maxComputeSharedMemorySize),
      clamp(limits.maxComputeWorkGroupInvocations), builder.getI32ArrayAttr(sizes),
      clamp(limits.subgroupSize), clamp(limits.minSubgroupSize), clamp(limits.maxSubgroupSize),
      builder.getArrayAttr(matrices), builder.getArrayAttr(matricesNV));
}

spirv::TargetEnvAttr vk::toSpirvTargetEnv(MLIRContext *context, const TargetEnv &given) {
  context->getOrLoadDialect<spirv::SPIRVDialect>();
  TargetEnv env = given;
  env.complete();
  Builder builder(context);
  auto triple = spirv::VerCapExtAttr::get(
      spirvVersion(env.spirvMinorVersion()),
      symbolizeAll<spirv::Capability>(spirvCapabilities(env), spirv::symbolizeCapability),
      symbolizeAll<spirv::Extension>(spirvExtensions(env), spirv::symbolizeExtension), context);
  return spirv::TargetEnvAttr::get(triple, resourceLimits(builder, env),
                                   env.isOpenCl() ? spirv::ClientAPI::OpenCL
                                                  : spirv::ClientAPI::Vulkan);
}

void vk::setTarget(Operation *gpuModule, const TargetEnv &env) {
  MLIRContext *context = gpuModule->getContext();
  gpuModule->setAttr(targetEnvAttrName, toAttr(context, env));
  gpuModule->setAttr(spirv::getTargetEnvAttrName(), toSpirvTargetEnv(context, env));
}
