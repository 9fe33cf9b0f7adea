//===- GenBlocks.cpp - matrices and blocks of memory ------------------------===//
#include "compiler/dialect/gen/GenDialect.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice::gen;

/// Returns the number of elements of a scalar or a vector. Returns nothing for a vector with more
/// dimensions, or one whose single element should be a scalar.
static std::optional<unsigned> countOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return type.isIntOrFloat() ? std::optional<unsigned>(1) : std::nullopt;
  if (vector.getRank() != 1 || vector.isScalable() || vector.getDimSize(0) < 2)
    return std::nullopt;
  return vector.getDimSize(0);
}

/// Returns a type with the elements of `element`: the element if there is one, else a vector.
static Type typeOf(unsigned count, Type element) {
  return count == 1 ? element : VectorType::get({count}, element);
}

//===-------------------------------------------------------------------------===//
// Matrices
//===-------------------------------------------------------------------------===//

static bool isInteger(Precision precision) {
  return precision == Precision::S8 || precision == Precision::U8;
}

unsigned MatrixMadOp::getRepeatCount() { return countOf(getC().getType()).value_or(0); }

unsigned MatrixMadOp::getSubGroupSize() {
  return getElementTypeOrSelf(getA().getType()).isInteger(32) ? 8 : 16;
}

unsigned MatrixMadOp::getDepth() {
  unsigned perWord = isInteger(getAType()) ? 4 : getAType() == Precision::TF32 ? 1 : 2;
  return getSystolicDepth() * perWord;
}

/// Returns whether factors of this precision may be accumulated in `type` by `lanes` work-items.
static bool canAccumulate(Precision precision, Type type, unsigned lanes) {
  if (isInteger(precision))
    return type.isInteger(32);
  if (type.isF32())
    return true;
  return lanes == 16 && ((precision == Precision::F16 && type.isF16()) ||
                         (precision == Precision::BF16 && type.isBF16()));
}

LogicalResult MatrixMadOp::verify() {
  if (getSystolicDepth() != 8)
    return emitOpError("expects a systolic depth of 8, got ") << getSystolicDepth();
  if (getAType() != getBType() && !(isInteger(getAType()) && isInteger(getBType())))
    return emitOpError("expects factors of the same float type, or of s8 and u8, got ")
           << stringifyPrecision(getAType()) << " and " << stringifyPrecision(getBType());
  std::optional<unsigned> rows = countOf(getC().getType());
  if (!rows || *rows > 8)
    return emitOpError("expects an accumulator of 1 to 8 elements, got ") << getC().getType();
  bool isTf32 = getAType() == Precision::TF32;
  Type word = IntegerType::get(getContext(), 32), half = IntegerType::get(getContext(), 16);
  Type f32 = Float32Type::get(getContext());
  Type b = typeOf(8, isTf32 ? f32 : word);
  if (getB().getType() != b)
    return emitOpError("expects a second factor of ") << b << ", got " << getB().getType();
  Type a = isTf32 ? typeOf((*rows + 1) / 2, f32) : typeOf(*rows, half);
  Type narrow = isTf32 ? a : typeOf(*rows, word);
  if (getA().getType() != a && getA().getType() != narrow) {
    InFlightDiagnostic error = emitOpError("expects a first factor of ") << a;
    if (narrow != a)
      error << " for sub-groups of 16, or " << narrow << " for sub-groups of 8";
    return error << ", got " << getA().getType();
  }
  Type element = getElementTypeOrSelf(getC().getType());
  if (!canAccumulate(getAType(), element, getSubGroupSize()))
    return emitOpError("cannot accumulate ") << stringifyPrecision(getAType()) << " in " << element
                                             << " for sub-groups of " << getSubGroupSize();
  return success();
}

//===-------------------------------------------------------------------------===//
// Two-dimensional blocks
//===-------------------------------------------------------------------------===//

namespace {
struct Shape {
  unsigned bits, rows, columns, blocks;

  uint64_t totalBits() const { return uint64_t(bits) * rows * columns * blocks; }
};
} // namespace

/// Verifies what devices can move at once.
static LogicalResult verifyShape(Operation *op, const Shape &shape, unsigned mostRows) {
  if (!llvm::isPowerOf2_32(shape.bits) || shape.bits < 8 || shape.bits > 64)
    return op->emitOpError("expects elements of 8, 16, 32 or 64 bits, got ") << shape.bits;
  if (shape.rows < 1 || shape.rows > mostRows)
    return op->emitOpError("expects 1 to ") << mostRows << " rows, got " << shape.rows;
  if (!llvm::isPowerOf2_32(shape.columns))
    return op->emitOpError("expects a power of two as the number of columns, got ")
           << shape.columns;
  if (shape.blocks != 1 && shape.blocks != 2 && shape.blocks != 4)
    return op->emitOpError("expects 1, 2 or 4 blocks, got ") << shape.blocks;
  uint64_t bytes = uint64_t(shape.columns) * shape.blocks * shape.bits / 8;
  if (bytes < 4 || bytes > 64)
    return op->emitOpError("expects rows of 4 to 64 bytes in all blocks, got ") << bytes;
  return success();
}

