//===- Emitter.h - writes a kernel's code on vectors --------------------===//
// One object per kernel walks its regions in order and appends blocks to an llvm.func. Variables
// and masks are allocas, of which LLVM makes values. A mask of null is full. Wherever control is,
// at least one lane is active, except in regions cheap enough to be executed in vain.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/KernelFrame.h"
#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/cpu/simd/Target.h"
#include "compiler/cpu/simd/ValueMap.h"
#include "compiler/cpu/simd/Variables.h"
#include "compiler/cpu/simd/WorkgroupPlan.h"

namespace pumice::cpu {

/// Of what lies `bytes` further on than something of this alignment.
inline int64_t alignmentAt(int64_t alignment, int64_t bytes) {
  return bytes ? std::min(alignment, bytes & -bytes) : alignment;
}

/// base + index * scale for each lane; without an index all of the address.
struct LaneAddress {
  mlir::Value base;  // a scalar
  mlir::Value index; // a vector of i32 or i64
  unsigned scale = 1;
};

/// Factors of a product in memory, row by row: a of `depth` columns, b of `columns`.
struct MatrixFactors {
  // What one instruction multiplies.
  enum Kind { Each, BrainPairs, ByteQuads, BrainTiles, ByteTiles } kind = Each;
  mlir::Value a, b;
  mlir::Type element, sum;
  int64_t depth = 0, columns = 0;
  unsigned width = 0; // elements of a vector of sums
  unsigned step = 1;  // elements of each row that an instruction adds up
  bool leftSigned = false, rightSigned = false;
  bool rightFirst = false;                 // the right factor's bytes are the unsigned ones
  llvm::SmallVector<mlir::Value> groups{}; // b's vectors, where they are interleaved
};

/// What a product is added to: vectors, `across` a row, or, where variables hold it and nothing
/// else looks, their memory.
struct MatrixSums {
  llvm::SmallVector<mlir::Value> vectors;
  mlir::Value memory;
  int64_t rows = 0, across = 0;
};

/// A part of a product that registers hold: rows, and vectors of each.
struct MatrixTile {
  int64_t row, rows, vector, vectors;
};

/// A loop that counts to a bound in pieces (Loops.cpp).
struct CountedLoop {
  mlir::arith::CmpIPredicate goesOn = {}; // while it holds for counter and bound
  mlir::Value limit;                      // where the piece ends, in memory
  mlir::Block *nextPiece = nullptr;
};

class SimdEmitter final : ValueSource {
public:
  /// `target`: the processor, whatever width a subgroup has.
  SimdEmitter(mlir::func::FuncOp kernel, const LaneAnalysis &analysis, const SimdTarget &target);
  /// Puts the llvm.func before the kernel. Fails with a diagnostic.
  mlir::LogicalResult emit();

private:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Block = mlir::Block;
  using Operation = mlir::Operation;

  // What a construct's exits need.
  struct Exits {
    Block *end = nullptr, *next = nullptr; // after it; its continuing region
    Value after;                           // mask of those that reached its end; null: as before it
    Value continued;                       // mask of those that reached the continuing region
    bool ofWorkgroup = false;
  };

  // Who takes one way of a selection.
  struct ArmLanes {
    Value mask;
    Value any = {}, all = {}; // whether it has some, and all lanes, if that is known otherwise
  };

  // Workgroup.cpp: segments, barriers, what the workgroup executes as one
  void emitGroupBlock(Block &block);
  void emitItem(const PlanItem &item);
  void emitScalars(Operation *op);
  void emitSegment(const PlanItem &item);
  void emitGroupConstruct(const PlanItem &item);
  void emitGroupWay(mlir::Region &region);
  void emitGroupIf(lane::IfOp op, unsigned number);
  void emitDividedIf(lane::IfOp op, unsigned number);
  void emitGroupSwitch(lane::SwitchOp op, unsigned number);
  void emitDividedSwitch(lane::SwitchOp op, unsigned number);
  void emitGroupLoop(lane::LoopOp loop);
  void emitGroupTerminator(Operation *op);
  void leaveWaiting(Operation *op);
  void forEachSubgroup(unsigned number, llvm::function_ref<void()> body);
  void mergeWaiting(int64_t place);
  void runOthers(Operation *selection);
  Value anyRuns();
  void skipUnless(Value condition);
  Value scratchAt(int64_t offset);
  Value scratchBase();
  Value startMask(unsigned number);
  void moveVariables(unsigned number, bool toScratch);

