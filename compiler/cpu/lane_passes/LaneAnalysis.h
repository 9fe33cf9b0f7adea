//===- LaneAnalysis.h - finds uniform values, and where lanes diverge -------===//
// Computes a fixpoint over a structured lane kernel. It starts with optimistic assumptions: every
// value and variable is uniform, and all lanes leave each construct together. The result holds for
// any launch.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneShape.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <array>

namespace pumice::cpu {

/// A kernel's workgroup, divided into subgroups of a fixed number of lanes. The numbers of
/// invocations count x first.
struct WorkgroupShape {
  std::array<int64_t, 3> size{1, 1, 1};
  unsigned lanes = 16;
  unsigned registerLanes = 16; // fewer than `lanes` if a subgroup has several registers

  int64_t invocations() const { return size[0] * size[1] * size[2]; }
  int64_t subgroups() const { return (invocations() + lanes - 1) / lanes; }
  /// Returns whether every lane of every subgroup has an invocation.
  bool full() const { return invocations() % lanes == 0; }
};

/// Returns the construct of the lane dialect at a given depth around `op`.
mlir::Operation *constructAt(mlir::Operation *op, unsigned depth);
bool isConstruct(mlir::Operation *op);
/// Returns whether a lane's result depends only on that lane's operands, and not on memory.
bool isElementwise(mlir::Operation *op);
/// Returns whether nothing writes to the memory during the launch. A value from it needs to be
/// loaded only once.
bool isConstantMemory(mlir::Value address);
/// Returns the distance in bytes between the private memory of neighbouring lanes.
int64_t privateStride(lane::PrivateOp op);

class LaneAnalysis {
public:
  LaneAnalysis(mlir::func::FuncOp kernel, const WorkgroupShape &workgroup);

  Shape shape(mlir::Value value) const { return shapes.lookup(value); }
  Shape variable(mlir::Value slot) const { return shapes.lookup(slot); }
  /// Returns whether all lanes access the array together, so that each element is one scalar.
  bool holdsScalars(lane::ArrayOp array) const;

  /// Returns whether lanes diverge at a construct. At an if or switch, they take different
  /// branches. At a loop or scope, they leave at different times.
  bool splits(mlir::Operation *construct) const { return split.contains(construct); }
  /// Returns whether some lanes may reach the loop's continuing region before others.
  bool continuesApart(mlir::Operation *loop) const { return apart.contains(loop); }
  /// Returns whether the construct may leave fewer lanes active than there were before it.
  bool leaks(mlir::Operation *construct) const { return leaking.contains(construct); }
  /// Returns whether lanes that were active before a loop or scope may be inactive in its body.
  bool losesLanes(mlir::Operation *construct) const {
    return splits(construct) || leaks(construct);
  }
  /// Returns whether all active lanes leave by this exit, continue or return together, so that it
  /// is a branch.
  bool jumps(mlir::Operation *exit) const { return !masked.contains(exit); }
  /// Returns the number of the mask under which `op` runs. Operations with the same number run in
  /// the same lanes. 0 means all lanes of the subgroup.
  unsigned maskNumber(mlir::Operation *op) const { return masks.lookup(op); }
  /// Returns whether the set may also overwrite the values of inactive lanes.
  bool overwrites(lane::SetOp set) const;

  /// Returns whether barriers split the kernel into segments. Otherwise, a workgroup is one
  /// segment.
  bool isCut() const { return cut; }
  /// Returns whether the construct runs once per workgroup. This is so if it contains a barrier or
  /// exits a construct that contains one.
  bool isWorkgroupConstruct(mlir::Operation *op) const { return workgroupConstructs.contains(op); }
  /// Returns whether the scalar is computed once per workgroup, outside the loop over subgroups.
  bool isWorkgroupScalar(mlir::Value value) const { return workgroupScalars.contains(value); }
  bool isWorkgroupVariable(mlir::Value slot) const { return workgroupVariables.contains(slot); }
  /// Returns whether the block runs once per workgroup, because it is not inside a loop over
  /// subgroups.
  bool isWorkgroupBlock(mlir::Block *block) const;

  const WorkgroupShape &workgroup() const { return group; }
  /// Returns the number of the mask with which a subgroup begins.
  unsigned entryMask() const { return group.full() ? 0 : 1; }

private:
  void collect();
  void walkRoot();
  unsigned walkBlock(mlir::Block &block, unsigned mask);
  unsigned walkConstruct(mlir::Operation *op, unsigned mask);
  unsigned walkLoop(lane::LoopOp loop, unsigned mask);
  void visit(mlir::Operation *op);
  void visitExit(mlir::Operation *exit, mlir::Operation *target, bool isContinue);
  void visitSet(lane::SetOp set);
  void visitArraySet(lane::ArraySetOp set);
  void visitWorkgroupScalar(mlir::Operation *op);
  Shape transfer(mlir::Operation *op);
  Shape builtin(llvm::StringRef which) const;
  bool scalarForWorkgroup(mlir::Operation *op) const;
  bool pendingLanes(mlir::Operation *construct, mlir::Operation *exit) const;
  bool isAddressOnly(mlir::Value value);
  void update(mlir::Value value, const Shape &shape);
  template <typename Set, typename T> void mark(Set &set, T element);
  void demote(mlir::Operation *construct);

  mlir::func::FuncOp kernel;
  WorkgroupShape group;
  llvm::DenseMap<mlir::Value, Shape> shapes;
  llvm::DenseMap<mlir::Value, bool> addressOnly;
  llvm::DenseMap<mlir::Operation *, unsigned> masks;
  llvm::DenseSet<mlir::Operation *> split, apart, leaking, masked, holdsBarrier;
  llvm::DenseSet<mlir::Operation *> workgroupConstructs, continued;
  llvm::DenseSet<mlir::Value> workgroupScalars, workgroupVariables;
  unsigned nextMask = 0;
  bool cut = false, changed = false, storesPending = false;
};

/// Writes the results to attributes of the kernel's operations, for tests and debugging.
void annotate(mlir::func::FuncOp kernel, const LaneAnalysis &analysis);

} // namespace pumice::cpu
