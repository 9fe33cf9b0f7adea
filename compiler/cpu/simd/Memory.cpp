//===- Memory.cpp - loads and stores of a subgroup --------------------------===//
// Uniform addresses use scalar accesses. If the stride of addresses is the size of the access,
// whole vectors are used, (de)interleaved by shuffles. All other accesses are gathers and scatters,
// if possible with a scalar base and 32-bit indices. Only active lanes access memory.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Memory.h"
#include "compiler/cpu/simd/Atomics.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Rules.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

//===-------------------------------------------------------------------------===//
// Addresses
//===-------------------------------------------------------------------------===//

namespace {
/// A term of the part of an address that varies. It is a constant times a 32-bit or 64-bit number,
/// or times the lane's number.
struct Term {
  Value number; // null: the number of the lane
  int64_t factor;
};

struct Sum {
  SmallVector<std::pair<Value, int64_t>> scaled; // scalars of the first lane, with their factors
  SmallVector<Term> varying;
};
} // namespace

static std::optional<int64_t> constantFactor(Operation *op) {
  APInt value;
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&value)))
    return std::nullopt;
  if (isa<arith::MulIOp>(op))
    return value.getSExtValue();
  if (isa<arith::ShLIOp>(op) && value.ult(32))
    return int64_t(1) << value.getZExtValue();
  return std::nullopt;
}

/// Splits `bytes` * `factor` into a sum of uniform and varying terms. Does not split values for
/// which `whole` returns true.
static void split(Value bytes, int64_t factor, const LaneAnalysis &analysis,
                  llvm::function_ref<bool(Value)> whole, Sum &sum) {
  Shape shape = analysis.shape(bytes);
  Operation *op = bytes.getDefiningOp();
  if (shape.scalar()) {
    sum.scaled.push_back({bytes, factor});
    if (!shape.uniform())
      sum.varying.push_back({Value(), shape.stride * factor});
    return;
  }
  if (whole(bytes))
    return sum.varying.push_back({bytes, factor});
  if (isa<arith::AddIOp>(op)) {
    split(op->getOperand(0), factor, analysis, whole, sum);
    return split(op->getOperand(1), factor, analysis, whole, sum);
  }
  if (isa<arith::MulIOp, arith::ShLIOp>(op))
    if (auto by = constantFactor(op); by && std::abs(*by) < (int64_t(1) << 31))
      return split(op->getOperand(0), factor * *by, analysis, whole, sum);
  bool extended = isa<arith::ExtSIOp>(op) ||
                  (isa<arith::ExtUIOp>(op) && analysis.shape(op->getOperand(0)).bounded());
  if (extended && op->getOperand(0).getType().isInteger(32))
    return sum.varying.push_back({op->getOperand(0), factor});
  sum.varying.push_back({bytes, factor});
}

/// Returns whether the memory at `base` has less than 4 GiB, so that 32 bits can hold an offset in
/// it.
static bool isSmallObject(Value base) {
  Operation *op = base.getDefiningOp();
  return isa<lane::BufferOp, lane::SharedOp, lane::PushConstantsOp, lane::TableOp, lane::PrivateOp>(
      op);
}

/// Returns the largest scale that divides all factors and that addressing modes support.
static int64_t commonScale(ArrayRef<Term> terms) {
  int64_t scale = 8;
  for (const Term &term : terms)
    while (term.factor % scale)
      scale /= 2;
  return scale;
}

