//===- EmulatedMatrix.cpp - a product of matrices as shuffles ---------------===//
#include "compiler/gen/Emulation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pumice::gen;

Value pumice::gen::constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
}

Value pumice::gen::elementOf(OpBuilder &builder, Location loc, Value vector, unsigned number) {
  if (!isa<VectorType>(vector.getType()))
    return vector;
  return vector::ExtractOp::create(builder, loc, vector, static_cast<int64_t>(number));
}

Value pumice::gen::fromElements(OpBuilder &builder, Location loc, Type type,
                                ArrayRef<Value> elements) {
  if (!isa<VectorType>(type))
    return elements.front();
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

Value pumice::gen::bitsOf(OpBuilder &builder, Location loc, Value word, unsigned first,
                          Type integer) {
  Type type = word.getType();
  if (first) {
    Value places = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, first));
    word = arith::ShRUIOp::create(builder, loc, word, places);
  }
  if (type == integer)
    return word;
  return arith::TruncIOp::create(builder, loc, integer, word);
}

namespace {

/// Emits one product of matrices. The names of sizes are those of gen.matrix_mad.
class Product {
public:
  Product(MatrixMadOp op, OpBuilder &builder, Value memory)
      : op(op), b(builder), loc(op.getLoc()), memory(memory) {}

  Value emit() {
    if (memory)
      share();
    SmallVector<Value> columns; // of b, for each k
    for (unsigned k = 0; k < op.getDepth(); ++k)
      columns.push_back(second(k));
    SmallVector<Value> rows;
    for (unsigned m = 0; m < op.getRepeatCount(); ++m)
      rows.push_back(sumOfRow(m, columns));
    if (memory)
      BarrierOp::create(b, loc); // before the memory is written again
    return fromElements(b, loc, op.getType(), rows);
  }

private:
  /// Puts the words of the first factor into workgroup memory.
  void share() {
    Value lane = SubGroupLocalIdOp::create(b, loc, b.getI32Type());
    Value words = op.getA();
    auto vector = dyn_cast<VectorType>(words.getType());
    for (unsigned element = 0; element < (vector ? vector.getNumElements() : 1); ++element) {
      Value base = constantI32(b, loc, element * op.getSubGroupSize());
      Value place = arith::AddIOp::create(b, loc, base, lane);
      place = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), place);
      memref::StoreOp::create(b, loc, elementOf(b, loc, words, element), memory, place);
    }
    BarrierOp::create(b, loc);
  }

  /// Returns a word of the first factor that another work-item holds.
  Value wordOf(unsigned element, unsigned lane) {
    if (memory) {
      Value place = arith::ConstantIndexOp::create(b, loc, element * op.getSubGroupSize() + lane);
      return memref::LoadOp::create(b, loc, memory, place);
    }
    Value word = elementOf(b, loc, op.getA(), element);
    return SubGroupShuffleOp::create(b, loc, word.getType(), ShuffleKind::Idx, word,
                                     constantI32(b, loc, lane));
  }

  bool isFloat() { return op.getAType() <= Precision::TF32; }

  /// Returns the number of elements of a factor in a word of its values.
  unsigned perWord(Value factor) {
    unsigned bits = op.getAType() == Precision::TF32 ? 32 : isFloat() ? 16 : 8;
    return getElementTypeOrSelf(factor.getType()).getIntOrFloatBitWidth() / bits;
  }

  Value second(unsigned k) {
    unsigned each = perWord(op.getB());
    return widen(elementOf(b, loc, op.getB(), k / each), k % each, op.getBType());
  }

  /// Returns the element of row m and column k of the first factor, from the work-item that holds
  /// it.
  Value first(unsigned m, unsigned k) {
    unsigned element = m, lane = k / perWord(op.getA());
    if (op.getAType() == Precision::TF32) {
      element = m / 2;
      lane = m % 2 * 8 + k;
    }
    Value &shared = words[{element, lane}];
    if (!shared)
      shared = wordOf(element, lane);
    return widen(shared, k % perWord(op.getA()), op.getAType());
  }

  /// Returns an element of a word as f32 or i32.
  Value widen(Value word, unsigned number, Precision precision) {
    Type f32 = b.getF32Type(), i32 = b.getI32Type();
    switch (precision) {
    case Precision::F16: {
      Value bits = bitsOf(b, loc, word, number * 16, b.getI16Type());
      Value value = arith::BitcastOp::create(b, loc, b.getF16Type(), bits);
      return arith::ExtFOp::create(b, loc, f32, value);
    }
    case Precision::BF16: { // the upper half of an f32, so that devices need no bf16
      Value bits = bitsOf(b, loc, word, number * 16, b.getI16Type());
      bits = arith::ExtUIOp::create(b, loc, i32, bits);
      bits = arith::ShLIOp::create(b, loc, bits, constantI32(b, loc, 16));
      return arith::BitcastOp::create(b, loc, f32, bits);
    }
    case Precision::TF32: {
      // The systolic array ignores the 13 lowest bits of an f32.
      Value bits = arith::BitcastOp::create(b, loc, i32, word);
      Value mask = constantI32(b, loc, static_cast<int32_t>(0xffffe000));
      bits = arith::AndIOp::create(b, loc, bits, mask);
      return arith::BitcastOp::create(b, loc, f32, bits);
    }
    case Precision::S8:
      return arith::ExtSIOp::create(b, loc, i32,
                                    bitsOf(b, loc, word, number * 8, b.getIntegerType(8)));
    case Precision::U8:
      return arith::ExtUIOp::create(b, loc, i32,
                                    bitsOf(b, loc, word, number * 8, b.getIntegerType(8)));
    }
    llvm_unreachable("five precisions");
  }

  Value sumOfRow(unsigned m, ArrayRef<Value> columns) {
    Value sum = elementOf(b, loc, op.getC(), m);
    Type type = sum.getType();
    bool isNarrow = isFloat() && !type.isF32();
    if (isNarrow)
      sum = arith::ExtFOp::create(b, loc, b.getF32Type(), sum);
    for (auto [k, column] : llvm::enumerate(columns)) {
      Value left = first(m, k);
      if (isFloat()) {
        Value product = arith::MulFOp::create(b, loc, left, column);
        sum = arith::AddFOp::create(b, loc, sum, product);
      } else {
        Value product = arith::MulIOp::create(b, loc, left, column);
        sum = arith::AddIOp::create(b, loc, sum, product);
      }
    }
    return isNarrow ? Value(arith::TruncFOp::create(b, loc, type, sum)) : sum;
  }

  MatrixMadOp op;
  OpBuilder &b;
  Location loc;
  Value memory; // of the work-group, or null
  /// Words of the first factor that all work-items got, by element and by work-item.
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value> words;
};

} // namespace

void pumice::gen::emulateMatrix(MatrixMadOp op, Value memory) {
  OpBuilder builder(op);
  Value result = Product(op, builder, memory).emit();
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}
