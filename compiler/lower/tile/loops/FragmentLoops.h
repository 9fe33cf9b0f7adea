//===- FragmentLoops.h - the loops of a kernel and its kept tensors ---------===//
// Loops are filled on demand: a block of a tensor is computed when an operation needs it. A value
// that is needed after its loop is kept in a private array of the lane. If it is cheap and no write
// can have changed it, it is computed again instead.
//
// One class has the whole state, since its parts call each other (docs/decisions.md). The parts are
// in files by kind of operation. Code without this state is in Frames.h, Schedule.h and Slices.h.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/tile/loops/Frames.h"
#include "compiler/lower/tile/loops/Schedule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <deque>

namespace pumice::lower::tiles {

/// The body of a loop in which blocks are computed, and the blocks computed there so far.
struct Site {
  mlir::Block *source; // the kernel's block whose operations are computed
  size_t item;         // the loop's item in the schedule of `source`
  Frame frame;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Frame, mlir::Value>>> known;
  llvm::DenseSet<mlir::Operation *> stored; // stores that this iteration has already made

  Site(mlir::Block *source, size_t item, Frame frame, const mlir::OpBuilder &builder)
      : source(source), item(item), frame(std::move(frame)), builder(builder) {}
};

/// Limits the cost of computing a block again.
struct RepeatBudget {
  unsigned operations;
  uint64_t kept; // bytes of operands that a lane may keep in arrays instead
};

/// Describes the blocks in which a product of matrices is computed.
struct ProductPlan {
  Sizes block;    // the part of the result that is computed at once
  uint64_t depth; // the part of the depth whose factors are in workgroup memory at once
};
std::optional<ProductPlan> planProduct(tile::DotOp op, const LoopLimits &limits);
/// Returns the smallest blocks that a loop can process one by one. Returns nothing if their layouts
/// differ, or if they are too large.
std::optional<Sizes> blocksOf(mlir::Value tensor);
/// Returns whether a gather becomes loops that use workgroup memory.
bool isLoopedGather(tile::GatherOp op, const LoopLimits &limits);
/// Returns whether a histogram becomes loops that count in workgroup memory.
bool isLoopedHistogram(tile::HistogramOp op, const LoopLimits &limits);
/// Returns the type of a gather's elements in workgroup memory. Elements of less than 16 bits
/// occupy 32-bit words.
mlir::Type typeInMemory(tile::GatherOp op);

class FragmentLoops {
public:
  FragmentLoops(mlir::gpu::GPUFuncOp func, const LoopLimits &limits) : func(func), limits(limits) {}
  mlir::LogicalResult run();

private:
  mlir::LogicalResult takeByBlocks();

  /// The state while a block of the kernel is emitted.
  struct Emission {
    mlir::Block *block;
    Schedule schedule;
    mlir::OpBuilder builder;
    llvm::DenseMap<mlir::Value, mlir::Value> targets; // the arrays in which values must be kept

    Emission(mlir::Block &block, Schedule schedule)
        : block(&block), schedule(std::move(schedule)), builder(block.getTerminator()) {}
  };

  // FragmentLoops.cpp: blocks and groups
  void emitBlock(mlir::Block &block, mlir::ValueRange carried);
  void emitAlone(Emission &e, mlir::Operation *op, size_t item);
  void emitGroup(Emission &e, size_t item);
  bool isEager(const Emission &e, const Group &group) const;

  // Reductions.cpp
  llvm::SmallVector<mlir::Value> firstSums(mlir::OpBuilder &b, const Group &group,
                                           const Frame &frame);
  void combine(Site &site, tile::ReduceOp op, mlir::MutableArrayRef<mlir::Value> sums,
               mlir::Value isFirst);
  void finishReduction(Emission &e, mlir::OpBuilder &b, tile::ReduceOp op, const Nest &nest,
                       mlir::ValueRange operands);

  void reduce(Site &site, tile::ReduceOp op);
  /// Holds the result of a tile.any_held while loops test its blocks.
  struct AnyHeld {
    tile::AnyHeldOp op;
    mlir::Value cell; // in the lane's private memory
  };
  llvm::SmallVector<AnyHeld> beginAnyHeld(mlir::OpBuilder &b, const Group &group);
  void addAnyHeld(Site &site, AnyHeld any);
  static void finishAnyHeld(mlir::OpBuilder &b, llvm::ArrayRef<AnyHeld> all);

  // Reshapes.cpp
  void emitRenamed(Emission &e, tile::ReshapeOp op, size_t item);
  void emitCat(Emission &e, tile::CatOp op, size_t item);
  /// Returns whether the operation only reshapes a tensor that a loop computes. Such an operation
  /// belongs to no loop itself.
  bool isRenamed(mlir::Operation *def) const;
  mlir::Value sliceRenamed(tile::ReshapeOp op, const Frame &frame, Site &site);

