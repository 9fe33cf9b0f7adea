//===- SplitRegisters.cpp - splits vectors into one for each register -------===//
//   before: %r = arith.addf %a, %b : vector<32xf32>
//   after:  %r0 = arith.addf %a0, %b0 : vector<16xf32>
//           %r1 = arith.addf %a1, %b1 : vector<16xf32>
// LLVM also splits vectors, but it splits masks last, so loops would join and split masks in every
// iteration. Operations that are not element-wise get the joined vector. Needs:
// pumice-lanes-to-simd. Leaves: no wide vectors, except for operations that take them whole.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_SPLITREGISTERS
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;

namespace {

unsigned lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 ? vector.getNumElements() : 0;
}

Type withLanes(Type type, unsigned lanes) {
  return VectorType::get({static_cast<int64_t>(lanes)}, cast<VectorType>(type).getElementType());
}

/// Splits the vectors of one function.
class Splitter {
public:
  Splitter(LLVM::LLVMFuncOp function, unsigned lanes)
      : function(function), lanes(lanes), b(function.getLoc(), function.getContext()) {}

  void run() {
    for (Block *block : llvm::ReversePostOrderTraversal<Block *>(&function.getBody().front()))
      for (Operation &op : llvm::make_early_inc_range(*block))
        visit(&op);
    for (Operation *op : llvm::concat<Operation *>(tests, llvm::reverse(replaced)))
      op->erase();
  }

private:
  bool isWide(Type type) const { return lanesOf(type) > lanes && lanesOf(type) % lanes == 0; }
  Type narrow(Type type) const { return isWide(type) ? withLanes(type, lanes) : type; }

  void visit(Operation *op);
  bool split(Operation *op);
  unsigned lanesOfAll(Operation *op) const;
  bool splitLanewise(Operation *op);
  bool splitConstant(Operation *op);
  bool splitAlloca(LLVM::AllocaOp op);
  bool splitLoad(LLVM::LoadOp op);
  bool splitStore(LLVM::StoreOp op);
  bool splitMaskedLoad(LLVM::MaskedLoadOp op);
  bool splitMaskedStore(LLVM::MaskedStoreOp op);
  bool splitShuffle(LLVM::ShuffleVectorOp op);
  bool splitExtract(LLVM::ExtractElementOp op);
  bool splitInsert(LLVM::InsertElementOp op);
  bool splitTestOfMask(LLVM::BitcastOp op);

  SmallVector<Value> partsOf(Value value);
  Value partOf(Value value, unsigned i) {
    return isWide(value.getType()) ? partsOf(value)[i] : value;
  }
  Value joined(Value value);
  bool hasPlaces(Value pointer, Type part) const;
  Value placeOf(Value pointer, Type part, unsigned i);
  Value pick(ArrayRef<Value> sources, ArrayRef<int32_t> from);

  LLVM::LLVMFuncOp function;
  unsigned lanes;
  ImplicitLocOpBuilder b;
  llvm::DenseMap<Value, SmallVector<Value>> parts, variables;
  llvm::DenseSet<Operation *> gone;
  SmallVector<Operation *> replaced, tests;
};

} // namespace

//===-------------------------------------------------------------------------===//
// Parts and whole vectors
//===-------------------------------------------------------------------------===//

SmallVector<Value> Splitter::partsOf(Value value) {
  SmallVector<Value> &known = parts[value];
  if (known.empty()) { // the operation stays as it is
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(value);
    for (unsigned first = 0; first < lanesOf(value.getType()); first += lanes) {
      SmallVector<int32_t> from(lanes);
      std::iota(from.begin(), from.end(), first);
      known.push_back(LLVM::ShuffleVectorOp::create(b, value, value, from));
    }
  }
  return known;
}

