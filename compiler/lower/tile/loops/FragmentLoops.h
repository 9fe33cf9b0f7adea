//===- FragmentLoops.h - the loops of a kernel, and where its tensors are -----===//
// Loops are filled on demand: a tensor's block is created when an operation needs it. A value
// needed after the loop that created it is kept in an array of the lane. It is created again
// instead if that is cheap and no write can have come between.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/tile/loops/Schedule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <deque>

namespace pumice::lower::tiles {

/// A block of a tensor: its sizes, and its start (as i32; none: 0).
struct Frame {
  Sizes sizes;
  llvm::SmallVector<mlir::Value> starts;
  bool operator==(const Frame &) const = default;
};

/// A nest of loops over the blocks of a shape.
struct Nest {
  Frame frame;
  llvm::SmallVector<mlir::scf::ForOp> loops; // the outermost first; empty if there is one block
};

/// The place where blocks are made: in the body of a loop.
struct Site {
  mlir::Block *source; // the block of the kernel whose operations it takes part in
  size_t item;         // in the schedule of that block
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
  uint64_t kept; // bytes in a lane for the operands, if they are kept instead
};

/// Says how a product of matrices is cut.
struct ProductPlan {
  Sizes block;    // of the part of the result that is computed at once
  uint64_t depth; // of the part of the factors that is in workgroup memory at once
};
std::optional<ProductPlan> planProduct(tile::DotOp op, const LoopLimits &limits);
/// Returns the smallest blocks of a tensor that a loop can take, or nothing if there are none.
std::optional<Sizes> blocksOf(mlir::Value tensor);
/// Returns whether elements go through workgroup memory, in loops.
bool isLoopedGather(tile::GatherOp op, const LoopLimits &limits);
/// Returns whether numbers are counted in workgroup memory, in loops.
bool isLoopedHistogram(tile::HistogramOp op, const LoopLimits &limits);
/// Returns the type of the elements in memory: elements of less than 16 bits occupy words.
mlir::Type typeInMemory(tile::GatherOp op);

class FragmentLoops {
public:
  FragmentLoops(mlir::gpu::GPUFuncOp func, const LoopLimits &limits) : func(func), limits(limits) {}
  mlir::LogicalResult run();

private:
  mlir::LogicalResult takeByBlocks();

  /// A block of the kernel that is being emitted.
  struct Emission {
    mlir::Block *block;
    Schedule schedule;
    mlir::OpBuilder builder;
    llvm::DenseMap<mlir::Value, mlir::Value> targets; // arrays in which values are to be kept

    Emission(mlir::Block &block, Schedule schedule)
        : block(&block), schedule(std::move(schedule)), builder(block.getTerminator()) {}
  };

  // FragmentLoops.cpp: blocks and groups
  void emitBlock(mlir::Block &block, mlir::ValueRange carried);
  void emitAlone(Emission &e, mlir::Operation *op, size_t item);
  void emitGroup(Emission &e, size_t item);
  bool isEager(const Emission &e, const Group &group) const;

  // LoopReductions.cpp
  llvm::SmallVector<mlir::Value> firstSums(mlir::OpBuilder &b, const Group &group,
                                           const Frame &frame);
  void combine(Site &site, tile::ReduceOp op, mlir::MutableArrayRef<mlir::Value> sums,
               mlir::Value isFirst);
  void finishReduction(Emission &e, mlir::OpBuilder &b, tile::ReduceOp op, const Nest &nest,
                       mlir::ValueRange operands);

  void reduce(Site &site, tile::ReduceOp op);
  /// Collects whether any element is true, block by block.
  struct AnyHeld {
    tile::AnyHeldOp op;
    mlir::Value cell; // in the lane's own memory
  };
  llvm::SmallVector<AnyHeld> beginAnyHeld(mlir::OpBuilder &b, const Group &group);
  void addAnyHeld(Site &site, AnyHeld any);
  static void finishAnyHeld(mlir::OpBuilder &b, llvm::ArrayRef<AnyHeld> all);

  // LoopReshapes.cpp
  void emitRenamed(Emission &e, tile::ReshapeOp op, size_t item);
  void emitCat(Emission &e, tile::CatOp op, size_t item);
  /// Returns whether the operation only gives another shape to what a loop makes. It is then in no
  /// loop itself.
  bool isRenamed(mlir::Operation *def) const;
  mlir::Value sliceRenamed(tile::ReshapeOp op, const Frame &frame, Site &site);

