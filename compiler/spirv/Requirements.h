//===- Requirements.h - what a module needs of a device ---------------------===//
// Collected operation by operation, so that what a target lacks is named where it is used. The
// result is exact: it becomes the module's capabilities and the executable's requirements.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include "llvm/ADT/MapVector.h"

#include <set>

namespace pumice::spirv {
namespace spv = mlir::spirv;

/// Attribute of a finished spirv.module: what the packager writes into the executable.
inline constexpr llvm::StringLiteral requirementsAttrName = "pumice.requirements";
/// i64 attribute of a finished spirv.module.
inline constexpr llvm::StringLiteral workgroupBytesAttrName = "pumice.workgroup_bytes";

class Requirements {
public:
  explicit Requirements(const target::TargetEnv &env) : env(env) {}

  /// Adds what `op` needs; an error at `op`, in Vulkan's words, when the target lacks it.
  mlir::LogicalResult addOperation(mlir::Operation *op);
  mlir::LogicalResult addCapability(mlir::Operation *op, spv::Capability capability);
  /// One of `choices` is enough; the first that the target has is taken.
  mlir::LogicalResult addOneOf(mlir::Operation *op, llvm::ArrayRef<spv::Capability> choices);
  mlir::LogicalResult addFeature(mlir::Operation *op, target::Feature feature);
  mlir::LogicalResult addSubgroupOperation(mlir::Operation *op, uint32_t bit);

  /// Adds the requirements of reading the clock of this scope (Serialize.h).
  mlir::LogicalResult addClock(mlir::spirv::SpecConstantOp scope);

  /// For modules that come as binaries: `name` as they declare it, at `op`.
  mlir::LogicalResult addDeclaredExtension(mlir::Operation *op, llvm::StringRef name);
  /// Adds all features of the target that enable a capability, because it is not known which of
  /// them the code needs.
  void addBringers(spv::Capability capability);

  /// To be called after the last operation.
  mlir::LogicalResult finish();

  /// Version, capabilities that no other one implies, and extensions that the version lacks.
  spv::VerCapExtAttr triple(mlir::MLIRContext *context) const;
  /// {features, extensions, subgroup_operations, cooperative_matrices, version}: Vulkan's names.
  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;

private:
  mlir::LogicalResult addType(mlir::Operation *op, mlir::Type type,
                              std::optional<spv::StorageClass> storage);
  void addPushedPointees(mlir::Operation *op, mlir::Type type);
  mlir::LogicalResult addMovedTypes();
  mlir::LogicalResult addTypes(mlir::Operation *op);
  mlir::LogicalResult addAtomic(mlir::Operation *op);
  mlir::LogicalResult addSubgroupTypes(mlir::Operation *op);
  mlir::LogicalResult addMatrixProduct(spv::KHRCooperativeMatrixMulAddOp op);
  mlir::LogicalResult addExtensions(mlir::Operation *op,
                                    llvm::ArrayRef<llvm::ArrayRef<spv::Extension>> needed);

  const target::TargetEnv &env;
  std::set<spv::Capability> capabilities;
  std::set<spv::Extension> extensions;
  std::set<target::Feature> features;
  std::set<std::string> matrixShapes; // as target::toString writes them
  uint32_t subgroupOperations = 0;
  llvm::MapVector<mlir::Type, mlir::Operation *> movedNarrow,
      pushedNarrow; // by scalar type, where first
};

} // namespace pumice::spirv
