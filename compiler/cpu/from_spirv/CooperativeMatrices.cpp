//===- CooperativeMatrices.cpp - matrices of a whole subgroup ---------------===//
// Let W be the number of lanes of a subgroup, and e = row * columns + column. Lane e % W holds
// element e of a matrix, as its scalar e / W (docs/cpu-compiler.md). So each lane holds a part that
// is a composite of scalars. This file has only the products and the operations that move elements
// between lanes and memory.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;
using MatrixType = spirv::CooperativeMatrixType;

/// Returns the type of a cooperative matrix. Fails if its elements cannot be divided among the
/// lanes.
static FailureOr<MatrixType> matrixType(Lowering &l, Type type) {
  auto matrix = dyn_cast<MatrixType>(type);
  if (!matrix)
    return l.error() << "expected a cooperative matrix, found " << type;
  if (l.types.elements(matrix) == 0)
    return l.error() << "the cooperative matrix " << matrix << " is not supported by subgroups of "
                     << l.types.lanes
                     << " lanes: its scope must be Subgroup, rows and columns powers of two, and "
                        "each lane have 1 to 256 elements";
  if (!l.types.scalar(matrix.getElementType()))
    return l.error() << "a cooperative matrix of " << matrix.getElementType()
                     << " is not supported";
  return matrix;
}

//===-------------------------------------------------------------------------===//
// Loads and stores
//===-------------------------------------------------------------------------===//

namespace {
/// A matrix in memory, stored row by row. A matrix that is stored column by column is described as
/// the transposed matrix.
struct MatrixMemory {
  Pointer pointer;
  Value base, stride; // address of the first element; bytes between rows
  int64_t rows, columns, bytes, alignment;
  bool transposed;
};
} // namespace

/// Returns the first lane's value of an operand. SPIR-V requires the same value in all lanes, and
/// this makes that visible to later passes.
static Value sameForAll(Lowering &l, Value value) {
  if (isa_and_nonnull<lane::BufferOp, lane::SharedOp, lane::PushConstantsOp, lane::ProgramOp,
                      arith::ConstantOp>(value.getDefiningOp()))
    return value;
  return lane::ShuffleOp::create(l.b, value.getType(), value, l.integer(0));
}

static Value bytesBetweenRows(Lowering &l, Value stride, int64_t unit) {
  if (auto number = l.constant(stride))
    return l.integer(*number * unit, 64);
  Value number = sameForAll(l, l.scalar(stride));
  if (number.getType().getIntOrFloatBitWidth() < 64)
    number = arith::ExtSIOp::create(l.b, l.b.getI64Type(), number);
  return arith::MulIOp::create(l.b, number, l.integer(unit, 64));
}

/// Returns the memory of a matrix. `strideAt` is the index of the operand that is the stride.
static FailureOr<MatrixMemory> memoryOf(Lowering &l, Operation *op, MatrixType type,
                                        unsigned strideAt) {
  auto layout = l.numbers(op, {"matrix_layout"});
  FailureOr<Pointer> pointer = l.pointer(op->getOperand(0));
  if (failed(layout) || failed(pointer))
    return failure();
  if (layout->front() != 0 && layout->front() != 1)
    return l.error() << "a cooperative matrix of layout " << layout->front()
                     << " is not supported: store it by rows (0) or by columns (1)";
  if (op->getNumOperands() <= strideAt)
    return l.error() << "Op" << instructionName(op) << " has no stride";
  if (!isa<IntegerType>(op->getOperand(strideAt).getType()))
    return l.error() << "the stride of a matrix is " << op->getOperand(strideAt).getType()
                     << ": give an integer";
  Type unit = getElementTypeOrSelf(pointer->pointee);
  if (!l.types.scalar(unit))
    return l.error() << "a cooperative matrix is reached by a pointer to " << pointer->pointee
                     << ": point at its first scalar or vector";
  MatrixMemory memory;
  unsigned stated = memoryAccess(l, op, *pointer, "memory_operand", "alignment", 1);
  memory.stride = bytesBetweenRows(l, op->getOperand(strideAt), l.types.bytes(pointer->pointee));
  memory.transposed = layout->front() == 1;
  memory.rows = memory.transposed ? type.getColumns() : type.getRows();
  memory.columns = memory.transposed ? type.getRows() : type.getColumns();
  memory.bytes = l.types.bytes(type.getElementType());
  memory.alignment = std::min<int64_t>(memory.bytes, l.types.bytes(unit));
  if (stated)
    memory.alignment = std::min<int64_t>(memory.alignment, stated);
  if (pointer->base)
    pointer->base = sameForAll(l, pointer->base);
  if (pointer->dynamic)
    pointer->dynamic = sameForAll(l, pointer->dynamic);
  FailureOr<Value> base = l.address(*pointer);
  if (failed(base))
    return failure();
  memory.base = *base;
  memory.pointer = *pointer;
  return memory;
}

