//===- LaneDialect.cpp - operations of one invocation of a kernel -----------===//
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice::lane;

#include "compiler/dialect/lane/LaneDialect.cpp.inc"

/// Parses a name. Enumerations are strings in the operation and bare words in the text.
static ParseResult parseBareName(OpAsmParser &parser, StringAttr &name) {
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return failure();
  name = parser.getBuilder().getStringAttr(word);
  return success();
}

static void printBareName(OpAsmPrinter &printer, Operation *, StringAttr name) {
  printer.printKeywordOrString(name.getValue());
}

/// Parses a type that is written once, and uses it for both values.
static ParseResult parseSameType(OpAsmParser &parser, Type &first, Type &second) {
  if (parser.parseType(first))
    return failure();
  second = first;
  return success();
}

static void printSameType(OpAsmPrinter &printer, Operation *, Type first, Type) {
  printer.printType(first);
}

/// Parse and print the types of two lists of values. Both lists have the same types, which are
/// written once.
static ParseResult parseSameTypes(OpAsmParser &parser, SmallVectorImpl<Type> &first,
                                  SmallVectorImpl<Type> &second) {
  if (parser.parseTypeList(first))
    return failure();
  second.assign(first.begin(), first.end());
  return success();
}

static void printSameTypes(OpAsmPrinter &printer, Operation *, TypeRange first, TypeRange) {
  llvm::interleaveComma(first, printer);
}

#define GET_OP_CLASSES
#include "compiler/dialect/lane/LaneOps.cpp.inc"

void LaneDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/lane/LaneOps.cpp.inc"
      >();
}

/// Returns whether `name` is one of the words in `list`, which are separated by blanks.
static bool isOneOf(StringRef name, StringRef list) {
  SmallVector<StringRef> words;
  list.split(words, ' ');
  return llvm::is_contained(words, name);
}

static LogicalResult verifyName(Operation *op, StringRef what, StringRef name, StringRef list) {
  if (isOneOf(name, list))
    return success();
  return op->emitOpError() << "does not know the " << what << " '" << name
                           << "'; there are: " << list;
}

//===-------------------------------------------------------------------------===//
// Verifiers
//===-------------------------------------------------------------------------===//

LogicalResult BuiltinOp::verify() {
  return verifyName(*this, "number", getWhich(),
                    "local_id_x local_id_y local_id_z workgroup_id_x workgroup_id_y workgroup_id_z "
                    "num_workgroups_x num_workgroups_y num_workgroups_z workgroup_size_x "
                    "workgroup_size_y workgroup_size_z global_offset_x global_offset_y "
                    "global_offset_z work_dimensions local_index subgroup_id num_subgroups "
                    "subgroup_lane subgroup_size");
}

static LogicalResult verifyConsecutive(Operation *op, TypeRange types) {
  if (types.empty())
    return op->emitOpError("moves at least one value");
  if (!llvm::all_equal(types))
    return op->emitOpError("moves values of one type only");
  return success();
}

LogicalResult LoadOp::verify() { return verifyConsecutive(*this, getValues().getTypes()); }
LogicalResult StoreOp::verify() { return verifyConsecutive(*this, getValues().getTypes()); }

LogicalResult AtomicOp::verify() {
  return verifyName(*this, "kind", getKind(),
                    "add sub and or xor smin smax umin umax exchange fadd fmin fmax inc_wrap "
                    "dec_wrap");
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyName(*this, "kind", getKind(),
                        "add mul smin smax umin umax and or xor fadd fmul fmin fmax")))
    return failure();
  return verifyName(*this, "scan", getScan(), "none inclusive exclusive");
}

/// Verifies a matrix whose sizes are powers of two, large enough that each lane has elements.
static LogicalResult verifyMatrix(Operation *op, TypeRange types, uint64_t rows, uint64_t columns,
                                  uint64_t lanes) {
  if (failed(verifyConsecutive(op, types)))
    return failure();
  if (!llvm::isPowerOf2_64(rows) || !llvm::isPowerOf2_64(columns))
    return op->emitOpError() << "has a matrix of " << rows << " rows and " << columns
                             << " columns; both must be powers of two";
  if (types.size() * lanes != rows * columns)
    return op->emitOpError() << "has " << types.size() << " scalars a lane of a matrix of " << rows
                             << " rows and " << columns << " columns, for " << lanes << " lanes";
  return success();
}

LogicalResult MatrixTransposeOp::verify() {
  uint64_t count = std::max<uint64_t>(getElements().size(), 1);
  return verifyMatrix(*this, getElements().getTypes(), getRows(), getColumns(),
                      uint64_t(getRows()) * getColumns() / count);
}

