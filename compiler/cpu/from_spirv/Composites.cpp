//===- Composites.cpp - parts of composites ---------------------------------===//
// A composite is represented by its scalars, in order. A part of it is a slice of them, so most of
// these instructions move no values.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/MemoryBackedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

namespace {
/// The scalars of a composite in the range [first, first + count).
struct Slice {
  size_t first, count;
};
} // namespace

static FailureOr<Slice> sliceAt(Lowering &l, Type type, ArrayRef<int32_t> path) {
  int64_t first = 0;
  for (int32_t index : path) {
    if (!l.types.isComposite(type) || index < 0 || index >= l.types.elements(type))
      return l.error() << "there is no element " << index << " in " << type;
    for (int32_t i = 0; i < index; ++i)
      first += l.types.count(l.types.element(type, i));
    type = l.types.element(type, index);
  }
  return Slice{static_cast<size_t>(first), static_cast<size_t>(l.types.count(type))};
}

static LogicalResult lowerExtract(Lowering &l, Operation *op) {
  Value composite = op->getOperand(0);
  if (l.isKnown(op->getResult(0))) // the load of the composite has lowered it
    return success();
  if (l.whole(composite))
    return memory_backed::extract(l, op, l.literals(op, "indices"));
  auto slice = sliceAt(l, composite.getType(), l.literals(op, "indices"));
  if (failed(slice))
    return failure();
  Scalars all = l.get(composite);
  return l.finish(op, Scalars(ArrayRef<Value>(all).slice(slice->first, slice->count)));
}

/// Operands: the object, then the composite.
static LogicalResult lowerInsert(Lowering &l, Operation *op) {
  Value composite = op->getOperand(1);
  if (l.whole(composite))
    return memory_backed::insert(l, op, l.literals(op, "indices"));
  auto slice = sliceAt(l, composite.getType(), l.literals(op, "indices"));
  if (failed(slice))
    return failure();
  Scalars all = l.get(composite), part = l.get(op->getOperand(0));
  llvm::copy(part, all.begin() + static_cast<ptrdiff_t>(slice->first));
  return l.finish(op, all);
}

/// Lowers OpCompositeReplicate, which repeats one value for each member.
static LogicalResult lowerReplicate(Lowering &l, Operation *op) {
  Scalars one = l.get(op->getOperand(0)), all;
  for (int64_t i = 0, n = l.types.elements(op->getResult(0).getType()); i < n; ++i)
    llvm::append_range(all, one);
  return l.finish(op, all);
}

static LogicalResult lowerConstruct(Lowering &l, Operation *op) {
  Scalars all;
  if (isa<spirv::CooperativeMatrixType>(op->getResult(0).getType()) && op->getNumOperands() == 1)
    return lowerReplicate(l, op);
  if (llvm::any_of(op->getOperands(), [&](Value part) { return l.whole(part) != nullptr; }))
    return memory_backed::construct(l, op);
  for (Value part : op->getOperands())
    llvm::append_range(all, l.get(part));
  if (static_cast<int64_t>(all.size()) != l.types.count(op->getResult(0).getType()))
    return l.error() << "OpCompositeConstruct of " << op->getResult(0).getType() << " has "
                     << all.size() << " scalars";
  return l.finish(op, all);
}

/// Lowers OpVectorShuffle. A component number of -1 leaves that component undefined.
static LogicalResult lowerShuffle(Lowering &l, Operation *op) {
  Scalars both = l.get(op->getOperand(0)), result;
  llvm::append_range(both, l.get(op->getOperand(1)));
  for (int32_t component : l.literals(op, "components")) {
    bool any = component < 0 || static_cast<size_t>(component) >= both.size();
    result.push_back(any ? l.zero(both[0].getType()) : both[component]);
  }
  return l.finish(op, result);
}

static LogicalResult lowerExtractDynamic(Lowering &l, Operation *op) {
  Scalars vector = l.get(op->getOperand(0));
  return l.finish(op, {l.pick(vector, l.scalar(op->getOperand(1)))});
}

/// Operands: vector, component, index.
static LogicalResult lowerInsertDynamic(Lowering &l, Operation *op) {
  Scalars vector = l.get(op->getOperand(0));
  Value component = l.scalar(op->getOperand(1)), index = l.scalar(op->getOperand(2));
  unsigned width = index.getType().getIntOrFloatBitWidth();
  for (auto [i, value] : llvm::enumerate(vector)) {
    Value here = arith::CmpIOp::create(l.b, arith::CmpIPredicate::eq, index,
                                       l.integer(static_cast<int64_t>(i), width));
    value = arith::SelectOp::create(l.b, here, component, value);
  }
  return l.finish(op, vector);
}

/// Lowers copies. A copied pointer has the same target. A logical copy changes only the layout of
/// the type.
static LogicalResult lowerCopy(Lowering &l, Operation *op) {
  Value from = op->getOperand(0);
  if (const Whole *whole = l.whole(from)) {
    l.setWhole(op->getResult(0), {whole->pointer, whole->alignment, false});
    return success();
  }
  if (!isa<spirv::PointerType>(from.getType()))
    return l.finish(op, l.get(from));
  FailureOr<Pointer> pointer = l.pointer(from);
  if (failed(pointer))
    return failure();
  l.setPointer(op->getResult(0), *pointer);
  return success();
}

static LogicalResult lowerConstant(Lowering &l, Operation *op) {
  Scalars scalars;
  Attribute value = op->getAttr("value");
  if (!value)
    return l.error() << "a constant without a value";
  if (failed(l.constantScalars(value, op->getResult(0).getType(), scalars)))
    return failure();
  return l.finish(op, scalars);
}

/// Lowers undefined values and null values to zeros.
static LogicalResult lowerZeros(Lowering &l, Operation *op) {
  SmallVector<Type> list;
  if (!l.types.scalars(op->getResult(0).getType(), list))
    return l.error() << "a value of type " << op->getResult(0).getType() << " is not supported";
  Scalars zeros;
  for (Type type : list)
    zeros.push_back(l.zero(type));
  return l.finish(op, zeros);
}

static LogicalResult lowerReference(Lowering &l, Operation *op) {
  Operation *constant =
      SymbolTable::lookupNearestSymbolFrom(op, op->getAttrOfType<FlatSymbolRefAttr>("spec_const"));
  Attribute value = constant ? constant->getAttr("default_value") : Attribute();
  Scalars scalars;
  if (!value)
    return l.error() << "a specialization constant without a value";
  if (failed(l.constantScalars(value, op->getResult(0).getType(), scalars)))
    return failure();
  return l.finish(op, scalars);
}

static constexpr Rule rulesOfComposites[] = {
    {"CompositeConstruct", lowerConstruct},
    {"CompositeConstructReplicateEXT", lowerReplicate},
    {"CompositeExtract", lowerExtract},
    {"CompositeInsert", lowerInsert},
    {"Constant", lowerConstant},
    {"ConstantComposite", lowerConstant},
    {"ConstantNull", lowerZeros},
    {"CopyLogical", lowerCopy},
    {"CopyObject", lowerCopy},
    {"Undef", lowerZeros},
    {"VectorExtractDynamic", lowerExtractDynamic},
    {"VectorInsertDynamic", lowerInsertDynamic},
    {"VectorShuffle", lowerShuffle},
    {"mlir.referenceof", lowerReference},
};

ArrayRef<Rule> pumice::cpu::compositeRules() { return rulesOfComposites; }
