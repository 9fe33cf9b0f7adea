//===- Memory.cpp - loads and stores of a subgroup ----------------------===//
//   address uniform:                 scalar accesses
//   strided by the bytes it moves:   whole vectors, (de)interleaved by shuffles
//   anything else:                   gathers and scatters, from a scalar base where there is one
//   and
//                                    by 32-bit numbers where the index was one
// Only lanes that are there touch memory.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Emitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

//===-------------------------------------------------------------------------===//
// Addresses
//===-------------------------------------------------------------------------===//

namespace {
/// What varies in an address: a number of 32 or 64 bits times a constant, or lane numbers times it.
struct Term {
  Value number; // null: the lane's number
  int64_t factor;
};

struct Sum {
  SmallVector<std::pair<Value, int64_t>> scaled; // the first lane's scalars, and their factors
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

/// `bytes` * `factor` as a sum of uniform numbers and varying ones. What is `whole` is not taken
/// apart.
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

/// Memory that ends within 4 GiB of its start: an index of what lies in it, times 4, is less.
static bool isSmallObject(Value base) {
  Operation *op = base.getDefiningOp();
  return isa<lane::BufferOp, lane::SharedOp, lane::PushConstantsOp, lane::TableOp, lane::PrivateOp>(
      op);
}

/// The largest step, of those that addressing modes know, of which all factors are multiples.
static int64_t commonScale(ArrayRef<Term> terms) {
  int64_t scale = 8;
  for (const Term &term : terms)
    while (term.factor % scale)
      scale /= 2;
  return scale;
}

LaneAddress SimdEmitter::addressOf(Value pointer) {
  // What another segment has computed is kept, but not what it was computed from: variables and
  // memory may have changed since.
  auto isKept = [&](Value value) {
    return plan.kept(value) && plan.segmentOf(value.getDefiningOp()) != segment;
  };
  Sum sum;
  Value root = pointer;
  while (auto step = root.getDefiningOp<lane::OffsetOp>()) {
    if (analysis.shape(root).uniform() || isKept(root))
      break;
    split(step.getBytes(), 1, analysis, isKept, sum);
    root = step.getBase();
  }
  Shape rootShape = analysis.shape(root);
  if (!rootShape.scalar())
    return {Value(), values.vector(pointer), 1};
  Value base = values.scalar(root);
  if (!rootShape.uniform())
    sum.varying.push_back({Value(), rootShape.stride});
  for (auto [number, factor] : sum.scaled) {
    Value wide = values.scalar(number);
    base =
        b.offset(base, factor == 1 ? wide : LLVM::MulOp::create(b, wide, b.i64(factor)).getRes());
  }
  int64_t scale = commonScale(sum.varying);
  bool simple = sum.varying.size() == 1 && sum.varying[0].factor == scale;
  bool narrow = simple || (scale >= 4 && isSmallObject(root));
  for (const Term &term : sum.varying)
    narrow &= (!term.number || term.number.getType().isInteger(32)) &&
              std::abs(term.factor / scale) < (int64_t(1) << 24);
  Type type = narrow ? b.getI32Type() : b.getI64Type();
  Value index;
  for (const Term &term : sum.varying) {
    int64_t factor = term.factor / scale;
    Value part;
    if (!term.number) {
      part = b.laneNumbers(type, factor);
    } else {
      part = values.vector(term.number);
      if (!narrow && term.number.getType().isInteger(32))
        part = LLVM::SExtOp::create(b, b.vectorOf(type), part);
      if (factor != 1)
        part = LLVM::MulOp::create(b, part, b.integer(part.getType(), factor));
    }
    index = index ? LLVM::AddOp::create(b, index, part).getRes() : part;
  }
  return {base, index, static_cast<unsigned>(scale)};
}

/// The lanes' addresses, `bytes` further on.
Value SimdEmitter::lanePointers(const LaneAddress &address, int64_t bytes) {
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

/// By an index of any number of lanes; `there`: null for all of them. Lanes that are not there get
/// an index nevertheless: where a whole register of them has none, LLVM takes that of the result
/// for it, which no processor executes.
Value SimdEmitter::gather(LaneAddress address, int64_t bytes, Type element, int64_t alignment,
                          Value there) {
  Type indices = address.index.getType();
  unsigned count = cast<VectorType>(indices).getNumElements();
  Type type = b.vectorOf(element, count);
  if (there)
    address.index =
        LLVM::SelectOp::create(b, there, address.index, LLVM::ZeroOp::create(b, indices));
  else
    there = b.integer(b.vectorOf(b.getI1Type(), count), 1);
  Value otherwise = LLVM::ZeroOp::create(b, type); // not poison: masks may be computed from it
  auto made = LLVM::masked_gather::create(b, type, lanePointers(address, bytes), there,
                                          ValueRange{otherwise}, alignment);
  markAccess(made);
  return made;
}

void SimdEmitter::scatter(const LaneAddress &address, int64_t bytes, Value value,
                          int64_t alignment) {
  markAccess(LLVM::masked_scatter::create(b, value, lanePointers(address, bytes),
                                          mask ? mask : b.allLanes(),
                                          b.getI32IntegerAttr(alignment)));
}

/// The value of the last lane that is there.
Value SimdEmitter::lastActive(Value vector) {
  if (!mask)
    return b.extract(vector, b.i32(lanes - 1));
  Value bits = b.maskBits(mask);
  Value zeros = LLVM::CountLeadingZerosOp::create(b, bits.getType(), bits, true);
  Value wide = lanes < 32   ? LLVM::ZExtOp::create(b, b.getI32Type(), zeros).getRes()
               : lanes > 32 ? LLVM::TruncOp::create(b, b.getI32Type(), zeros).getRes()
                            : zeros;
  return b.extract(vector, LLVM::SubOp::create(b, b.i32(lanes - 1), wide));
}

//===-------------------------------------------------------------------------===//
// Whole vectors: the lanes' `count` scalars lie one after the other
//===-------------------------------------------------------------------------===//

/// The part of the mask for a vector of `size` scalars, the `piece`th of `count` a lane.
Value SimdEmitter::maskOfPiece(unsigned piece, unsigned size, unsigned count) {
  if (!mask || (count == 1 && size == lanes))
    return mask;
  SmallVector<int32_t> from;
  for (unsigned i = 0; i < size; ++i)
    from.push_back((piece * size + i) / count);
  return b.shuffle(mask, from);
}

/// The pieces of memory that lanes strided in groups of `block` access, as vectors of `block`
/// scalars: `use` gets each one's number, address, alignment and mask.
void SimdEmitter::forEachPiece(Value pointer, unsigned count, int64_t size, int64_t alignment,
                               function_ref<void(unsigned, Value, int64_t, Value)> use) {
  unsigned block = std::min(analysis.shape(pointer).block, lanes);
  alignment = std::min<int64_t>(alignment, count * size);
  for (unsigned group = 0; group < lanes / block; ++group) {
    Value base = values.laneOf(pointer, group * block);
    for (unsigned i = 0; i < count; ++i) {
      int64_t bytes = i * block * size;
      unsigned piece = group * count + i;
      use(piece, b.offset(base, bytes), alignmentAt(alignment, bytes),
          maskOfPiece(piece, block, count));
    }
  }
}

/// What the kernel says of the access at hand goes to what is made of it (LaneTranslation.h).
void SimdEmitter::markAccess(Operation *made) {
  for (StringRef what : {"nontemporal", "restrict"})
    if (Attribute said = access ? access->getAttr(what) : Attribute())
      made->setAttr(("lane." + what).str(), said);
}

/// A vector; `there`: of which lanes, null for all. LLVM takes a selection by the same mask for a
/// load of its own, there, where the place may hold something else: it does not look through the
/// freeze.
Value SimdEmitter::loadWhere(Type type, Value place, int64_t alignment, Value there) {
  if (!there) {
    Value loaded = b.loadFrom(type, place, alignment);
    markAccess(loaded.getDefiningOp());
    return loaded;
  }
  Value none = LLVM::ZeroOp::create(b, type);
  Value loaded = LLVM::MaskedLoadOp::create(b, type, place, there, none, alignment);
  markAccess(loaded.getDefiningOp());
  return LLVM::FreezeOp::create(b, loaded);
}

void SimdEmitter::storeWhere(Value value, Value place, int64_t alignment, Value there) {
  if (there)
    markAccess(LLVM::MaskedStoreOp::create(b, value, place, there, b.getI32IntegerAttr(alignment)));
  else
    markAccess(LLVM::StoreOp::create(b, value, place, alignment));
}

void SimdEmitter::loadConsecutive(lane::LoadOp op) {
  unsigned count = op.getNumResults();
  unsigned block = std::min(analysis.shape(op.getAddress()).block, lanes);
  Type element = b.memoryType(op.getResult(0).getType()), type = b.vectorOf(element, block);
  SmallVector<Value> pieces;
  forEachPiece(op.getAddress(), count, bytesOf(element), op.getAlignment(),
               [&](unsigned, Value place, int64_t alignment, Value there) {
                 pieces.push_back(loadWhere(type, place, alignment, there));
               });
  Value all = b.concatenate(pieces);
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<int32_t> from;
    for (unsigned lane = 0; lane < lanes; ++lane)
      from.push_back(lane * count + i);
    Value part = count == 1 ? all : b.shuffle(all, from);
    values.define(op.getResult(i), b.fromMemory(part, op.getResult(i).getType()));
  }
}

void SimdEmitter::storeConsecutive(lane::StoreOp op) {
  unsigned count = op.getValues().size();
  unsigned block = std::min(analysis.shape(op.getAddress()).block, lanes);
  SmallVector<Value> parts;
  for (Value value : op.getValues())
    parts.push_back(b.toMemory(values.vector(value)));
  Type element = cast<VectorType>(parts[0].getType()).getElementType();
  Value all = b.concatenate(parts);
  forEachPiece(op.getAddress(), count, bytesOf(element), op.getAlignment(),
               [&](unsigned piece, Value place, int64_t alignment, Value there) {
                 SmallVector<int32_t> from;
                 for (unsigned i = 0; i < block; ++i) {
                   unsigned number = piece * block + i;
                   from.push_back(number % count * lanes + number / count);
                 }
                 Value part = count == 1 && block == lanes ? all : b.shuffle(all, from);
                 storeWhere(part, place, alignment, there);
               });
}

//===-------------------------------------------------------------------------===//
// Loads and stores
//===-------------------------------------------------------------------------===//

/// Fewer lanes in a row are gathered.
static constexpr unsigned leastBlock = 4;

void SimdEmitter::emitLoad(lane::LoadOp op) {
  Operation *outer = std::exchange(access, op);
  auto order = op->getAttrOfType<StringAttr>("atomic_order");
  if (order || op->hasAttr("volatile"))
    emitAccessEach(op, order ? order.getValue() : "");
  else
    loadTogether(op);
  access = outer;
}

void SimdEmitter::loadTogether(lane::LoadOp op) {
  Shape shape = analysis.shape(op.getAddress());
  Type type = op.getResult(0).getType(), element = b.memoryType(type);
  int64_t size = bytesOf(element), alignment = op.getAlignment();
  if (shape.uniform()) {
    Value base = values.scalar(op.getAddress());
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      auto loaded = LLVM::LoadOp::create(b, element, b.offset(base, i * size),
                                         alignmentAt(alignment, i * size));
      loaded.setInvariant(isConstantMemory(op.getAddress()));
      markAccess(loaded);
      values.define(result, b.fromMemory(loaded, type));
    }
    return;
  }
  if (shape.block >= leastBlock && shape.stride == size * op.getNumResults())
    return loadConsecutive(op);
  if (loadOnceABlock(op) || loadUnlessWrapped(op) || loadIfStraight(op))
    return;
  LaneAddress address = addressOf(op.getAddress());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    values.define(result, b.fromMemory(gather(address, i * size, element,
                                              alignmentAt(alignment, i * size), mask),
                                       type));
}

void SimdEmitter::emitStore(lane::StoreOp op) {
  Operation *outer = std::exchange(access, op);
  auto order = op->getAttrOfType<StringAttr>("atomic_order");
  if (order || op->hasAttr("volatile"))
    emitAccessEach(op, order ? order.getValue() : "");
  else
    storeTogether(op);
  access = outer;
}

void SimdEmitter::storeTogether(lane::StoreOp op) {
  Shape shape = analysis.shape(op.getAddress());
  int64_t size = bytesOf(b.memoryType(op.getValues()[0].getType())), alignment = op.getAlignment();
  unsigned count = op.getValues().size();
  if (shape.uniform()) { // all lanes to one place: the last one stays
    Value base = values.scalar(op.getAddress());
    for (auto [i, value] : llvm::enumerate(op.getValues())) {
      Value last =
          analysis.shape(value).uniform() ? values.scalar(value) : lastActive(values.vector(value));
      storeWhere(b.toMemory(last), b.offset(base, i * size), alignmentAt(alignment, i * size), {});
    }
    return;
  }
  if (shape.block >= leastBlock && shape.stride == size * count)
    return storeConsecutive(op);
  LaneAddress address = addressOf(op.getAddress());
  for (auto [i, value] : llvm::enumerate(op.getValues()))
    scatter(address, i * size, b.toMemory(values.vector(value)), alignmentAt(alignment, i * size));
}