/// Returns the whole vector for a result of an operation that is removed.
Value Splitter::joined(Value value) {
  if (!gone.contains(value.getDefiningOp()))
    return value;
  SmallVector<Value> pieces = partsOf(value);
  while (pieces.size() > 1) {
    SmallVector<Value> pairs;
    for (size_t i = 0; i + 1 < pieces.size(); i += 2) {
      SmallVector<int32_t> all(2 * lanesOf(pieces[i].getType()));
      std::iota(all.begin(), all.end(), 0);
      pairs.push_back(LLVM::ShuffleVectorOp::create(b, pieces[i], pieces[i + 1], all));
    }
    pieces = pairs;
  }
  return pieces[0];
}

void Splitter::visit(Operation *op) {
  b.setInsertionPoint(op);
  b.setLoc(op->getLoc());
  bool wide = llvm::any_of(op->getOperands(),
                           [&](Value v) { return isWide(v.getType()) || variables.contains(v); }) ||
              llvm::any_of(op->getResults(), [&](Value v) { return isWide(v.getType()); }) ||
              isa<LLVM::AllocaOp>(op);
  if (!wide || gone.contains(op))
    return;
  if (split(op)) {
    gone.insert(op);
    replaced.push_back(op);
    return;
  }
  for (OpOperand &operand : op->getOpOperands())
    operand.set(joined(operand.get()));
}

bool Splitter::split(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](LLVM::AllocaOp op) { return splitAlloca(op); })
      .Case([&](LLVM::LoadOp op) { return splitLoad(op); })
      .Case([&](LLVM::StoreOp op) { return splitStore(op); })
      .Case([&](LLVM::MaskedLoadOp op) { return splitMaskedLoad(op); })
      .Case([&](LLVM::MaskedStoreOp op) { return splitMaskedStore(op); })
      .Case([&](LLVM::ShuffleVectorOp op) { return splitShuffle(op); })
      .Case([&](LLVM::ExtractElementOp op) { return splitExtract(op); })
      .Case([&](LLVM::InsertElementOp op) { return splitInsert(op); })
      .Case<arith::ConstantOp, LLVM::ConstantOp>([&](auto op) { return splitConstant(op); })
      .Default([&](Operation *op) {
        auto bits = dyn_cast<LLVM::BitcastOp>(op);
        return (bits && !isWide(bits.getType()) && splitTestOfMask(bits)) || splitLanewise(op);
      });
}

//===-------------------------------------------------------------------------===//
// Element-wise operations
//===-------------------------------------------------------------------------===//

/// Returns the length of all wide vectors if an operation is element-wise, and otherwise 0. A
/// bitcast to elements of another width moves data between lanes, so its operand must be joined.
unsigned Splitter::lanesOfAll(Operation *op) const {
  bool known = isa<LLVM::masked_gather, LLVM::masked_scatter>(op) ||
               (isMemoryEffectFree(op) && op->getNumResults() > 0 && op->getNumRegions() == 0);
  if (!known || isa<LLVM::CallIntrinsicOp>(op) ||
      !llvm::all_of(op->getResultTypes(), [&](Type type) { return isWide(type); }))
    return 0;
  unsigned count = 0;
  for (Type type : llvm::concat<const Type>(SmallVector<Type>(op->getResultTypes()),
                                            SmallVector<Type>(op->getOperandTypes()))) {
    unsigned here = lanesOf(type);
    if (here == 0 && !isa<LLVM::BitcastOp>(op)) // a scalar that all lanes share
      continue;
    if (!isWide(type) || (count && here != count))
      return 0;
    count = here;
  }
  return count;
}

bool Splitter::splitLanewise(Operation *op) {
  unsigned count = lanesOfAll(op);
  if (count == 0)
    return false;
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (unsigned i = 0; i < count / lanes; ++i) {
    OperationState state(b.getLoc(), op->getName());
    for (Value operand : op->getOperands())
      state.operands.push_back(partOf(operand, i));
    for (Type type : op->getResultTypes())
      state.types.push_back(narrow(type));
    state.attributes = op->getAttrDictionary();
    Operation *part = b.create(state);
    for (auto [list, result] : llvm::zip_equal(results, part->getResults()))
      list.push_back(result);
  }
  for (auto [old, list] : llvm::zip_equal(op->getResults(), results))
    parts[old] = list;
  return true;
}

