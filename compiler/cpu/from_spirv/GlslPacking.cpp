//===- GlslPacking.cpp - numbers packed into words --------------------------===//
#include "compiler/cpu/from_spirv/SpirvToLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static Value minimum(Lowering &l, Value x, Value limit) {
  return arith::MinNumFOp::create(l.b, x, limit);
}
static Value maximum(Lowering &l, Value x, Value limit) {
  return arith::MaxNumFOp::create(l.b, x, limit);
}

/// Joins fields of `bits` bits each. The first field is the lowest.
static Value joined(Lowering &l, ArrayRef<Value> fields, unsigned bits) {
  Value mask = l.integer((int64_t{1} << bits) - 1), word;
  for (auto [i, field] : llvm::enumerate(fields)) {
    Value part = arith::AndIOp::create(l.b, field, mask);
    if (i)
      part = arith::ShLIOp::create(l.b, part, l.integer(static_cast<int64_t>(i) * bits));
    word = word ? arith::OrIOp::create(l.b, word, part).getResult() : part;
  }
  return word;
}

/// Packs round(clamp(x, low, 1) * scale).
template <bool isSigned, unsigned bits> static LogicalResult pack(Lowering &l, Operation *op) {
  Scalars fields;
  Type f32 = l.b.getF32Type();
  double scale = isSigned ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  for (Value x : l.get(op->getOperand(0))) {
    Value low = maximum(l, x, l.real(f32, isSigned ? -1 : 0));
    Value scaled = arith::MulFOp::create(l.b, minimum(l, low, l.real(f32, 1)), l.real(f32, scale));
    Value rounded = math::RoundEvenOp::create(l.b, scaled);
    fields.push_back(arith::FPToSIOp::create(l.b, l.b.getI32Type(), rounded));
  }
  return l.finish(op, {joined(l, fields, bits)});
}

/// Unpacks fields as clamp(field / scale, -1, 1). Only the lowest signed number needs the clamp.
template <bool isSigned, unsigned bits> static LogicalResult unpack(Lowering &l, Operation *op) {
  Scalars numbers;
  Value word = l.scalar(op->getOperand(0));
  Type f32 = l.b.getF32Type();
  double scale = isSigned ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  for (unsigned at = 0; at < 32; at += bits) {
    Value number;
    if (isSigned) {
      Value up = arith::ShLIOp::create(l.b, word, l.integer(32 - bits - at));
      Value field = arith::ShRSIOp::create(l.b, up, l.integer(32 - bits));
      number = arith::SIToFPOp::create(l.b, f32, field);
    } else {
      Value down = arith::ShRUIOp::create(l.b, word, l.integer(at));
      Value field = arith::AndIOp::create(l.b, down, l.integer((int64_t{1} << bits) - 1));
      number = arith::UIToFPOp::create(l.b, f32, field);
    }
    number = arith::DivFOp::create(l.b, number, l.real(f32, scale));
    numbers.push_back(isSigned ? maximum(l, number, l.real(f32, -1)) : number);
  }
  return l.finish(op, numbers);
}

static LogicalResult packHalf(Lowering &l, Operation *op) {
  Scalars fields;
  for (Value x : l.get(op->getOperand(0))) {
    Value half = floats::convert(l, l.b.getF16Type(), x);
    Value bits = arith::BitcastOp::create(l.b, l.b.getI16Type(), half);
    fields.push_back(arith::ExtUIOp::create(l.b, l.b.getI32Type(), bits));
  }
  return l.finish(op, {joined(l, fields, 16)});
}

static LogicalResult unpackHalf(Lowering &l, Operation *op) {
  Scalars numbers;
  Value word = l.scalar(op->getOperand(0));
  for (unsigned at = 0; at < 32; at += 16) {
    Value down = at ? arith::ShRUIOp::create(l.b, word, l.integer(at)).getResult() : word;
    Value bits = arith::TruncIOp::create(l.b, l.b.getI16Type(), down);
    Value half = floats::flushed(l, arith::BitcastOp::create(l.b, l.b.getF16Type(), bits));
    numbers.push_back(arith::ExtFOp::create(l.b, l.b.getF32Type(), half));
  }
  return l.finish(op, numbers);
}

static LogicalResult packDouble(Lowering &l, Operation *op) {
  Scalars words = l.get(op->getOperand(0));
  Type wide = l.b.getI64Type();
  Value high = arith::ShLIOp::create(l.b, arith::ExtUIOp::create(l.b, wide, words[1]).getResult(),
                                     l.integer(32, 64));
  Value bits = arith::OrIOp::create(l.b, arith::ExtUIOp::create(l.b, wide, words[0]), high);
  return l.finish(op, {arith::BitcastOp::create(l.b, l.b.getF64Type(), bits)});
}

static LogicalResult unpackDouble(Lowering &l, Operation *op) {
  Value bits = arith::BitcastOp::create(l.b, l.b.getI64Type(), l.scalar(op->getOperand(0)));
  Value high = arith::ShRUIOp::create(l.b, bits, l.integer(32, 64));
  Type word = l.b.getI32Type();
  return l.finish(
      op, {arith::TruncIOp::create(l.b, word, bits), arith::TruncIOp::create(l.b, word, high)});
}

static constexpr Rule rulesOfPacking[] = {
    {"GLSL.std.450/PackDouble2x32", packDouble},
    {"GLSL.std.450/PackHalf2x16", packHalf},
    {"GLSL.std.450/PackSnorm2x16", pack<true, 16>},
    {"GLSL.std.450/PackSnorm4x8", pack<true, 8>},
    {"GLSL.std.450/PackUnorm2x16", pack<false, 16>},
    {"GLSL.std.450/PackUnorm4x8", pack<false, 8>},
    {"GLSL.std.450/UnpackDouble2x32", unpackDouble},
    {"GLSL.std.450/UnpackHalf2x16", unpackHalf},
    {"GLSL.std.450/UnpackSnorm2x16", unpack<true, 16>},
    {"GLSL.std.450/UnpackSnorm4x8", unpack<true, 8>},
    {"GLSL.std.450/UnpackUnorm2x16", unpack<false, 16>},
    {"GLSL.std.450/UnpackUnorm4x8", unpack<false, 8>},
};

ArrayRef<Rule> pumice::cpu::glslPackingRules() { return rulesOfPacking; }