  // Control.cpp: constructs within a subgroup
  void withRegionEnd(llvm::function_ref<void()> body, Block *none = nullptr);
  void emitBlock(Block &block, Block *none = nullptr);
  void emitOps(llvm::ArrayRef<Operation *> ops);
  void bringToRegionEnd(Value lanes);
  void emitOp(Operation *op);
  void emitConstruct(Operation *op);
  void emitIf(lane::IfOp op);
  void emitUniformIf(lane::IfOp op);
  void emitSwitch(lane::SwitchOp op);
  void emitUniformSwitch(lane::SwitchOp op);
  bool continuesAtEndOnly(lane::LoopOp loop) const;
  void emitLoop(lane::LoopOp op);
  void emitScope(lane::ScopeOp op);
  void emitTerminator(Operation *op);
  void emitArm(mlir::Region &region, uint32_t control, const ArmLanes &lanes, Exits &exits);
  bool isFasterUnmasked(llvm::ArrayRef<Operation *> ops) const;
  Value anyHolds(Value condition, bool holds);
  Exits openConstruct(Operation *op);
  void closeConstruct(Operation *op, Value before);
  void arriveAt(Value slot);
  bool isCheap(llvm::ArrayRef<Operation *> ops, unsigned most) const;

  // Loops.cpp: how loops repeat
  Block *startLoop(lane::LoopOp loop, Block *body);
  void repeatLoop(lane::LoopOp loop, Block *body);
  void emitFixed(Value value, lane::LoopOp loop);
  void leaveForGood(lane::ExitOp exit);
  bool emitCount(Operation *op);

  // Values.cpp: values, variables, elementwise operations
  void emitElementwise(Operation *op);
  Value emitScalarCopy(Operation *op, llvm::ArrayRef<Value> operands);
  void emitBuiltin(lane::BuiltinOp op);
  void emitClock(lane::ClockOp op);
  Value emitLeaf(Operation *op) override;
  void bring(Value value) override;
  bool isKept(Value value) override;
  void keep(Value value, Value as) override;
  void emitVariableOp(Operation *op);
  void emitArrayOp(Operation *op);
  void emitPrivate(lane::PrivateOp op);
  Value memoryOf(Value declaration, int64_t bytes);
  Value linearNumbers();

  // StridedBlocks.cpp: values that are strided in blocks of lanes
  bool emitInBlocks(Operation *op);
  bool emitVariableInBlocks(Operation *op);
  bool loadOnceABlock(lane::LoadOp op);

  // WrappedIndexLoads.cpp
  bool loadUnlessWrapped(lane::LoadOp op);
  bool loadIfStraight(lane::LoadOp op);
  Value loadEither(Value straight, Value first, LaneAddress address, Type type, int64_t alignment,
                   Value there);
  Value registerPart(Value vector, unsigned lane, unsigned count);
  Value firstUnlessWrapped(Value value, unsigned lane, unsigned count, Value &straight);

  // Division.cpp
  bool emitDivision(Operation *op);

  // Memory.cpp
  void emitLoad(lane::LoadOp op);
  void emitStore(lane::StoreOp op);
  void loadTogether(lane::LoadOp op);
  void storeTogether(lane::StoreOp op);
  Value loadWhere(Type type, Value place, int64_t alignment, Value there);
  void storeWhere(Value value, Value place, int64_t alignment, Value there);
  void markAccess(Operation *made);
  void loadConsecutive(lane::LoadOp op);
  void storeConsecutive(lane::StoreOp op);
  void forEachPiece(Value pointer, unsigned count, int64_t size, int64_t alignment,
                    llvm::function_ref<void(unsigned, Value, int64_t, Value)> use);
  Value gather(LaneAddress address, int64_t offset, Type element, int64_t alignment, Value there);
  void scatter(const LaneAddress &address, int64_t offset, Value value, int64_t alignment);
  Value lanePointers(const LaneAddress &address, int64_t offset);
  LaneAddress addressOf(Value pointer);
  Value lastActive(Value vector);
  Value maskOfPiece(unsigned piece, unsigned size, unsigned count);

