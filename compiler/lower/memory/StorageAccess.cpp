//===- StorageAccess.cpp - accesses to the cells of a buffer ----------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/memory/LegalizeStorage.h"
#include "compiler/lower/memory/WordMemory.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using target::Feature;

namespace {

struct AccessRewriter {
  IRRewriter &b;
  const Buffer &buffer;
  const target::TargetEnv &env;

  // Properties of the current access
  Location loc;
  Type element;
  Value root, index;
  unsigned bytes = 0;

  AccessRewriter(IRRewriter &b, const Buffer &buffer, const target::TargetEnv &env)
      : b(b), buffer(buffer), env(env), loc(b.getUnknownLoc()) {}

  /// Computes the access's index from the start of the buffer, in elements of its own type. A
  /// view's byte shift is a multiple of the element's size, since elements are aligned in memory.
  void locate(const Access &access, Value given) {
    b.setInsertionPoint(access.op);
    loc = access.op->getLoc();
    element = access.element;
    bytes = storageBytes(element);
    root = access.root;
    index = given;
    for (memref::ViewOp view : access.views) {
      WordMemory units{b, loc, root, false};
      Value shift = units.divided(view.getByteShift(), bytes);
      index = b.createOrFold<arith::AddIOp>(loc, index, shift);
    }
  }
  WordMemory words() { return {b, loc, root, buffer.kind != MemoryKind::Private}; }
  Type bitsType(unsigned size) { return b.getIntegerType(8 * size); }
  /// Returns whether an index is split into two words. Without 64-bit integers, arithmetic uses
  /// only the low word. The high word need only be correct in memory.
  bool isSplitIndex() { return element.isIndex() && !env.has(Feature::shaderInt64); }

  Value readElement(Value at) {
    WordMemory memory = words();
    if (isSplitIndex()) {
      Value low = memory.read(memory.scaled(at, 2), 4);
      return fromCell(b, loc, low, element);
    }
    return fromCell(b, loc, memory.read(at, bytes), element);
  }

  void writeElement(Value at, Value value) {
    WordMemory memory = words();
    if (!isSplitIndex())
      return memory.write(at, toCell(b, loc, value, bitsType(bytes)));
    Value low = toCell(b, loc, value, b.getI32Type());
    Value sign = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(31));
    Value first = memory.scaled(at, 2);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    memory.write(first, low);
    memory.write(b.createOrFold<arith::AddIOp>(loc, first, one),
                 arith::ShRSIOp::create(b, loc, low, sign));
  }

  /// Returns the number of bytes that one access of a packed vector moves. This is as many as the
  /// alignment allows, but at most a word.
  unsigned chunkBytes(unsigned count, std::optional<uint64_t> alignment) {
    unsigned chunk = 4;
    while (chunk > bytes &&
           ((count * bytes) % chunk != 0 || alignment.value_or(0) % chunk != 0 || !alignment))
      chunk /= 2;
    return std::max(chunk, bytes);
  }
  Value plus(Value base, int64_t offset) {
    if (offset == 0)
      return base;
    return b.createOrFold<arith::AddIOp>(loc, base, arith::ConstantIndexOp::create(b, loc, offset));
  }

  Value readVector(VectorType type, std::optional<uint64_t> alignment);
  void writeVector(Value vector, std::optional<uint64_t> alignment);
  void rewrite(const Access &access);
  void rewriteInPlace(const Access &access);
  void rewriteAtomic(const Access &access);
  LogicalResult rewriteMatrixAccess(const Access &access);
};

Value AccessRewriter::readVector(VectorType type, std::optional<uint64_t> alignment) {
  unsigned count = type.getNumElements();
  unsigned chunk = chunkBytes(count, alignment), perChunk = chunk / bytes;
  SmallVector<Value> values;
  for (unsigned first = 0; first < count; first += perChunk) {
    if (perChunk == 1) {
      values.push_back(readElement(plus(index, first)));
      continue;
    }
    WordMemory memory = words();
    Value at = plus(memory.divided(index, perChunk), first / perChunk);
    Value bits = memory.read(at, chunk);
    for (unsigned i = 0; i < perChunk; ++i) {
      Value shift =
          arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits.getType(), 8 * bytes * i));
      Value low = b.createOrFold<arith::ShRUIOp>(loc, bits, shift);
      low = arith::TruncIOp::create(b, loc, bitsType(bytes), low);
      values.push_back(fromCell(b, loc, low, element));
    }
  }
  return vector::FromElementsOp::create(b, loc, type, values);
}

void AccessRewriter::writeVector(Value vector, std::optional<uint64_t> alignment) {
  unsigned count = cast<VectorType>(vector.getType()).getNumElements();
  unsigned chunk = chunkBytes(count, alignment), perChunk = chunk / bytes;
  for (unsigned first = 0; first < count; first += perChunk) {
    Value all;
    for (unsigned i = 0; i < perChunk; ++i) {
      Value part = vector::ExtractOp::create(b, loc, vector, int64_t(first + i));
      if (perChunk == 1) {
        writeElement(plus(index, first), part);
        break;
      }
      Value bits = toCell(b, loc, part, bitsType(bytes));
      bits = arith::ExtUIOp::create(b, loc, bitsType(chunk), bits);
      Value shift =
          arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits.getType(), 8 * bytes * i));
      bits = b.createOrFold<arith::ShLIOp>(loc, bits, shift);
      all = all ? arith::OrIOp::create(b, loc, all, bits).getResult() : bits;
    }
    WordMemory memory = words();
    if (all)
      memory.write(plus(memory.divided(index, perChunk), first / perChunk), all);
  }
}