bool Splitter::splitConstant(Operation *op) {
  Value result = op->getResult(0);
  auto all = dyn_cast<DenseElementsAttr>(op->getAttr("value"));
  if (!isWide(result.getType()) || !all)
    return false;
  auto type = cast<VectorType>(narrow(result.getType()));
  if (all.isSplat()) {
    Value one = LLVM::ConstantOp::create(b, type, all.resizeSplat(type));
    parts[result].assign(lanesOf(result.getType()) / lanes, one);
    return true;
  }
  SmallVector<Attribute> values(all.getValues<Attribute>());
  for (unsigned first = 0; first < values.size(); first += lanes) {
    auto own = DenseElementsAttr::get(type, ArrayRef(values).slice(first, lanes));
    parts[result].push_back(LLVM::ConstantOp::create(b, type, own));
  }
  return true;
}

/// Returns whether any lane of a mask is set, without joining its parts.
///   before: %i = llvm.bitcast %m : vector<32xi1> to i32;  llvm.icmp "ne" %i, 0
///   after:  llvm.icmp "ne" (llvm.bitcast (llvm.or %m0, %m1)), 0
bool Splitter::splitTestOfMask(LLVM::BitcastOp op) {
  auto isTest = [](Operation *user) {
    auto test = dyn_cast<LLVM::ICmpOp>(user);
    return test && matchPattern(test.getRhs(), m_Zero()) &&
           (test.getPredicate() == LLVM::ICmpPredicate::ne ||
            test.getPredicate() == LLVM::ICmpPredicate::eq);
  };
  bool isMask = cast<VectorType>(op.getArg().getType()).getElementType().isInteger(1);
  if (!isMask || !llvm::all_of(op->getUsers(), isTest))
    return false;
  Value any;
  for (Value part : partsOf(op.getArg()))
    any = any ? LLVM::OrOp::create(b, any, part).getRes() : part;
  Value bits = LLVM::BitcastOp::create(b, b.getIntegerType(lanes), any);
  for (Operation *user : op->getUsers()) {
    auto test = cast<LLVM::ICmpOp>(user);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(test);
    Value zero = LLVM::ConstantOp::create(b, bits.getType(), b.getIntegerAttr(bits.getType(), 0));
    test.replaceAllUsesWith(LLVM::ICmpOp::create(b, test.getPredicate(), bits, zero).getRes());
    tests.push_back(test);
  }
  return true;
}

//===-------------------------------------------------------------------------===//
// Memory
//===-------------------------------------------------------------------------===//

/// Splits a variable whose address is used only by loads and stores.
bool Splitter::splitAlloca(LLVM::AllocaOp op) {
  Type type = op.getElemType();
  APInt count;
  bool simple = isWide(type) && matchPattern(op.getArraySize(), m_ConstantInt(&count)) &&
                count.isOne() && llvm::all_of(op->getUsers(), [&](Operation *user) {
                  if (auto load = dyn_cast<LLVM::LoadOp>(user))
                    return load.getType() == type;
                  auto store = dyn_cast<LLVM::StoreOp>(user);
                  return store && store.getAddr() == op && store.getValue().getType() == type;
                });
  if (!simple)
    return false;
  for (unsigned i = 0; i < lanesOf(type) / lanes; ++i)
    variables[op].push_back(
        LLVM::AllocaOp::create(b, op.getType(), narrow(type), op.getArraySize()));
  return true;
}

/// Returns whether each part has its own address. It has none if it starts inside a byte.
bool Splitter::hasPlaces(Value pointer, Type part) const {
  return variables.contains(pointer) || !cast<VectorType>(part).getElementType().isInteger(1);
}

