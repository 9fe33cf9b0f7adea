//===- NarrowIntegers.cpp - narrows integers whose high bits are unused -----===//
//   before: %0 = arith.extsi %a : i32 to i64, %1 = arith.extsi %b : i32 to i64
//           %2 = arith.muli %0, %1 : i64
//           %3 = arith.trunci %2 : i64 to i32
//   after:  %3 = arith.muli %a, %b : i32
//
// The low bits of sums and products depend only on the low bits of the operands. Offsets have 64
// bits so that they cannot wrap, and are truncated to an index of 32 bits. The values from which
// they are computed therefore need only 32 bits, even through loops, conditionals and private
// arrays. GPUs compute 64-bit operations in several steps, and some GPUs do not support them.
//
// Needs: structured control flow, with casts to index only from the integer of its width. Leaves:
// the same.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "compiler/lower/vector/Moves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"

namespace pumice::lower {
#define GEN_PASS_DEF_NARROWINTEGERS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using pumice::lower::movesElements;

namespace {

constexpr unsigned narrowBits = 32;

bool isWide(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer && integer.getWidth() > narrowBits && (type == integer || isa<VectorType>(type));
}

Type narrowed(Type type) {
  Type integer = IntegerType::get(type.getContext(), narrowBits);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(integer);
  return integer;
}

/// Returns whether an operation shifts left by a constant that keeps some of the low bits.
bool isKnownShift(Operation *op) {
  APInt amount;
  return isa<arith::ShLIOp>(op) && matchPattern(op->getOperand(1), m_ConstantInt(&amount)) &&
         amount.ult(narrowBits);
}

/// Returns whether an operation produces the upper half of an extended value: copies of its sign,
/// or zeros.
bool isUpperHalf(Operation *op) {
  APInt amount;
  if (!isa<arith::ShRUIOp, arith::ShRSIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&amount)) || amount != narrowBits ||
      getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() != 2 * narrowBits)
    return false;
  Operation *extended = op->getOperand(0).getDefiningOp();
  return extended && isa<arith::ExtSIOp, arith::ExtUIOp>(extended) &&
         getElementTypeOrSelf(extended->getOperand(0)).isInteger(narrowBits);
}

/// Returns whether the low bits of the results depend only on the low bits of the operands.
bool keepsLowBits(Operation *op) {
  if (movesElements(op))
    return true;
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp,
             arith::XOrIOp, arith::SelectOp>(op) ||
         isKnownShift(op) || isUpperHalf(op);
}

/// The values of a loop variable, of a conditional's result, or of an array. Either all of them
/// stay wide, or none does.
struct Carried {
  SmallVector<OpOperand *> operands; // operands that give it its value
  SmallVector<Value> values;         // values that represent it in the program
  Value array = {};                  // the array that holds them, if any
};

/// Returns the elements of an array, if the array is only stored to and loaded from.
std::optional<Carried> elementsOf(memref::AllocaOp array) {
  Carried elements{{}, {}, array};
  for (OpOperand &use : array->getUses()) {
    auto store = dyn_cast<memref::StoreOp>(use.getOwner());
    if (store && use.getOperandNumber() == 1)
      elements.operands.push_back(&store->getOpOperand(0));
    else if (auto load = dyn_cast<memref::LoadOp>(use.getOwner()))
      elements.values.push_back(load.getResult());
    else
      return std::nullopt;
  }
  return elements.values.empty() ? std::nullopt : std::optional(std::move(elements));
}

class Narrowing {
public:
  explicit Narrowing(Operation *root) : root(root) {}
  void run() {
    findCarried();
    findWhole();
    rewrite();
  }

private:
  void add(Carried carried) {
    for (OpOperand *operand : carried.operands)
      givenTo[operand] = variables.size();
    variables.push_back(std::move(carried));
  }
  void findCarried();
  bool needsAll(OpOperand &use) const;
  void findWhole();
  bool isNarrow(Value value) const { return isWide(value.getType()) && !whole.contains(value); }
  Value low(Value value);
  void narrowOperation(Operation *op);
  void narrowCarried();
  void rewrite();

  Operation *root;
  SmallVector<Carried> variables;
  llvm::DenseMap<OpOperand *, size_t> givenTo;
  llvm::DenseSet<Value> whole; // values of which all bits are used
  llvm::DenseMap<Value, Value> lows;
};

void Narrowing::findCarried() {
  root->walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Operation *yield = loop.getBody()->getTerminator();
      for (unsigned i = 0; i < loop.getNumResults(); ++i)
        if (isWide(loop.getResult(i).getType()))
          add({{&loop.getInitArgsMutable()[i], &yield->getOpOperand(i)},
               {loop.getRegionIterArg(i), loop.getResult(i)}});
    } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
      for (unsigned i = 0; i < choice.getNumResults(); ++i)
        if (isWide(choice.getResult(i).getType()))
          add({{&choice.thenYield()->getOpOperand(i), &choice.elseYield()->getOpOperand(i)},
               {choice.getResult(i)}});
    } else if (auto array = dyn_cast<memref::AllocaOp>(op);
               array && isWide(array.getType().getElementType())) {
      if (std::optional<Carried> elements = elementsOf(array))
        add(std::move(*elements));
    }
  });
}

bool Narrowing::needsAll(OpOperand &use) const {
  Operation *op = use.getOwner();
  if (auto found = givenTo.find(&use); found != givenTo.end())
    return llvm::any_of(variables[found->second].values,
                        [&](Value value) { return whole.contains(value); });
  if (isa<arith::TruncIOp>(op))
    return isWide(op->getResult(0).getType());
  if (!keepsLowBits(op))
    return true;
  if ((isKnownShift(op) && use.getOperandNumber() == 1) || isUpperHalf(op))
    return !isNarrow(op->getResult(0)); // constants, and extensions, which are bypassed
  return llvm::any_of(op->getResults(), [&](Value result) { return !isNarrow(result); });
}