  // LoopScans.cpp
  void scan(Site &site, tile::ScanOp op);
  void scan(Site &site, tile::ScanOp op, mlir::MutableArrayRef<mlir::Value> totals,
            mlir::Value isFirst);

  // LoopProducts.cpp
  void emitProduct(Emission &e, tile::DotOp op, size_t item);
  void stage(Emission &e, tile::DotOp op, unsigned which, mlir::Value chunk,
             const ProductPlan &plan, size_t item);
  mlir::Value multiply(Emission &e, tile::DotOp op, mlir::Value array, const ProductPlan &plan,
                       size_t item);
  uint64_t bytesForEach() const;
  void addWorkgroupMemory();

  // LoopGathers.cpp
  void emitGather(Emission &e, tile::GatherOp op, size_t item);

  // LoopHistograms.cpp
  void emitHistogram(Emission &e, tile::HistogramOp op, size_t item);

  // LoopControl.cpp: loops that carry tensors, and conditions that return some
  void emitFor(Emission &e, mlir::scf::ForOp op, size_t item);
  void emitWhile(Emission &e, mlir::scf::WhileOp op, size_t item);
  void emitIf(Emission &e, mlir::scf::IfOp op);
  mlir::Value carry(Emission &e, mlir::Value init, mlir::Value variable, size_t item);
  void replaceSmall(mlir::ValueRange before, mlir::ValueRange after) const;
  void keepInPlace(Emission &e, mlir::ValueRange carried);
  void storeCarried(Emission &e, mlir::ValueRange carried);
  bool isOf(mlir::Value value, const llvm::DenseSet<mlir::Value> &some) const;

  // Fragments.cpp: where a tensor is kept
  Nest makeNest(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<uint64_t> shape,
                llvm::ArrayRef<uint64_t> sizes, llvm::ArrayRef<unsigned> order,
                mlir::ValueRange carried = {});
  /// Loops over the blocks of a tensor. `b` is in the innermost loop afterwards.
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
  mlir::Value load(mlir::OpBuilder &b, mlir::Location loc, mlir::Value array,
                   mlir::RankedTensorType type, const Frame &frame);
  void store(mlir::OpBuilder &b, mlir::Location loc, mlir::Value part, mlir::Value array,
             mlir::RankedTensorType type, const Frame &frame, uint64_t behind = 0);
  void copy(Emission &e, mlir::Value value, mlir::Value array, size_t item, uint64_t behind = 0);
  void move(mlir::OpBuilder &b, mlir::Location loc, mlir::RankedTensorType type, mlir::Value from,
            mlir::Value to);
  Site siteAt(Emission &e, mlir::OpBuilder builder, const Frame &frame, size_t item) const;

  mlir::gpu::GPUFuncOp func;
  LoopLimits limits;
  llvm::DenseMap<mlir::Value, mlir::Value> arrays;
  llvm::SmallVector<mlir::memref::AllocaOp> allArrays;
  llvm::DenseSet<mlir::Value> changing;                      // carried by a loop
  llvm::DenseMap<mlir::Type, mlir::Value> workgroupMemories; // by elements
  std::deque<Site> groupSites;
  llvm::DenseMap<mlir::Operation *, Site *> sites; // of members of loops
  llvm::SmallVector<Emission *> emissions;         // the innermost last
  llvm::SmallVector<mlir::Operation *> replaced;   // names of values until all is emitted
};

/// Combines two blocks element by element. If there is no first block yet, returns `second`.
llvm::SmallVector<mlir::Value> combineBlocks(mlir::OpBuilder &b, mlir::Region &region,
                                             mlir::ValueRange first, mlir::ValueRange second,
                                             mlir::Value isFirst);

/// Returns the frame of the results of an operation on blocks.
Frame frameOf(mlir::Operation *op, Frame frame);
/// Returns the block of the operand with the elements of a block of the result, if they form one
/// block. Without a builder the returned block has no start.
std::optional<Frame> beforeReshape(mlir::OpBuilder *b, tile::ReshapeOp op, const Frame &frame);
/// Returns the type of a block.
mlir::RankedTensorType sliceType(mlir::Type type, llvm::ArrayRef<uint64_t> sizes);
/// Returns the frame of a whole tensor.
Frame wholeFrame(mlir::Value value);

} // namespace pumice::lower::tiles