  // Scans.cpp
  void scan(Site &site, tile::ScanOp op);
  void scan(Site &site, tile::ScanOp op, mlir::MutableArrayRef<mlir::Value> totals,
            mlir::Value isFirst);

  // Products.cpp
  void emitProduct(Emission &e, tile::DotOp op, size_t item);
  void stage(Emission &e, tile::DotOp op, unsigned which, mlir::Value chunk,
             const ProductPlan &plan, size_t item);
  mlir::Value multiply(Emission &e, tile::DotOp op, mlir::Value array, const ProductPlan &plan,
                       size_t item);
  uint64_t bytesForEach() const;
  void addWorkgroupMemory();

  // Gathers.cpp
  void emitGather(Emission &e, tile::GatherOp op, size_t item);

  // Histograms.cpp
  void emitHistogram(Emission &e, tile::HistogramOp op, size_t item);

  // Control.cpp: loops that carry tensors, and conditionals that return tensors
  void emitFor(Emission &e, mlir::scf::ForOp op, size_t item);
  void emitWhile(Emission &e, mlir::scf::WhileOp op, size_t item);
  void emitIf(Emission &e, mlir::scf::IfOp op);
  mlir::Value carry(Emission &e, mlir::Value init, mlir::Value variable, size_t item);
  void replaceSmall(mlir::ValueRange before, mlir::ValueRange after) const;
  void keepInPlace(Emission &e, mlir::ValueRange carried);
  void storeCarried(Emission &e, mlir::ValueRange carried);
  bool isOf(mlir::Value value, const llvm::DenseSet<mlir::Value> &some) const;

  // Fragments.cpp: the places in which tensors are kept
  /// Makes loops over the blocks of a tensor, and moves `b` into the innermost loop.
  Frame loopOver(mlir::Value tensor, mlir::ImplicitLocOpBuilder &b);
  Sizes grownBlocks(const tile::LinearLayout &layout, const Sizes &smallest) const;
  mlir::Value slice(mlir::Value value, const Frame &frame, Site &site);
  mlir::Value makeSlice(mlir::Value value, const Frame &frame, Site &site);
  mlir::Value cloneSlice(mlir::Operation *op, const Frame &frame, Site &site, unsigned result = 0);
  mlir::Value whole(mlir::Value value, mlir::OpBuilder &b);
  bool isDirect(mlir::Value value) const;
  llvm::ArrayRef<Access> accessesOf(const Site &site) const;
  bool canRepeat(mlir::Value value, llvm::ArrayRef<uint64_t> sizes, bool isTurns, const Site &site,
                 RepeatBudget &budget) const;
  bool isAsMade(tile::LoadOp load, bool isTurns, const Site &site) const;
  mlir::Value newArray(mlir::Value value);
  mlir::Value arrayOf(mlir::Value value);
  void copy(Emission &e, mlir::Value value, mlir::Value array, size_t item, uint64_t behind = 0);
  void move(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type, mlir::Value from,
            mlir::Value to);
  Site siteAt(Emission &e, mlir::OpBuilder builder, const Frame &frame, size_t item) const;

  mlir::gpu::GPUFuncOp func;
  LoopLimits limits;
  llvm::DenseMap<mlir::Value, mlir::Value> arrays;
  llvm::SmallVector<mlir::memref::AllocaOp> allArrays;
  llvm::DenseSet<mlir::Value> changing;                      // tensors that loops carry
  llvm::DenseMap<mlir::Type, mlir::Value> workgroupMemories; // by element type
  std::deque<Site> groupSites;
  llvm::DenseMap<mlir::Operation *, Site *> sites; // the loop of each operation
  llvm::SmallVector<Emission *> emissions;         // with the innermost one last
  llvm::SmallVector<mlir::Operation *>
      replaced; // replaced operations, erased at the end since their results serve as keys
};

/// Combines two blocks element by element. If `isFirst` holds, the result is `second`, since
/// `first` holds nothing yet.
llvm::SmallVector<mlir::Value> combineBlocks(mlir::OpBuilder &b, mlir::Region &region,
                                             mlir::ValueRange first, mlir::ValueRange second,
                                             mlir::Value isFirst);

/// Returns the frame of the results of an operation on blocks.
Frame frameOf(mlir::Operation *op, Frame frame);
/// Returns the block of the operand that has the elements of a block of the result. Returns nothing
/// if these elements do not form one block. Without a builder, the returned block has no start.
std::optional<Frame> beforeReshape(mlir::OpBuilder *b, tile::ReshapeOp op, const Frame &frame);

} // namespace pumice::lower::tiles