/// Returns the size of the sub-group whose work-items hold the block in values of `type`. Returns 0
/// if there is none.
static unsigned lanesOf(Type type, const Shape &shape) {
  std::optional<unsigned> count = countOf(type);
  Type word = getElementTypeOrSelf(type);
  if (!count || !(word.isSignlessInteger(8) || word.isSignlessInteger(16) ||
                  word.isSignlessInteger(32) || word.isSignlessInteger(64)))
    return 0;
  uint64_t bits = uint64_t(*count) * word.getIntOrFloatBitWidth();
  uint64_t lanes = shape.totalBits() / bits;
  return lanes * bits == shape.totalBits() && (lanes == 16 || lanes == 32) ? lanes : 0;
}

static LogicalResult verifyPart(Operation *op, Type type, const Shape &shape) {
  if (lanesOf(type, shape))
    return success();
  return op->emitOpError("expects i8, i16, i32 or i64 that hold ")
         << shape.totalBits() / 16 << " bits for sub-groups of 16, or " << shape.totalBits() / 32
         << " bits for sub-groups of 32, got " << type;
}

static Shape shapeOf(BlockLoad2DOp op) {
  return {op.getBits(), op.getRows(), op.getColumns(), op.getBlocks()};
}

static Shape shapeOf(BlockStore2DOp op) { return {op.getBits(), op.getRows(), op.getColumns(), 1}; }

unsigned BlockLoad2DOp::getSubGroupSize() { return lanesOf(getType(), shapeOf(*this)); }
unsigned BlockStore2DOp::getSubGroupSize() { return lanesOf(getValue().getType(), shapeOf(*this)); }

LogicalResult BlockLoad2DOp::verify() {
  Shape shape = shapeOf(*this);
  if (failed(verifyShape(*this, shape, 32)) || failed(verifyPart(*this, getType(), shape)))
    return failure();
  unsigned word = getElementTypeOrSelf(getType()).getIntOrFloatBitWidth();
  switch (getArrangement()) {
  case Arrangement::Plain:
    if (word < shape.bits)
      return emitOpError("expects words of at least one element of ")
             << shape.bits << " bits, got " << word;
    return success();
  case Arrangement::Transposed:
    if (shape.bits < 32 || shape.blocks != 1 || word != shape.bits)
      return emitOpError("transposes one block of elements of 32 or 64 bits, got ")
             << shape.blocks << " of " << shape.bits << " bits as words of " << word;
    return success();
  case Arrangement::Transformed:
    if (shape.bits > 16 || word != 32 || shape.rows % (32 / shape.bits))
      return emitOpError("transforms elements of 8 or 16 bits, in whole words of 32 bits, got ")
             << shape.rows << " rows of " << shape.bits << " bits as words of " << word;
    return success();
  }
  llvm_unreachable("three arrangements");
}

LogicalResult BlockStore2DOp::verify() {
  Shape shape = shapeOf(*this);
  if (failed(verifyShape(*this, shape, 8)) ||
      failed(verifyPart(*this, getValue().getType(), shape)))
    return failure();
  unsigned word = getElementTypeOrSelf(getValue().getType()).getIntOrFloatBitWidth();
  if (word < shape.bits)
    return emitOpError("expects words of at least one element of ")
           << shape.bits << " bits, got " << word;
  return success();
}

LogicalResult BlockPrefetch2DOp::verify() {
  return verifyShape(*this, {getBits(), getRows(), getColumns(), getBlocks()}, 32);
}

//===-------------------------------------------------------------------------===//
// Consecutive elements
//===-------------------------------------------------------------------------===//

static LogicalResult verifyConsecutive(Operation *op, Type type) {
  std::optional<unsigned> count = countOf(type);
  Type element = getElementTypeOrSelf(type);
  bool isByte = element.isInteger(8);
  bool isKnown = isByte || element.isInteger(16) || element.isInteger(32) || element.isInteger(64);
  if (count && isKnown && llvm::isPowerOf2_32(*count) && *count <= (isByte ? 16 : 8))
    return success();
  return op->emitOpError("expects 1, 2, 4 or 8 elements of i8, i16, i32 or i64, or 16 of i8, got ")
         << type;
}

LogicalResult SubGroupBlockReadOp::verify() { return verifyConsecutive(*this, getType()); }
LogicalResult SubGroupBlockWriteOp::verify() {
  return verifyConsecutive(*this, getValue().getType());
}
