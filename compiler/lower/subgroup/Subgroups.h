//===- Subgroups.h - properties of lanes and subgroups ----------------------===//
// Lanes and subgroups are numbered only by built-ins (gpu.lane_id, gpu.subgroup_id), since Vulkan
// does not say which invocations share a subgroup. The subgroup's size is a range unless a kernel
// has requiredSubgroupSizeAttrName. That attribute goes into the executable, and the subgroups are
// then full too.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"

namespace pumice::lower {

struct SubgroupSizes {
  uint32_t least, usual, most;
  bool fixed() const { return least == most; }
};

/// Returns the range of sizes that a subgroup of `func` can have. It is a single size if the kernel
/// requires one.
SubgroupSizes subgroupSizes(mlir::gpu::GPUFuncOp func, const target::TargetEnv &env);

/// Returns the name of the limit that gives `subgroupSizes(...).most`, such as "the target's
/// maxSubgroupSize", for messages.
std::string subgroupLimit(mlir::gpu::GPUFuncOp func, const target::TargetEnv &env);

/// Ensures that the subgroups of the kernel around `op` have at least `least` lanes, and records
/// that on the kernel. If the target's smallest size is less, requires a larger one. Reports an
/// error at `op` if no size of the target suffices.
mlir::LogicalResult requireSubgroupSize(mlir::Operation *op, uint64_t least,
                                        const target::TargetEnv &env);

/// Emits the error for a missing bit of subgroupFeatures. `orElse` names an alternative.
mlir::InFlightDiagnostic missingSubgroupOperation(mlir::Operation *op, const target::TargetEnv &env,
                                                  uint32_t bit, const llvm::Twine &orElse = "");

/// Returns the workgroup's size in x, y and z, or null if `func` does not state it.
mlir::DenseI32ArrayAttr knownBlockSize(mlir::gpu::GPUFuncOp func);

/// Returns the number of invocations in a workgroup (x·y·z), if `func` states it by
/// known_block_size or spirv.entry_point_abi.
std::optional<uint64_t> knownInvocations(mlir::gpu::GPUFuncOp func);

/// Returns the number of invocations as an index, computed at run time if it is not known.
mlir::Value workgroupInvocations(mlir::OpBuilder &builder, mlir::Location loc,
                                 mlir::gpu::GPUFuncOp func);

/// Requires full subgroups of one size: the usual size, unless the kernel requires another one
/// already. Fails if the workgroup's extent along x is not known to be a multiple of that size.
/// Code that relies on every lane calls this, since another device with the same features may have
/// larger subgroups.
mlir::FailureOr<uint32_t> requireFullSubgroups(mlir::gpu::GPUFuncOp func,
                                               const target::TargetEnv &env);

/// Returns whether the target reduces a value of `type` (i32, i64, f32, f64 or narrower) by one
/// instruction.
bool reducesNatively(const target::TargetEnv &env, mlir::Type type);

/// Returns whether control flow around `op`, within its function, depends on the invocation's id.
/// If so, invocations of one workgroup may disagree on whether they reach `op`.
bool underVaryingControl(mlir::Operation *op);

mlir::Value constantI32(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);
/// Return gpu.lane_id and gpu.subgroup_size, as i32.
mlir::Value laneId(mlir::OpBuilder &builder, mlir::Location loc);
mlir::Value subgroupSize(mlir::OpBuilder &builder, mlir::Location loc);

/// Convert scalars exactly to types that every target can store and exchange, and back. Integers
/// become i32 or i64 (zero-extended), and floats become f32 or f64.
mlir::Type wholeType(mlir::Type type);
mlir::Value toWhole(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);
mlir::Value fromWhole(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      mlir::Type type);

} // namespace pumice::lower
