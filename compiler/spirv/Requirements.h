//===- Requirements.h - the requirements of a module ------------------------===//
// Requirements are collected operation by operation, so that an error can name a missing feature at
// the operation that needs it. The result is exact. It becomes the capabilities of the module and
// the requirements of the executable.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include "llvm/ADT/MapVector.h"

#include <set>

namespace pumice::spirv {
namespace spv = mlir::spirv;

/// An attribute of a finished spirv.module. The packager writes it into the executable.
inline constexpr llvm::StringLiteral requirementsAttrName = "pumice.requirements";
/// An i64 attribute of a finished spirv.module: the size of its workgroup memory.
inline constexpr llvm::StringLiteral workgroupBytesAttrName = "pumice.workgroup_bytes";

class Requirements {
public:
  explicit Requirements(const target::TargetEnv &env) : env(env) {}

  /// Adds the requirements of `op`. If the target lacks one, reports an error at `op` that names it
  /// as Vulkan does.
  mlir::LogicalResult addOperation(mlir::Operation *op);
  mlir::LogicalResult addCapability(mlir::Operation *op, spv::Capability capability);
  /// Adds the first of `choices` that the target supports. One of them suffices.
  mlir::LogicalResult addOneOf(mlir::Operation *op, llvm::ArrayRef<spv::Capability> choices);
  mlir::LogicalResult addFeature(mlir::Operation *op, target::Feature feature);
  mlir::LogicalResult addSubgroupOperation(mlir::Operation *op, uint32_t bit);

  /// Adds the requirements of reading a clock of this scope (Serialize.h).
  mlir::LogicalResult addClock(mlir::spirv::SpecConstantOp scope);

  /// Adds an extension that a binary module declares, by its SPIR-V name. Reports errors at `op`.
  mlir::LogicalResult addDeclaredExtension(mlir::Operation *op, llvm::StringRef name);
  /// Adds all of the target's features that provide a capability, because it is unknown which of
  /// them the code needs.
  void addBringers(spv::Capability capability);

  /// Must be called after the last operation.
  mlir::LogicalResult finish();

  /// Returns the version, the capabilities that no other capability implies, and the extensions
  /// that the version does not include.
  spv::VerCapExtAttr triple(mlir::MLIRContext *context) const;
  /// Returns {features, extensions, subgroup_operations, cooperative_matrices, version}, with
  /// Vulkan's names.
  mlir::DictionaryAttr attribute(mlir::MLIRContext *context) const;

private:
  mlir::DictionaryAttr openClAttribute(mlir::MLIRContext *context) const;
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
  std::set<std::string> matrixShapes; // in the format of target::toString
  std::set<std::string> unnamed;      // extensions of SPIR-V that MLIR has no name for
  uint32_t subgroupOperations = 0;
  llvm::MapVector<mlir::Type, mlir::Operation *> movedNarrow,
      pushedNarrow; // by scalar type: the first operation that uses it
};

} // namespace pumice::spirv
