//===- GenDialect.cpp - what Intel's GPUs offer to a kernel -----------------===//
#include "compiler/dialect/gen/GenDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::gen;

#include "compiler/dialect/gen/GenDialect.cpp.inc"
#include "compiler/dialect/gen/GenEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/gen/GenAttributes.cpp.inc"

/// Parses the memory of a barrier. All memory needs no word.
static ParseResult parseMemory(OpAsmParser &parser, MemoryAttr &memory) {
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word, {"local", "global", "all"})))
    word = "all";
  memory = MemoryAttr::get(parser.getContext(), *symbolizeMemory(word));
  return success();
}

static void printMemory(OpAsmPrinter &printer, Operation *, MemoryAttr memory) {
  if (memory.getValue() != Memory::All)
    printer << ' ' << stringifyMemory(memory.getValue());
}

/// Parses how a loaded block is arranged. A plain block needs no word.
static ParseResult parseArrangement(OpAsmParser &parser, ArrangementAttr &arrangement) {
  StringRef word;
  if (failed(parser.parseOptionalKeyword(&word, {"plain", "transposed", "transformed"})))
    word = "plain";
  arrangement = ArrangementAttr::get(parser.getContext(), *symbolizeArrangement(word));
  return success();
}

static void printArrangement(OpAsmPrinter &printer, Operation *, ArrangementAttr arrangement) {
  if (arrangement.getValue() != Arrangement::Plain)
    printer << ' ' << stringifyArrangement(arrangement.getValue());
}

#define GET_OP_CLASSES
#include "compiler/dialect/gen/GenOps.cpp.inc"

void GenDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/gen/GenAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/gen/GenOps.cpp.inc"
      >();
}

Operation *GenDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                           Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===-------------------------------------------------------------------------===//
// Positions in the grid
//===-------------------------------------------------------------------------===//

/// Returns the result for a constant dimension that no grid has.
template <typename GridOp> static OpFoldResult foldBeyondGrid(Attribute dimension) {
  auto constant = dyn_cast_or_null<IntegerAttr>(dimension);
  if (!constant || constant.getValue().ult(gridDimensions))
    return {};
  return IntegerAttr::get(IndexType::get(constant.getContext()), beyondGrid<GridOp>());
}

OpFoldResult LocalIdOp::fold(FoldAdaptor adaptor) {
  return foldBeyondGrid<LocalIdOp>(adaptor.getDimension());
}

OpFoldResult WorkGroupIdOp::fold(FoldAdaptor adaptor) {
  return foldBeyondGrid<WorkGroupIdOp>(adaptor.getDimension());
}

OpFoldResult WorkGroupSizeOp::fold(FoldAdaptor adaptor) {
  return foldBeyondGrid<WorkGroupSizeOp>(adaptor.getDimension());
}

OpFoldResult NumWorkGroupsOp::fold(FoldAdaptor adaptor) {
  return foldBeyondGrid<NumWorkGroupsOp>(adaptor.getDimension());
}

//===-------------------------------------------------------------------------===//
// Verifiers
//===-------------------------------------------------------------------------===//

static LogicalResult verifyReduction(Operation *op, Reduction kind, Type type) {
  bool both = kind == Reduction::Add || kind == Reduction::Mul;
  bool floats = both || kind == Reduction::Min || kind == Reduction::Max;
  if (isa<FloatType>(type) ? floats : both || !floats)
    return success();
  return op->emitOpError() << "cannot combine values of " << type << " by '"
                           << stringifyReduction(kind) << "'; expected "
                           << (isa<FloatType>(type)
                                   ? "add, mul, min or max"
                                   : "add, mul, smin, smax, umin, umax, and, or or xor");
}

LogicalResult SubGroupReduceOp::verify() {
  return verifyReduction(*this, getKind(), getValue().getType());
}

LogicalResult SubGroupScanOp::verify() {
  return verifyReduction(*this, getKind(), getValue().getType());
}