LaneAddress cpu::addressOf(SimdEmitter &e, Value pointer) {
  // Does not look through a value that another segment keeps. The operands of that value are not
  // kept, and variables and memory may have changed since.
  auto isKept = [&](Value value) {
    return e.plan.kept(value) && e.plan.segmentOf(value.getDefiningOp()) != e.segments.segment;
  };
  Sum sum;
  Value root = pointer;
  while (auto step = root.getDefiningOp<lane::OffsetOp>()) {
    if (e.analysis.shape(root).uniform() || isKept(root))
      break;
    split(step.getBytes(), 1, e.analysis, isKept, sum);
    root = step.getBase();
  }
  Shape rootShape = e.analysis.shape(root);
  if (!rootShape.scalar())
    return {Value(), e.values.vector(pointer), 1};
  Value base = e.values.scalar(root);
  if (!rootShape.uniform())
    sum.varying.push_back({Value(), rootShape.stride});
  for (auto [number, factor] : sum.scaled) {
    Value wide = e.values.scalar(number);
    base = e.b.offset(base, factor == 1 ? wide
                                        : LLVM::MulOp::create(e.b, wide, e.b.i64(factor)).getRes());
  }
  int64_t scale = commonScale(sum.varying);
  bool simple = sum.varying.size() == 1 && sum.varying[0].factor == scale;
  bool narrow = simple || (scale >= 4 && isSmallObject(root));
  for (const Term &term : sum.varying)
    narrow &= (!term.number || term.number.getType().isInteger(32)) &&
              std::abs(term.factor / scale) < (int64_t(1) << 24);
  Type type = narrow ? e.b.getI32Type() : e.b.getI64Type();
  Value index;
  for (const Term &term : sum.varying) {
    int64_t factor = term.factor / scale;
    Value part;
    if (!term.number) {
      part = e.b.laneNumbers(type, factor);
    } else {
      part = e.values.vector(term.number);
      if (!narrow && term.number.getType().isInteger(32))
        part = LLVM::SExtOp::create(e.b, e.b.vectorOf(type), part);
      if (factor != 1)
        part = LLVM::MulOp::create(e.b, part, e.b.integer(part.getType(), factor));
    }
    index = index ? LLVM::AddOp::create(e.b, index, part).getRes() : part;
  }
  return {base, index, static_cast<unsigned>(scale)};
}

/// Returns the addresses of the lanes, plus `bytes`.
static Value lanePointers(LaneBuilder &b, const LaneAddress &address, int64_t bytes) {
  unsigned count = cast<VectorType>(address.index.getType()).getNumElements();
  Type pointers = b.vectorOf(LLVM::LLVMPointerType::get(b.getContext()), count);
  if (!address.base) {
    if (bytes == 0)
      return address.index;
    return LLVM::GEPOp::create(b, pointers, b.getI8Type(), address.index, ValueRange{b.i64(bytes)});
  }
  Type unit = b.getIntegerType(8 * address.scale);
  Value base = b.offset(address.base, bytes);
  return LLVM::GEPOp::create(b, pointers, unit, base, ValueRange{address.index});
}

//===-------------------------------------------------------------------------===//
// Gathers and scatters
//===-------------------------------------------------------------------------===//

/// Inactive lanes need valid indices. If a whole register of indices is undefined, LLVM uses the
/// result's register for it, and processors reject such an instruction.
Value cpu::gather(SimdEmitter &e, LaneAddress address, int64_t bytes, Type element,
                  int64_t alignment, Value there) {
  Type indices = address.index.getType();
  unsigned count = cast<VectorType>(indices).getNumElements();
  Type type = e.b.vectorOf(element, count);
  if (there)
    address.index =
        LLVM::SelectOp::create(e.b, there, address.index, LLVM::ZeroOp::create(e.b, indices));
  else
    there = e.b.integer(e.b.vectorOf(e.b.getI1Type(), count), 1);
  // The default must not be poison, because masks may be computed from the result.
  Value otherwise = LLVM::ZeroOp::create(e.b, type);
  auto made = LLVM::masked_gather::create(e.b, type, lanePointers(e.b, address, bytes), there,
                                          ValueRange{otherwise}, alignment);
  markAccess(e, made);
  return made;
}

void cpu::scatter(SimdEmitter &e, const LaneAddress &address, int64_t bytes, Value value,
                  int64_t alignment) {
  markAccess(e, LLVM::masked_scatter::create(e.b, value, lanePointers(e.b, address, bytes),
                                             e.control.mask ? e.control.mask : e.b.allLanes(),
                                             e.b.getI32IntegerAttr(alignment)));
}

/// Returns the value of the last active lane.
static Value lastActive(SimdEmitter &e, Value vector) {
  if (!e.control.mask)
    return e.b.extract(vector, e.b.i32(e.b.lanes - 1));
  Value bits = e.b.maskBits(e.control.mask);
  Value zeros = LLVM::CountLeadingZerosOp::create(e.b, bits.getType(), bits, true);
  Value wide = e.b.lanes < 32   ? LLVM::ZExtOp::create(e.b, e.b.getI32Type(), zeros).getRes()
               : e.b.lanes > 32 ? LLVM::TruncOp::create(e.b, e.b.getI32Type(), zeros).getRes()
                                : zeros;
  return e.b.extract(vector, LLVM::SubOp::create(e.b, e.b.i32(e.b.lanes - 1), wide));
}

