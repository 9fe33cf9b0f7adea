//===- Schedule.h - which operations of a block share a loop -----------------===//
// The schedule is decided without changing anything. Operations on blocks of one shape join the
// first loop that has all their inputs, as far as the order of memory accesses allows. An operation
// that needs all of a loop's results follows that loop.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/lower/tile/loops/Accesses.h"
#include "compiler/lower/tile/loops/Slices.h"

#include <memory>
#include <optional>

namespace pumice::lower::tiles {

struct LoopLimits {
  uint64_t registers = 16; // a tensor with more registers in a lane gets a loop
  uint64_t unrolled = 4;   // the number of those taken at once
  uint64_t turns = 0;      // or more, so that a loop has at most this many iterations (0: any)
  uint64_t mostTurns = 0;  // the most iterations of all loops together; 0: any number
  uint64_t productRegisters = 16;      // of the part of a product that is computed at once
  uint64_t depthUnrolled = 1;          // of a product's depth, in one iteration
  uint64_t multiplications = 1024;     // the most of a product in a lane that are written out
  uint64_t narrowMultiplications = 32; // the same if lanes hold different rows and columns
  uint64_t workgroupBytes = 32 << 10;
  bool overlap = false;      // arguments may share memory
  uint64_t privateBytes = 0; // of a lane's arrays; 0: any number
};

/// With more registers than this, the body of a loop is as bad as the code that the loop replaces.
inline constexpr uint64_t mostRegistersInSlice = 64;

/// The limit for a tensor in a kernel that multiplies fragments: as many registers as the largest
/// accumulators have.
inline constexpr uint64_t mostRegistersOfFragments = 256;

/// Describes the work of one loop over blocks.
struct Group {
  Sizes shape, sizes;                       // of the tensors, and the least sizes of the blocks
  tile::LinearLayout layout;                // of the first operation, which decides how blocks grow
  std::optional<unsigned> axis;             // of its reductions and scans
  std::optional<bool> reverse;              // of its scans: from the last block to the first
  llvm::SmallVector<mlir::Operation *> ops; // in the kernel's order

  /// Returns whether each block has all elements that the reduction combines.
  bool isWithinBlocks(tile::ReduceOp op) const {
    return tile::isDistributed(op->getResult(0).getType()) &&
           sizes[op.getAxis()] == shape[op.getAxis()];
  }
};

/// A loop, or an operation outside of loops. Before it come the operations outside of loops that it
/// needs.
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

/// Returns whether an operation only reshapes a large tensor, so that its registers stay as they
/// are.
bool isRenaming(mlir::Operation *op, const LoopLimits &limits);
/// Returns whether an operation only names registers, or is cheap to compute at each use. It then
/// gets no loop of its own.
bool isView(mlir::Operation *op);
bool isOnDemand(mlir::Operation *op);
/// Returns whether arithmetic costs less than keeping its result.
bool isCheap(mlir::Operation *op);
uint64_t registersOf(mlir::Type type);
bool isLarge(mlir::Value value, const LoopLimits &limits);
/// Returns the dimension that a reduction or a scan combines.
std::optional<unsigned> axisOf(mlir::Operation *op);

/// Returns the block of an operand that a block of the results needs, dimension by dimension. It is
/// `one` in dimensions where the operand has a single element. It is `both` where the operand holds
/// the two elements that became those of two tensors.
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
  llvm::SmallVector<mlir::Operation *> pending; // placed before the next item
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

/// Marks a dimension that a group takes whole, of a tensor that it takes by blocks.
inline constexpr int wholeDimension = -2;

/// Grows `sizes` to the smallest blocks that the layouts allow in these dimensions of a group.
/// Returns false if `value` cannot be taken by blocks of the group at all.
bool growToFit(mlir::Value value, llvm::ArrayRef<int> dimensions, llvm::ArrayRef<uint64_t> shape,
               Sizes &sizes);

} // namespace pumice::lower::tiles