  // Atomics.cpp
  void emitAtomic(lane::AtomicOp op);
  void emitCompareExchange(lane::CompareExchangeOp op);
  void emitFence(llvm::StringRef order);
  void emitAccessEach(Operation *op, llvm::StringRef order);
  void forEachActiveLane(llvm::function_ref<void(Value lane)> body);
  Value updateEach(Value address, llvm::ArrayRef<Value> perLane, Type type, bool isShort,
                   llvm::function_ref<Value(Value, llvm::ArrayRef<Value>)> update);
  Value updateOne(lane::AtomicOp op, Value address, Value value);

  // Exchange.cpp
  void emitShuffle(lane::ShuffleOp op);
  void emitBallot(lane::BallotOp op);
  void emitReduce(lane::ReduceOp op);
  Value reduceAll(llvm::StringRef kind, Value vector);
  Value scanLanes(llvm::StringRef kind, Value vector, unsigned cluster, bool exclusive);
  Value combine(llvm::StringRef kind, Value a, Value b);
  Value identity(llvm::StringRef kind, Type type);
  Value activeOr(Value vector, Value otherwise);

  // Matrices.cpp
  void emitMatrixTranspose(lane::MatrixTransposeOp op);
  llvm::SmallVector<Value> permuteIndexBits(llvm::ArrayRef<Value> old,
                                            llvm::ArrayRef<unsigned> from);
  llvm::SmallVector<Value> wholeVectors(mlir::ValueRange elements);
  Value matrixInMemory(llvm::ArrayRef<Value> vectors);
  llvm::SmallVector<Value> vectorsFrom(Value memory, Type element, unsigned width, int64_t count);

  // MatrixProducts.cpp
  void emitMatrixProduct(lane::MatrixProductOp op);
  MatrixFactors prepareFactors(lane::MatrixProductOp op, Type sum);
  Value interleave(Value x, Value y);
  llvm::SmallVector<Value> interleaveRows(llvm::ArrayRef<Value> rows, size_t across, size_t step);
  llvm::SmallVector<Value> correction(const MatrixFactors &factors);
  Value resized(Value vector, Type element, bool isSigned);
  Value multiplyAdd(const MatrixFactors &factors, Value x, Value y, Value sum);
  Value splatFrom(const MatrixFactors &factors, Value address);
  void multiplyTile(const MatrixFactors &factors, const MatrixTile &tile,
                    llvm::MutableArrayRef<Value> sums);
  void multiplyTiles(const MatrixFactors &factors, MatrixSums &sums);
  void groupSums(lane::MatrixProductOp op);
  Value variablesOf(lane::MatrixProductOp op);
  Value saturated(Value c, Value product, bool isSigned);

  // AmxProducts.cpp
  void multiplyByTiles(const MatrixFactors &factors, MatrixSums &sums);
  void configureTiles();
  void releaseTiles();
  void callTile(llvm::StringRef name, llvm::ArrayRef<int64_t> tiles, mlir::ValueRange operands);

  // Printf.cpp
  void emitPrintf(lane::PrintfOp op);
  void appendRecord(Value buffer, Value room, llvm::ArrayRef<Value> record);

  void fail(Operation *op, const llvm::Twine &why);

  mlir::func::FuncOp kernel;
  const LaneAnalysis &analysis;
  SimdPlan plan;
  const SimdTarget target;
  const unsigned lanes;
  LaneBuilder b;
  KernelFrame frame;
  ValueMap values;
  Variables variables;
  Block *segmentEnd = nullptr; // the subgroup is done with the segment
  Block *regionEnd = nullptr;  // of the block at hand, for when no lane is left; created if needed
  Value regionEndMask;
  Block *whenNone = nullptr; // where it goes on instead, if not at the end of the block
  llvm::DenseMap<Operation *, Exits> opened;
  llvm::DenseMap<Operation *, CountedLoop> counted; // by loop, comparison and exit
  Value mask;                                       // null: all lanes
  Value subgroup;                                   // its number in the workgroup, i32
  Value scratchOfSubgroup, scratchOnStack, anyFlag, nothing;
  Operation *access = nullptr;      // the load or store of the kernel that is emitted; null: none
  Operation *prologueEnd = nullptr; // values of other segments are loaded or computed before it
  unsigned segment = 0;
  bool usesTiles = false;
  bool isMaskedCopy = false; // of what is there for all lanes, too
  bool failed = false;
};

} // namespace pumice::cpu