//===-------------------------------------------------------------------------===//
// Whole vectors: the `count` scalars of each lane are consecutive
//===-------------------------------------------------------------------------===//

/// Returns the mask for vector number `piece`, which has `size` scalars. Each lane has `count`
/// scalars.
static Value maskOfPiece(SimdEmitter &e, unsigned piece, unsigned size, unsigned count) {
  if (!e.control.mask || (count == 1 && size == e.b.lanes))
    return e.control.mask;
  SmallVector<int32_t> from;
  for (unsigned i = 0; i < size; ++i)
    from.push_back((piece * size + i) / count);
  return e.b.shuffle(e.control.mask, from);
}

/// Splits the memory that lanes access into vectors of `block` scalars, if the lanes are strided in
/// groups of `block`. Calls `use` with the number, address, alignment and mask of each vector.
static void forEachPiece(SimdEmitter &e, Value pointer, unsigned count, int64_t size,
                         int64_t alignment,
                         function_ref<void(unsigned, Value, int64_t, Value)> use) {
  unsigned block = std::min(e.analysis.shape(pointer).block, e.b.lanes);
  alignment = std::min<int64_t>(alignment, count * size);
  for (unsigned group = 0; group < e.b.lanes / block; ++group) {
    Value base = e.values.laneOf(pointer, group * block);
    for (unsigned i = 0; i < count; ++i) {
      int64_t bytes = i * block * size;
      unsigned piece = group * count + i;
      use(piece, e.b.offset(base, bytes), alignmentAt(alignment, bytes),
          maskOfPiece(e, piece, block, count));
    }
  }
}

void cpu::markAccess(SimdEmitter &e, Operation *made) {
  for (StringRef what : {"nontemporal", "restrict"})
    if (Attribute said = e.memory.access ? e.memory.access->getAttr(what) : Attribute())
      made->setAttr(("lane." + what).str(), said);
}

/// LLVM might merge a select with the same mask into this masked load, and move the load behind a
/// store to the same memory. The freeze prevents this.
Value cpu::loadWhere(SimdEmitter &e, Type type, Value place, int64_t alignment, Value there) {
  if (!there) {
    Value loaded = e.b.loadFrom(type, place, alignment);
    markAccess(e, loaded.getDefiningOp());
    return loaded;
  }
  Value none = LLVM::ZeroOp::create(e.b, type);
  Value loaded = LLVM::MaskedLoadOp::create(e.b, type, place, there, none, alignment);
  markAccess(e, loaded.getDefiningOp());
  return LLVM::FreezeOp::create(e.b, loaded);
}

static void storeWhere(SimdEmitter &e, Value value, Value place, int64_t alignment, Value there) {
  if (there)
    markAccess(
        e, LLVM::MaskedStoreOp::create(e.b, value, place, there, e.b.getI32IntegerAttr(alignment)));
  else
    markAccess(e, LLVM::StoreOp::create(e.b, value, place, alignment));
}

static void loadConsecutive(SimdEmitter &e, lane::LoadOp op) {
  unsigned count = op.getNumResults();
  unsigned block = std::min(e.analysis.shape(op.getAddress()).block, e.b.lanes);
  Type element = e.b.memoryType(op.getResult(0).getType()), type = e.b.vectorOf(element, block);
  SmallVector<Value> pieces;
  forEachPiece(e, op.getAddress(), count, bytesOf(element), op.getAlignment(),
               [&](unsigned, Value place, int64_t alignment, Value there) {
                 pieces.push_back(loadWhere(e, type, place, alignment, there));
               });
  Value all = e.b.concatenate(pieces);
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<int32_t> from;
    for (unsigned lane = 0; lane < e.b.lanes; ++lane)
      from.push_back(lane * count + i);
    Value part = count == 1 ? all : e.b.shuffle(all, from);
    e.values.define(op.getResult(i), e.b.fromMemory(part, op.getResult(i).getType()));
  }
}

