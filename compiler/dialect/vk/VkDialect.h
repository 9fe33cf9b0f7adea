//===- VkDialect.h - Vulkan target environments and kernel interfaces -------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/dialect/vk/VkDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/vk/VkAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/vk/VkTypes.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/vk/VkOps.h.inc"

namespace pumice::vk {

/// The attribute of a gpu.module that holds its target: gpu.module @m attributes {vk.target_env =
/// #vk.target_env<…>}.
inline constexpr llvm::StringLiteral targetEnvAttrName = "vk.target_env";

/// Describes the expected form, for errors about text that cannot be read at all.
inline constexpr llvm::StringLiteral targetEnvForm =
    "a target environment reads like #vk.target_env<v1.1, r(0), [VK_KHR_8bit_storage], "
    "{subgroupSize = 32 : i32}>";

/// Convert the attribute to plain data, and back; the round trip is exact. `toAttr` emits an error
/// and returns null for an environment that target::verify rejects.
target::TargetEnv toTargetEnv(TargetEnvAttr attr);
TargetEnvAttr toAttr(mlir::MLIRContext *context, const target::TargetEnv &env);

/// Returns the target of the nearest enclosing operation that has one. Otherwise emits an error at
/// `op` that names the missing attribute and the pass that sets it.
mlir::FailureOr<target::TargetEnv> lookupTarget(mlir::Operation *op);

} // namespace pumice::vk