/// Returns the address of part `i` of a vector in memory.
Value Splitter::placeOf(Value pointer, Type part, unsigned i) {
  if (auto variable = variables.find(pointer); variable != variables.end())
    return variable->second[i];
  return LLVM::GEPOp::create(b, pointer.getType(), cast<VectorType>(part).getElementType(), pointer,
                             ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(i * lanes)));
}

static uint64_t alignmentOfPart(uint64_t alignment, Type part, unsigned i) {
  auto vector = cast<VectorType>(part);
  bool pointers = isa<LLVM::LLVMPointerType>(vector.getElementType());
  uint64_t bits = pointers ? 64 : vector.getElementTypeBitWidth();
  uint64_t bytes = bits * vector.getNumElements() / 8 * i;
  // An alignment of 0 means the natural alignment of the whole vector, which suffices for a part.
  return bytes && alignment ? std::min(alignment, bytes & -bytes) : alignment;
}

/// Copies the attributes of an access to one of its parts.
template <typename Op> static Op likeWhole(Operation *whole, Op part) {
  part->setDiscardableAttrs(whole->getDiscardableAttrDictionary());
  return part;
}

bool Splitter::splitLoad(LLVM::LoadOp op) {
  Type type = narrow(op.getType());
  if (op.getVolatile_() || op.getOrdering() != LLVM::AtomicOrdering::not_atomic ||
      !hasPlaces(op.getAddr(), type))
    return false;
  for (unsigned i = 0; i < lanesOf(op.getType()) / lanes; ++i) {
    uint64_t alignment = alignmentOfPart(op.getAlignment().value_or(0), type, i);
    parts[op].push_back(
        likeWhole(op, LLVM::LoadOp::create(b, type, placeOf(op.getAddr(), type, i), alignment)));
  }
  return true;
}

bool Splitter::splitStore(LLVM::StoreOp op) {
  Type type = narrow(op.getValue().getType());
  if (!isWide(op.getValue().getType()) || op.getVolatile_() || !hasPlaces(op.getAddr(), type))
    return false;
  for (auto [i, part] : llvm::enumerate(partsOf(op.getValue()))) {
    uint64_t alignment = alignmentOfPart(op.getAlignment().value_or(0), type, i);
    likeWhole(op, LLVM::StoreOp::create(b, part, placeOf(op.getAddr(), type, i), alignment));
  }
  return true;
}

bool Splitter::splitMaskedLoad(LLVM::MaskedLoadOp op) {
  Type type = narrow(op.getType());
  if (!isWide(op.getType()))
    return false;
  for (unsigned i = 0; i < lanesOf(op.getType()) / lanes; ++i)
    parts[op].push_back(likeWhole(
        op, LLVM::MaskedLoadOp::create(b, type, placeOf(op.getData(), type, i),
                                       partsOf(op.getMask())[i], partsOf(op.getPassThru())[i],
                                       alignmentOfPart(op.getAlignment(), type, i))));
  return true;
}

bool Splitter::splitMaskedStore(LLVM::MaskedStoreOp op) {
  Type type = narrow(op.getValue().getType());
  for (unsigned i = 0; i < lanesOf(op.getValue().getType()) / lanes; ++i)
    likeWhole(op, LLVM::MaskedStoreOp::create(
                      b, partsOf(op.getValue())[i], placeOf(op.getData(), type, i),
                      partsOf(op.getMask())[i],
                      b.getI32IntegerAttr(alignmentOfPart(op.getAlignment(), type, i))));
  return true;
}

//===-------------------------------------------------------------------------===//
// Between lanes
//===-------------------------------------------------------------------------===//

