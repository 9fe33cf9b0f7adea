//===- Requirements.h - the requirements of a module ------------------------===//
// Requirements are collected operation by operation, so that an error names a missing feature where
// it is used. The result is exact. It becomes the module's capabilities and the executable's
// requirements.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include "llvm/ADT/MapVector.h"

#include <set>

namespace pumice::spirv {
namespace spv = mlir::spirv;

/// Attribute of a finished spirv.module. The packager writes it into the executable.
inline constexpr llvm::StringLiteral requirementsAttrName = "pumice.requirements";
/// i64 attribute of a finished spirv.module.
inline constexpr llvm::StringLiteral workgroupBytesAttrName = "pumice.workgroup_bytes";

class Requirements {
public:
  explicit Requirements(const target::TargetEnv &env) : env(env) {}

  /// Adds the requirements of `op`. Reports an error at `op`, with Vulkan's names, if the target
  /// lacks one.
  mlir::LogicalResult addOperation(mlir::Operation *op);
  mlir::LogicalResult addCapability(mlir::Operation *op, spv::Capability capability);
  /// Adds the first of `choices` that the target has; one of them is enough.
  mlir::LogicalResult addOneOf(mlir::Operation *op, llvm::ArrayRef<spv::Capability> choices);
  mlir::LogicalResult addFeature(mlir::Operation *op, target::Feature feature);
  mlir::LogicalResult addSubgroupOperation(mlir::Operation *op, uint32_t bit);

  /// Adds the requirements of reading the clock of this scope (Serialize.h).
  mlir::LogicalResult addClock(mlir::spirv::SpecConstantOp scope);

  /// Adds an extension that a binary module declares. `name` is its name there, and errors are at
  /// `op`.
  mlir::LogicalResult addDeclaredExtension(mlir::Operation *op, llvm::StringRef name);
  /// Adds all features of the target that enable a capability, because it is not known which of
  /// them the code needs.
  void addBringers(spv::Capability capability);

  /// Call this after the last operation.
  mlir::LogicalResult finish();

  /// Returns the version, the capabilities that no other one implies, and the extensions that are
  /// not part of the version.
  spv::VerCapExtAttr triple(mlir::MLIRContext *context) const;
  /// Returns {features, extensions, subgroup_operations, cooperative_matrices, version}, by
  /// Vulkan's names.
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
  std::set<std::string> matrixShapes; // in the form of target::toString
  uint32_t subgroupOperations = 0;
  llvm::MapVector<mlir::Type, mlir::Operation *> movedNarrow,
      pushedNarrow; // by scalar type: the operation where it first occurs
};

} // namespace pumice::spirv
