//===- Schedule.h - decides which operations share a loop -------------------===//
// The schedule is decided before any code changes. An operation on blocks joins the first loop over
// the same shape that has all its inputs, if the order of memory accesses allows this. An operation
// that needs all results of a loop follows that loop.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/lower/tile/loops/Accesses.h"
#include "compiler/lower/tile/loops/Slices.h"

#include <memory>
#include <optional>

namespace pumice::lower::tiles {

struct LoopLimits {
  uint64_t registers = 16; // a tensor with more registers in a lane becomes a loop
  uint64_t unrolled = 4;   // the registers that one iteration handles
  uint64_t turns = 0;      // loops with more iterations handle more registers in each; 0: no limit
  uint64_t mostTurns = 0;  // the most iterations of all loops together; 0: no limit
  uint64_t productRegisters = 16;  // the registers of a product that are computed at once
  uint64_t depthUnrolled = 1;      // the steps along a product's depth in one iteration
  uint64_t multiplications = 1024; // a product with more of these in a lane becomes a loop
  uint64_t workgroupBytes = 32 << 10;
  bool overlap = false;      // whether arguments may share memory
  uint64_t privateBytes = 0; // the most bytes of a lane's arrays; 0: no limit
};

/// Above this number of registers, the body of a loop is as long as the code that the loop
/// replaces.
inline constexpr uint64_t mostRegistersInSlice = 64;

/// The most registers of a tensor in a kernel that multiplies fragments. The largest accumulators
/// have this number.
inline constexpr uint64_t mostRegistersOfFragments = 256;

/// Describes the work of one loop over blocks.
struct Group {
  Sizes shape, sizes;                       // of the tensors, and of the smallest blocks
  tile::LinearLayout layout;                // of the first operation; decides how blocks grow
  std::optional<unsigned> axis;             // of its reductions and scans
  std::optional<bool> reverse;              // whether its scans go from the last block to the first
  llvm::SmallVector<mlir::Operation *> ops; // in the kernel's order

  /// Returns whether each block contains all elements that the reduction combines.
  bool isWithinBlocks(tile::ReduceOp op) const {
    return tile::isDistributed(op->getResult(0).getType()) &&
           sizes[op.getAxis()] == shape[op.getAxis()];
  }
};

/// A loop, or an operation outside of loops. `before` lists further operations outside of loops
/// that precede it.
struct Item {
  llvm::SmallVector<mlir::Operation *> before;
  std::unique_ptr<Group> group;
  mlir::Operation *single = nullptr;
};

struct Access {
  mlir::Operation *op;
  size_t item;
  bool writes;
};

/// Returns whether an operation only reshapes a large tensor, so that registers keep their order.
bool isRenaming(mlir::Operation *op, const LoopLimits &limits);
/// Returns whether an operation only names registers differently.
bool isView(mlir::Operation *op);
/// Returns whether an operation is computed at each use, because it is a view or cheap. It then
/// belongs to no loop.
bool isOnDemand(mlir::Operation *op);
/// Returns whether computing a result again costs less than keeping it.
bool isCheap(mlir::Operation *op);
uint64_t registersOf(mlir::Type type);
bool isLarge(mlir::Value value, const LoopLimits &limits);
/// Returns the dimension along which a reduction or a scan combines elements.
std::optional<unsigned> axisOf(mlir::Operation *op);

/// Returns the part of an operand that a block of the results needs, dimension by dimension. It is
/// `one` in dimensions in which the operand has a single element. It is `both` in the dimension
/// that a tile.split divides between its two results.
template <typename T>
llvm::SmallVector<T> ofOperand(mlir::Operation *op, mlir::Value operand, llvm::ArrayRef<T> ofResult,
                               T one, T both);

class Schedule {
public:
  Schedule(mlir::Block &block, const LoopLimits &limits,
           llvm::function_ref<bool(mlir::Operation *)> hasOwnLoops);

  llvm::SmallVector<Item> items;
  llvm::SmallVector<Access> accesses;
  llvm::DenseMap<mlir::Operation *, size_t> inGroup; // the item of each operation in a loop

private:
  void place(mlir::Operation *op);
  void placeOnDemand(mlir::Operation *op);
  void placeRenaming(mlir::Operation *op);
  bool placeInLoop(mlir::Operation *op);
  void placeAlone(mlir::Operation *op);
  size_t readyAt(mlir::Value value) const;
  bool isIn(mlir::Operation *op, size_t item) const;
  bool canJoin(mlir::Operation *op, size_t item) const;
  size_t afterMemory(mlir::Operation *op, bool mayShare) const;
  size_t append(Item item);

  LoopLimits limits;
  llvm::function_ref<bool(mlir::Operation *)> hasOwnLoops;
  llvm::DenseMap<mlir::Value, size_t> ready; // the item before which the whole value is available
  llvm::SmallVector<mlir::Operation *> pending; // operations that go before the next item
  size_t fence = 0;
};

template <typename T>
llvm::SmallVector<T> ofOperand(mlir::Operation *op, mlir::Value operand, llvm::ArrayRef<T> ofResult,
                               T one, T both) {
  llvm::SmallVector<T> result(ofResult);
  if (auto expand = mlir::dyn_cast<tile::ExpandDimsOp>(op)) {
    result.erase(result.begin() + expand.getAxis());
  } else if (auto trans = mlir::dyn_cast<tile::TransOp>(op)) {
    for (auto [i, dimension] : llvm::enumerate(trans.getOrder()))
      result[static_cast<size_t>(dimension)] = ofResult[i];
  } else if (mlir::isa<tile::BroadcastOp>(op)) {
    auto type = mlir::cast<mlir::RankedTensorType>(operand.getType());
    for (size_t i = 0; i < result.size(); ++i)
      if (type.getDimSize(static_cast<unsigned>(i)) == 1)
        result[i] = one;
  } else if (mlir::isa<tile::JoinOp>(op)) {
    result.pop_back();
  } else if (mlir::isa<tile::SplitOp>(op)) {
    result.push_back(both);
  }
  return result;
}

/// Marks a dimension that blocks contain as a whole, although other dimensions are divided.
inline constexpr int wholeDimension = -2;

/// Grows `sizes` to the smallest blocks of a group that the layout of `value` allows. `dimensions`
/// maps the dimensions of `value` to those of the group. Returns false if `value` cannot be divided
/// into blocks of the group.
bool growToFit(mlir::Value value, llvm::ArrayRef<int> dimensions, llvm::ArrayRef<uint64_t> shape,
               Sizes &sizes);

} // namespace pumice::lower::tiles