LogicalResult MatrixProductOp::verify() {
  uint64_t lanes = uint64_t(getRows()) * getColumns() / std::max<uint64_t>(getResults().size(), 1);
  if (failed(verifyMatrix(*this, getA().getTypes(), getRows(), getDepth(), lanes)) ||
      failed(verifyMatrix(*this, getB().getTypes(), getDepth(), getColumns(), lanes)) ||
      failed(verifyMatrix(*this, getC().getTypes(), getRows(), getColumns(), lanes)))
    return failure();
  bool ofFloats = isa<FloatType>(getA().getTypes()[0]);
  for (Type type : {getA().getTypes()[0], getB().getTypes()[0], getC().getTypes()[0]})
    if (ofFloats ? !isa<FloatType>(type) : !type.isInteger() || type.isInteger(1))
      return emitOpError("needs factors and a sum that are all floats or all integers, got ")
             << type;
  return success();
}

LogicalResult SwitchOp::verify() {
  if (getCases().size() != getEntries().size())
    return emitOpError("has ")
           << getEntries().size() << " regions and " << getCases().size()
           << " numbers; expected one number for each region, including the default";
  if (getDefaultPosition() >= getEntries().size())
    return emitOpError("has no region ") << getDefaultPosition() << " for its default";
  return success();
}

/// Returns the construct of this dialect that encloses `op` at `depth`, where 0 is the innermost
/// one. Returns null if fewer constructs enclose it.
static Operation *enclosing(Operation *op, unsigned depth) {
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp()) {
    if (!isa<IfOp, SwitchOp, LoopOp, ScopeOp>(outer))
      return nullptr;
    if (depth-- == 0)
      return outer;
  }
  return nullptr;
}

LogicalResult ExitOp::verify() {
  if (!enclosing(*this, getDepth())) {
    unsigned around = 0;
    while (enclosing(*this, around))
      ++around;
    return emitOpError("exits construct ")
           << getDepth() << ", but is nested only " << around << " deep";
  }
  return success();
}

LogicalResult ContinueOp::verify() {
  if (!isa_and_nonnull<LoopOp>(enclosing(*this, getDepth())))
    return emitOpError("names construct ") << getDepth() << ", which is not a lane.loop";
  return success();
}

//===-------------------------------------------------------------------------===//
// Variables as SSA values
//===-------------------------------------------------------------------------===//

SmallVector<MemorySlot> VarOp::getPromotableSlots() { return {MemorySlot{getSlot(), getType()}}; }

Value VarOp::getDefaultValue(const MemorySlot &slot, OpBuilder &builder) {
  return ub::PoisonOp::create(builder, getLoc(), slot.elemType);
}

void VarOp::handleBlockArgument(const MemorySlot &, BlockArgument, OpBuilder &) {}

std::optional<PromotableAllocationOpInterface>
VarOp::handlePromotionComplete(const MemorySlot &, Value defaultValue, OpBuilder &) {
  if (defaultValue && defaultValue.use_empty())
    defaultValue.getDefiningOp()->erase();
  erase();
  return std::nullopt;
}

bool GetOp::loadsFrom(const MemorySlot &slot) { return getSlot() == slot.ptr; }
bool GetOp::storesTo(const MemorySlot &) { return false; }
Value GetOp::getStored(const MemorySlot &, OpBuilder &, Value, const DataLayout &) { return {}; }

bool GetOp::canUsesBeRemoved(const MemorySlot &slot, const SmallPtrSetImpl<OpOperand *> &,
                             SmallVectorImpl<OpOperand *> &, const DataLayout &) {
  return getSlot() == slot.ptr && getValue().getType() == slot.elemType;
}

DeletionKind GetOp::removeBlockingUses(const MemorySlot &, const SmallPtrSetImpl<OpOperand *> &,
                                       OpBuilder &, Value reaching, const DataLayout &) {
  getValue().replaceAllUsesWith(reaching);
  return DeletionKind::Delete;
}

bool SetOp::loadsFrom(const MemorySlot &) { return false; }
bool SetOp::storesTo(const MemorySlot &slot) { return getSlot() == slot.ptr; }
Value SetOp::getStored(const MemorySlot &, OpBuilder &, Value, const DataLayout &) {
  return getValue();
}

bool SetOp::canUsesBeRemoved(const MemorySlot &slot, const SmallPtrSetImpl<OpOperand *> &,
                             SmallVectorImpl<OpOperand *> &, const DataLayout &) {
  return getSlot() == slot.ptr && getValue() != slot.ptr && getValue().getType() == slot.elemType;
}

DeletionKind SetOp::removeBlockingUses(const MemorySlot &, const SmallPtrSetImpl<OpOperand *> &,
                                       OpBuilder &, Value, const DataLayout &) {
  return DeletionKind::Delete;
}