/// Returns the address of each of the lane's scalars.
static Scalars addressesOf(Lowering &l, const MatrixMemory &memory) {
  int64_t lanes = l.types.lanes, across = std::min(lanes, memory.columns);
  auto wide = [&](Value number) -> Value {
    return arith::ExtUIOp::create(l.b, l.b.getI64Type(), number);
  };
  auto times = [&](Value number, Value by) -> Value {
    return arith::MulIOp::create(l.b, number, by);
  };
  Value lane = l.builtin("subgroup_lane"), column = lane, row;
  if (across < lanes) { // a register holds several rows
    column = arith::RemUIOp::create(l.b, lane, l.integer(across));
    row = arith::DivUIOp::create(l.b, lane, l.integer(across));
  }
  Value ofLane = times(wide(column), l.integer(memory.bytes, 64));
  if (row)
    ofLane = arith::AddIOp::create(l.b, ofLane, times(wide(row), memory.stride));
  Scalars addresses;
  Type pointer = memory.base.getType();
  for (int64_t first = 0; first < memory.rows * memory.columns; first += lanes) {
    Value down = times(l.integer(first / memory.columns, 64), memory.stride);
    Value bytes =
        arith::AddIOp::create(l.b, down, l.integer(first % memory.columns * memory.bytes, 64));
    Value start = lane::OffsetOp::create(l.b, pointer, memory.base, bytes);
    addresses.push_back(lane::OffsetOp::create(l.b, pointer, start, ofLane));
  }
  return addresses;
}

static void mark(Lowering &l, Operation *op, const Pointer &pointer) {
  if (pointer.isVolatile)
    op->setAttr("volatile", l.b.getUnitAttr());
  if (pointer.isCoherent)
    op->setAttr("coherent", l.b.getUnitAttr());
}

static Scalars transposed(Lowering &l, ArrayRef<Value> elements, int64_t rows, int64_t columns) {
  SmallVector<Type> types(elements.size(), elements.front().getType());
  auto made = lane::MatrixTransposeOp::create(l.b, types, elements, static_cast<uint32_t>(rows),
                                              static_cast<uint32_t>(columns));
  return Scalars(made.getResults());
}

static LogicalResult lowerLoad(Lowering &l, Operation *op) {
  FailureOr<MatrixType> type = matrixType(l, op->getResult(0).getType());
  if (failed(type))
    return failure();
  FailureOr<MatrixMemory> memory = memoryOf(l, op, *type, 1);
  if (failed(memory))
    return failure();
  Scalars elements;
  Type element = l.types.scalar(type->getElementType());
  for (Value address : addressesOf(l, *memory)) {
    auto load = lane::LoadOp::create(l.b, TypeRange(element), address, memory->alignment);
    mark(l, load, memory->pointer);
    elements.push_back(load.getResult(0));
  }
  if (memory->transposed)
    elements = transposed(l, elements, memory->rows, memory->columns);
  return l.finish(op, elements);
}