/// Replaces only the memref and the index of an access. The buffer's cells must have the type that
/// the program accesses. Matrix accesses are an exception, but `index` must count cells.
void AccessRewriter::rewriteInPlace(const Access &access) {
  access.memref->set(root);
  access.op->setOperand(access.memref->getOperandNumber() + 1, index);
}

void AccessRewriter::rewriteAtomic(const Access &access) {
  auto simple = dyn_cast<memref::AtomicRMWOp>(access.op);
  auto updated = [&](OpBuilder &inner, Value old) -> Value {
    if (simple)
      return emitUpdate(inner, loc, simple.getKind(), old, simple.getValue());
    auto generic = cast<memref::GenericAtomicRMWOp>(access.op);
    IRMapping mapping;
    mapping.map(generic.getCurrentValue(), old);
    Block &body = generic.getRegion().front();
    for (Operation &op : body.without_terminator())
      inner.clone(op, mapping);
    return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  };
  Type cell = buffer.cells.packed ? bitsType(bytes) : buffer.cells.type;
  auto onCell = [&](OpBuilder &inner, Value old) {
    return toCell(inner, loc, updated(inner, fromCell(inner, loc, old, element)), cell);
  };
  // The other attributes give the memory order of the update.
  DictionaryAttr attributes = access.op->getDiscardableAttrDictionary();
  Value old;
  if (simple && simple.getKind() == arith::AtomicRMWKind::assign &&
      (!buffer.cells.packed || bytes == 4)) {
    Value value = toCell(b, loc, simple.getValue(), cell);
    auto atomic = memref::AtomicRMWOp::create(b, loc, simple.getKind(), value, root, index);
    atomic->setDiscardableAttrs(attributes);
    old = atomic.getResult();
  } else if (buffer.cells.packed) {
    old = words().update(index, bytes, attributes, onCell);
  } else {
    auto atomic = memref::GenericAtomicRMWOp::create(b, loc, root, index);
    atomic->setDiscardableAttrs(attributes);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&atomic.getRegion().front());
    memref::AtomicYieldOp::create(b, loc, onCell(b, atomic.getCurrentValue()));
    old = atomic.getResult();
  }
  b.replaceOp(access.op, fromCell(b, loc, old, element));
}

/// Rewrites a cooperative-matrix access. It may name any element type, and its positions count
/// cells.
LogicalResult AccessRewriter::rewriteMatrixAccess(const Access &access) {
  unsigned cellBytes = storageBytes(buffer.cells.type);
  auto lead = access.op->getAttrOfType<IntegerAttr>("leadDimension");
  if (cellBytes < bytes || (!buffer.cells.packed && cellBytes != bytes) ||
      lead.getInt() % (cellBytes / bytes) != 0 || buffer.cells.type.isInteger(16))
    return access.op->emitError() << "accesses a matrix of " << element
                                  << " in memory that the target stores as " << buffer.cells.type
                                  << "; use a target with native storage of " << element
                                  << ", or keep the memory in one type";
  index = words().divided(index, cellBytes / bytes);
  rewriteInPlace(access);
  access.op->setAttr("leadDimension",
                     IntegerAttr::get(lead.getType(), lead.getInt() / (cellBytes / bytes)));
  return success();
}

void AccessRewriter::rewrite(const Access &access) {
  Operation *op = access.op;
  if (!buffer.cells.packed && buffer.cells.type == element)
    return rewriteInPlace(access);
  if (isAtomic(op))
    return rewriteAtomic(access);
  bool packed = buffer.cells.packed;
  Type cell = buffer.cells.type;
  TypeSwitch<Operation *>(op)
      .Case([&](memref::LoadOp) {
        Value value = packed
                          ? readElement(index)
                          : fromCell(b, loc, memref::LoadOp::create(b, loc, root, index), element);
        b.replaceOp(op, value);
      })
      .Case([&](memref::StoreOp store) {
        if (packed)
          writeElement(index, store.getValue());
        else
          memref::StoreOp::create(b, loc, toCell(b, loc, store.getValue(), cell), root, index);
        b.eraseOp(op);
      })
      .Case([&](vector::LoadOp load) {
        VectorType type = load.getVectorType();
        if (packed) {
          b.replaceOp(op, readVector(type, load.getAlignment()));
          return;
        }
        auto cells = vector::LoadOp::create(b, loc, type.clone(cell), root, index);
        cells.setAlignment(load.getAlignment());
        b.replaceOp(op, fromCell(b, loc, cells, element));
      })
      .Case([&](vector::StoreOp store) {
        if (packed) {
          writeVector(store.getValueToStore(), store.getAlignment());
        } else {
          Value cells = toCell(b, loc, store.getValueToStore(), cell);
          vector::StoreOp::create(b, loc, cells, root, index).setAlignment(store.getAlignment());
        }
        b.eraseOp(op);
      });
}

} // namespace

LogicalResult lower::rewriteAccess(IRRewriter &rewriter, const Buffer &buffer, const Access &access,
                                   const target::TargetEnv &env) {
  AccessRewriter accesses(rewriter, buffer, env);
  accesses.locate(access, access.op->getOperand(access.memref->getOperandNumber() + 1));
  if (isa<gpu::SubgroupMmaLoadMatrixOp, gpu::SubgroupMmaStoreMatrixOp>(access.op))
    return accesses.rewriteMatrixAccess(access);
  if (isa<vk::LoadFactorOp>(access.op)) // the stride counts elements of the accessed type
    return access.op->emitError() << "loads a factor from memory of "
                                  << access.memref->get().getType()
                                  << ", which the target stores as " << buffer.cells.type
                                  << "; use words of 32 bits";
  accesses.rewrite(access);
  return success();
}