static void storeConsecutive(SimdEmitter &e, lane::StoreOp op) {
  unsigned count = op.getValues().size();
  unsigned block = std::min(e.analysis.shape(op.getAddress()).block, e.b.lanes);
  SmallVector<Value> parts;
  for (Value value : op.getValues())
    parts.push_back(e.b.toMemory(e.values.vector(value)));
  Type element = cast<VectorType>(parts[0].getType()).getElementType();
  Value all = e.b.concatenate(parts);
  forEachPiece(e, op.getAddress(), count, bytesOf(element), op.getAlignment(),
               [&](unsigned piece, Value place, int64_t alignment, Value there) {
                 SmallVector<int32_t> from;
                 for (unsigned i = 0; i < block; ++i) {
                   unsigned number = piece * block + i;
                   from.push_back(number % count * e.b.lanes + number / count);
                 }
                 Value part = count == 1 && block == e.b.lanes ? all : e.b.shuffle(all, from);
                 storeWhere(e, part, place, alignment, there);
               });
}

//===-------------------------------------------------------------------------===//
// Loads and stores
//===-------------------------------------------------------------------------===//

/// The least number of lanes that are loaded as a vector. Fewer lanes are gathered.
static constexpr unsigned leastBlock = 4;

static void loadTogether(SimdEmitter &e, lane::LoadOp op) {
  Shape shape = e.analysis.shape(op.getAddress());
  Type type = op.getResult(0).getType(), element = e.b.memoryType(type);
  int64_t size = bytesOf(element), alignment = op.getAlignment();
  if (shape.uniform()) {
    Value base = e.values.scalar(op.getAddress());
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      auto loaded = LLVM::LoadOp::create(e.b, element, e.b.offset(base, i * size),
                                         alignmentAt(alignment, i * size));
      loaded.setInvariant(isConstantMemory(op.getAddress()));
      markAccess(e, loaded);
      e.values.define(result, e.b.fromMemory(loaded, type));
    }
    return;
  }
  if (shape.block >= leastBlock && shape.stride == size * op.getNumResults())
    return loadConsecutive(e, op);
  if (loadOnceABlock(e, op) || loadUnlessWrapped(e, op) || loadIfTogether(e, op))
    return;
  LaneAddress address = addressOf(e, op.getAddress());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    e.values.define(result, e.b.fromMemory(gather(e, address, i * size, element,
                                                  alignmentAt(alignment, i * size), e.control.mask),
                                           type));
}

static void emitLoad(SimdEmitter &e, lane::LoadOp op) {
  Operation *outer = std::exchange(e.memory.access, op);
  auto order = op->getAttrOfType<StringAttr>("atomic_order");
  if (order || op->hasAttr("volatile"))
    emitAccessEach(e, op, order ? order.getValue() : "");
  else
    loadTogether(e, op);
  e.memory.access = outer;
}

static void storeTogether(SimdEmitter &e, lane::StoreOp op) {
  Shape shape = e.analysis.shape(op.getAddress());
  int64_t size = bytesOf(e.b.memoryType(op.getValues()[0].getType())),
          alignment = op.getAlignment();
  unsigned count = op.getValues().size();
  if (shape.uniform()) { // all lanes write to one place, so the last value stays
    Value base = e.values.scalar(op.getAddress());
    for (auto [i, value] : llvm::enumerate(op.getValues())) {
      Value last = e.analysis.shape(value).uniform() ? e.values.scalar(value)
                                                     : lastActive(e, e.values.vector(value));
      storeWhere(e, e.b.toMemory(last), e.b.offset(base, i * size),
                 alignmentAt(alignment, i * size), {});
    }
    return;
  }
  if (shape.block >= leastBlock && shape.stride == size * count)
    return storeConsecutive(e, op);
  LaneAddress address = addressOf(e, op.getAddress());
  for (auto [i, value] : llvm::enumerate(op.getValues()))
    scatter(e, address, i * size, e.b.toMemory(e.values.vector(value)),
            alignmentAt(alignment, i * size));
}

static void emitStore(SimdEmitter &e, lane::StoreOp op) {
  Operation *outer = std::exchange(e.memory.access, op);
  auto order = op->getAttrOfType<StringAttr>("atomic_order");
  if (order || op->hasAttr("volatile"))
    emitAccessEach(e, op, order ? order.getValue() : "");
  else
    storeTogether(e, op);
  e.memory.access = outer;
}

ArrayRef<simd::Rule> simd::memoryRules() {
  static const Rule rules[] = {rule<emitLoad>(), rule<emitStore>()};
  return rules;
}