/// Marks values as whole if a user needs all of their bits. Repeats this until nothing changes.
void Narrowing::findWhole() {
  bool changed = true;
  auto look = [&](Value value) {
    if (isNarrow(value) &&
        llvm::any_of(value.getUses(), [&](OpOperand &use) { return needsAll(use); }))
      changed |= whole.insert(value).second;
  };
  while (std::exchange(changed, false)) {
    root->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      llvm::for_each(op->getResults(), look);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), look);
    });
    for (const Carried &variable : variables)
      if (llvm::any_of(variable.values, [&](Value value) { return whole.contains(value); }))
        for (Value value : variable.values)
          changed |= whole.insert(value).second;
  }
}

/// Returns the low bits of a value. If no narrow operation computes them, a truncation after the
/// value does.
Value Narrowing::low(Value value) {
  if (!isWide(value.getType()))
    return value;
  if (Value known = lows.lookup(value))
    return known;
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  Value made = arith::TruncIOp::create(b, value.getLoc(), narrowed(value.getType()), value);
  return lows[value] = made;
}

void Narrowing::narrowOperation(Operation *op) {
  Value result = op->getResult(0);
  Type type = narrowed(result.getType());
  OpBuilder b(op);
  Attribute constant;
  if (matchPattern(op, m_Constant(&constant))) {
    TypedAttr low;
    if (auto number = dyn_cast<IntegerAttr>(constant))
      low = b.getIntegerAttr(type, number.getValue().trunc(narrowBits));
    else if (auto numbers = dyn_cast<DenseIntElementsAttr>(constant))
      low = numbers.mapValues(getElementTypeOrSelf(type),
                              [](const APInt &number) { return number.trunc(narrowBits); });
    if (low)
      lows[result] = arith::ConstantOp::create(b, op->getLoc(), type, low);
  } else if (isa<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    Value from = op->getOperand(0);
    unsigned bits = getElementTypeOrSelf(from).getIntOrFloatBitWidth();
    if (bits == narrowBits)
      lows[result] = from;
    else if (bits < narrowBits && isa<arith::ExtSIOp>(op))
      lows[result] = arith::ExtSIOp::create(b, op->getLoc(), type, from);
    else if (bits < narrowBits)
      lows[result] = arith::ExtUIOp::create(b, op->getLoc(), type, from);
  } else if (isUpperHalf(op)) {
    Operation *extended = op->getOperand(0).getDefiningOp();
    bool isSigned = isa<arith::ExtSIOp>(extended);
    Attribute number = b.getI32IntegerAttr(isSigned ? narrowBits - 1 : 0);
    TypedAttr all = cast<TypedAttr>(number);
    if (auto vector = dyn_cast<VectorType>(type))
      all = DenseElementsAttr::get(vector, number);
    Value made = arith::ConstantOp::create(b, op->getLoc(), all);
    if (isSigned)
      made = arith::ShRSIOp::create(b, op->getLoc(), extended->getOperand(0), made);
    lows[result] = made;
  } else if (movesElements(op)) {
    IRMapping map;
    for (Value operand : op->getOperands())
      map.map(operand, low(operand));
    Operation *copy = b.insert(op->clone(map));
    for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults())) {
      to.setType(narrowed(to.getType()));
      lows[from] = to;
    }
  } else if (keepsLowBits(op)) {
    OperationState state(op->getLoc(), op->getName()); // without its flags, since it may wrap now
    for (Value operand : op->getOperands())
      state.addOperands(low(operand));
    state.addTypes(type);
    lows[result] = b.create(state)->getResult(0);
  }
}

/// Changes the types of variables and results. Their operands change later, after they have been
/// computed.
void Narrowing::narrowCarried() {
  for (const Carried &variable : variables) {
    if (!isNarrow(variable.values.front()))
      continue;
    for (Value value : variable.values) {
      value.setType(narrowed(value.getType()));
      lows[value] = value;
    }
    if (Value array = variable.array) {
      auto type = cast<MemRefType>(array.getType());
      array.setType(MemRefType::Builder(type).setElementType(narrowed(type.getElementType())));
    }
  }
}

void Narrowing::rewrite() {
  SmallVector<Operation *> old, cuts;
  auto isKnownNarrow = [&](Value value) { return isNarrow(value); };
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() && llvm::all_of(op->getResults(), isKnownNarrow) &&
        !isa<scf::ForOp, scf::IfOp>(op))
      old.push_back(op);
    if (isa<arith::TruncIOp>(op) && isNarrow(op->getOperand(0)))
      cuts.push_back(op);
  });
  SmallVector<OpOperand *> given;
  for (const Carried &variable : variables)
    if (isNarrow(variable.values.front()))
      given.append(variable.operands);
  narrowCarried();
  for (Operation *op : old)
    narrowOperation(op);
  for (Operation *cut : cuts) {
    OpBuilder b(cut);
    Value made = low(cut->getOperand(0));
    if (made.getDefiningOp() == cut)
      continue;
    if (made.getType() != cut->getResult(0).getType())
      made = arith::TruncIOp::create(b, cut->getLoc(), cut->getResult(0).getType(), made);
    cut->getResult(0).replaceAllUsesWith(made);
    cut->erase();
  }
  for (OpOperand *operand : given)
    operand->set(low(operand->get()));
  for (Operation *op : llvm::reverse(old))
    if (isOpTriviallyDead(op))
      op->erase();
}

struct NarrowIntegers final : pumice::lower::impl::NarrowIntegersBase<NarrowIntegers> {
  void runOnOperation() override { Narrowing(getOperation()).run(); }
};

} // namespace