/// Makes one part of a shuffle's result. `from[i]` is an index into the concatenation of all
/// sources; -1 allows any element. Returns null if this needs more than shuffles of this length.
Value Splitter::pick(ArrayRef<Value> sources, ArrayRef<int32_t> from) {
  int32_t size = lanesOf(sources[0].getType()), count = from.size();
  llvm::SmallSetVector<int32_t, 4> used;
  for (int32_t element : from)
    if (element >= 0)
      used.insert(element / size);
  if (used.empty())
    return LLVM::PoisonOp::create(b, withLanes(sources[0].getType(), count));
  if (used.size() > 2 && size != count)
    return {};
  // Takes two sources at a time. `result` collects the elements in their final lanes.
  Value result = sources[used[0]];
  SmallVector<int32_t> mask(count, -1);
  for (int32_t i = 0; i < count; ++i)
    if (from[i] >= 0 && from[i] / size == used[0])
      mask[i] = from[i] % size;
  auto isWhole = [&](auto pair) { return pair.value() == static_cast<int32_t>(pair.index()); };
  if (used.size() == 1)
    return count == size && llvm::all_of(llvm::enumerate(mask), isWhole)
               ? result
               : LLVM::ShuffleVectorOp::create(b, result, result, mask).getRes();
  for (int32_t source : llvm::drop_begin(used)) {
    for (int32_t i = 0; i < count; ++i)
      if (from[i] >= 0 && from[i] / size == source)
        mask[i] = size + from[i] % size;
    result = LLVM::ShuffleVectorOp::create(b, result, sources[source], mask);
    for (int32_t i = 0; i < count; ++i)
      mask[i] = mask[i] < 0 ? -1 : i;
  }
  return result;
}

bool Splitter::splitShuffle(LLVM::ShuffleVectorOp op) {
  SmallVector<Value> sources;
  for (Value operand : {op.getV1(), op.getV2()}) {
    if (isWide(operand.getType()))
      llvm::append_range(sources, partsOf(operand));
    else
      sources.push_back(operand);
  }
  ArrayRef<int32_t> mask = op.getMask();
  unsigned each = isWide(op.getType()) ? lanes : lanesOf(op.getType());
  SmallVector<Value> results;
  for (unsigned first = 0; first < mask.size(); first += each) {
    bool again = first && mask.slice(first, each) == mask.take_front(each);
    results.push_back(again ? results[0] : pick(sources, mask.slice(first, each)));
    if (!results.back())
      return false;
  }
  if (isWide(op.getType()))
    parts[op] = results;
  else
    op.replaceAllUsesWith(results[0]);
  return true;
}

bool Splitter::splitExtract(LLVM::ExtractElementOp op) {
  APInt index;
  if (!matchPattern(op.getPosition(), m_ConstantInt(&index)) ||
      index.uge(lanesOf(op.getVector().getType())))
    return false;
  uint64_t lane = index.getZExtValue();
  Value position = LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(lane % lanes));
  op.replaceAllUsesWith(
      LLVM::ExtractElementOp::create(b, partsOf(op.getVector())[lane / lanes], position).getRes());
  return true;
}

bool Splitter::splitInsert(LLVM::InsertElementOp op) {
  APInt index;
  if (!matchPattern(op.getPosition(), m_ConstantInt(&index)) ||
      index.uge(lanesOf(op.getVector().getType())))
    return false;
  uint64_t lane = index.getZExtValue();
  SmallVector<Value> own = partsOf(op.getVector());
  Value position = LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(lane % lanes));
  own[lane / lanes] = LLVM::InsertElementOp::create(b, own[lane / lanes], op.getValue(), position);
  parts[op] = own;
  return true;
}

namespace {
struct SplitRegisters final : pumice::cpu::impl::SplitRegistersBase<SplitRegisters> {
  using SplitRegistersBase::SplitRegistersBase;
  void runOnOperation() override {
    // If subgroups have only one register, only matrix instructions use longer vectors, and they
    // need them whole.
    auto subgroup = getOperation()->getAttrOfType<IntegerAttr>("lane.subgroup_size");
    bool isLong = !subgroup || subgroup.getInt() > static_cast<int64_t>(lanes);
    if (isLong && !getOperation().isExternal())
      Splitter(getOperation(), lanes).run();
  }
};
} // namespace
