//===- WordMemory.cpp - elements of any size in memory of 32-bit words ------===//
#include "compiler/lower/memory/WordMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice::lower;

Value WordMemory::word(uint32_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value WordMemory::scaled(Value index, unsigned factor) {
  if (factor == 1)
    return index;
  Value shift = arith::ConstantIndexOp::create(b, loc, llvm::Log2_32(factor));
  return b.createOrFold<arith::ShLIOp>(loc, index, shift);
}

Value WordMemory::divided(Value index, unsigned factor) {
  if (factor == 1)
    return index;
  Value shift = arith::ConstantIndexOp::create(b, loc, llvm::Log2_32(factor));
  return b.createOrFold<arith::ShRSIOp>(loc, index, shift);
}

/// Returns the bit at which an element of one or two bytes begins in its word.
Value WordMemory::bitOffset(Value index, unsigned bytes) {
  Value last = arith::ConstantIndexOp::create(b, loc, 4 / bytes - 1);
  Value place = b.createOrFold<arith::AndIOp>(loc, index, last);
  Value narrow = b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), place);
  return b.createOrFold<arith::ShLIOp>(loc, narrow, word(llvm::Log2_32(8 * bytes)));
}

Value WordMemory::read(Value index, unsigned bytes) {
  if (bytes < 4) {
    Value all = memref::LoadOp::create(b, loc, memref, divided(index, 4 / bytes));
    Value low = b.createOrFold<arith::ShRUIOp>(loc, all, bitOffset(index, bytes));
    return arith::TruncIOp::create(b, loc, b.getIntegerType(8 * bytes), low);
  }
  if (bytes == 4)
    return memref::LoadOp::create(b, loc, memref, index);
  Value first = scaled(index, 2);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value second = b.createOrFold<arith::AddIOp>(loc, first, one);
  Type wide = b.getI64Type();
  Value low = memref::LoadOp::create(b, loc, memref, first);
  Value high = memref::LoadOp::create(b, loc, memref, second);
  low = arith::ExtUIOp::create(b, loc, wide, low);
  high = arith::ExtUIOp::create(b, loc, wide, high);
  Value half = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
  return arith::OrIOp::create(b, loc, low, arith::ShLIOp::create(b, loc, high, half));
}

void WordMemory::write(Value index, Value bits) {
  unsigned bytes = bits.getType().getIntOrFloatBitWidth() / 8;
  if (bytes == 4) {
    memref::StoreOp::create(b, loc, bits, memref, index);
    return;
  }
  if (bytes == 8) {
    Value first = scaled(index, 2);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value half = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
    Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), bits);
    Value high = arith::ShRUIOp::create(b, loc, bits, half);
    high = arith::TruncIOp::create(b, loc, b.getI32Type(), high);
    memref::StoreOp::create(b, loc, low, memref, first);
    memref::StoreOp::create(b, loc, high, memref, b.createOrFold<arith::AddIOp>(loc, first, one));
    return;
  }
  Value at = divided(index, 4 / bytes);
  Value offset = bitOffset(index, bytes);
  Value field = b.createOrFold<arith::ShLIOp>(loc, word((1u << (8 * bytes)) - 1), offset);
  Value others = b.createOrFold<arith::XOrIOp>(loc, field, word(~0u));
  Value placed = arith::ExtUIOp::create(b, loc, b.getI32Type(), bits);
  placed = b.createOrFold<arith::ShLIOp>(loc, placed, offset);
  if (isShared) {
    memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::andi, others, memref, at);
    memref::AtomicRMWOp::create(b, loc, arith::AtomicRMWKind::ori, placed, memref, at);
    return;
  }
  Value old = memref::LoadOp::create(b, loc, memref, at);
  Value kept = arith::AndIOp::create(b, loc, old, others);
  memref::StoreOp::create(b, loc, arith::OrIOp::create(b, loc, kept, placed), memref, at);
}

Value WordMemory::update(Value index, unsigned bytes, DictionaryAttr attributes,
                         llvm::function_ref<Value(OpBuilder &, Value)> update) {
  Value at = divided(index, 4 / bytes);
  Value offset = bytes == 4 ? Value() : bitOffset(index, bytes);
  Type narrow = b.getIntegerType(8 * bytes);
  auto extract = [&](Value whole) -> Value {
    if (bytes == 4)
      return whole;
    Value low = b.createOrFold<arith::ShRUIOp>(loc, whole, offset);
    return arith::TruncIOp::create(b, loc, narrow, low);
  };
  auto atomic = memref::GenericAtomicRMWOp::create(b, loc, memref, at);
  atomic->setDiscardableAttrs(attributes);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&atomic.getRegion().front());
    Value whole = atomic.getCurrentValue();
    Value updated = update(b, extract(whole));
    if (bytes < 4) {
      Value field = b.createOrFold<arith::ShLIOp>(loc, word((1u << (8 * bytes)) - 1), offset);
      Value kept =
          arith::AndIOp::create(b, loc, whole, arith::XOrIOp::create(b, loc, field, word(~0u)));
      Value placed = arith::ExtUIOp::create(b, loc, b.getI32Type(), updated);
      placed = b.createOrFold<arith::ShLIOp>(loc, placed, offset);
      updated = arith::OrIOp::create(b, loc, kept, placed);
    }
    memref::AtomicYieldOp::create(b, loc, updated);
  }
  return extract(atomic.getResult());
}