static LogicalResult lowerStore(Lowering &l, Operation *op) {
  FailureOr<MatrixType> type = matrixType(l, op->getOperand(1).getType());
  if (failed(type))
    return failure();
  FailureOr<MatrixMemory> memory = memoryOf(l, op, *type, 2);
  if (failed(memory))
    return failure();
  Scalars elements = l.get(op->getOperand(1));
  if (memory->transposed)
    elements = transposed(l, elements, type->getRows(), type->getColumns());
  for (auto [value, address] : llvm::zip(elements, addressesOf(l, *memory))) {
    auto store = lane::StoreOp::create(l.b, ValueRange(value), address, memory->alignment);
    mark(l, store, memory->pointer);
  }
  return success();
}

//===-------------------------------------------------------------------------===//
// Lengths and products
//===-------------------------------------------------------------------------===//

static LogicalResult lowerLength(Lowering &l, Operation *op) {
  auto of = op->getAttrOfType<TypeAttr>("cooperative_matrix_type");
  if (!of)
    return l.error() << "OpCooperativeMatrixLengthKHR without its type";
  FailureOr<MatrixType> type = matrixType(l, of.getValue());
  if (failed(type))
    return failure();
  return l.finish(op, {l.integer(l.types.elements(*type))});
}

/// The bits of SPIR-V's cooperative matrix operands.
static constexpr int64_t signedA = 1, signedB = 2, signedC = 4, signedResult = 8, saturating = 16;

static int64_t matrixOperands(Lowering &l, Operation *op) {
  if (auto mask = op->getAttrOfType<spirv::CooperativeMatrixOperandsKHRAttr>("matrix_operands"))
    return static_cast<int64_t>(mask.getValue());
  SmallVector<int32_t> literals = l.literals(op, "literals");
  return literals.empty() ? 0 : literals[0];
}

static LogicalResult lowerMulAdd(Lowering &l, Operation *op) {
  SmallVector<MatrixType, 4> types;
  for (Type type : {op->getOperand(0).getType(), op->getOperand(1).getType(),
                    op->getOperand(2).getType(), op->getResult(0).getType()}) {
    FailureOr<MatrixType> matrix = matrixType(l, type);
    if (failed(matrix))
      return failure();
    types.push_back(*matrix);
  }
  auto [a, b, c, d] = std::tie(types[0], types[1], types[2], types[3]);
  bool fits = a.getRows() == c.getRows() && a.getColumns() == b.getRows() &&
              b.getColumns() == c.getColumns() && c.getShape() == d.getShape();
  bool ofFloats = isa<FloatType>(a.getElementType());
  bool sameKind = llvm::all_of(
      types, [&](MatrixType type) { return isa<FloatType>(type.getElementType()) == ofFloats; });
  if (!fits || !sameKind ||
      l.types.scalar(c.getElementType()) != l.types.scalar(d.getElementType()))
    return l.error() << "the product of " << a << " and " << b << " with " << c << " giving " << d
                     << " is not supported";
  int64_t mask = matrixOperands(l, op);
  if ((mask & saturating) && (ofFloats || l.types.bytes(c.getElementType()) > 4))
    return l.error() << "saturating accumulation in " << c.getElementType()
                     << " is not supported: use integers of up to 32 bits";
  Scalars sum = l.get(op->getOperand(2));
  SmallVector<Type> results(sum.size(), sum.front().getType());
  auto product = lane::MatrixProductOp::create(
      l.b, results, l.get(op->getOperand(0)), l.get(op->getOperand(1)), sum, c.getRows(),
      c.getColumns(), a.getColumns(), (mask & signedA) != 0, (mask & signedB) != 0,
      (mask & (signedC | signedResult)) != 0, (mask & saturating) != 0);
  return l.finish(op, Scalars(product.getResults()));
}

static constexpr Rule rulesOfCooperative[] = {
    {"CooperativeMatrixLengthKHR", lowerLength},
    {"CooperativeMatrixLoadKHR", lowerLoad},
    {"CooperativeMatrixMulAddKHR", lowerMulAdd},
    {"CooperativeMatrixStoreKHR", lowerStore},
};

ArrayRef<Rule> pumice::cpu::cooperativeRules() { return rulesOfCooperative; }
