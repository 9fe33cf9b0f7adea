//===- LegalizeStorage.cpp - memory of the types that the target stores -----===//
//   before: %x = vk.binding set(0) binding(0) : memref<?xi8>       (no storageBuffer8BitAccess)
//           %v = memref.load %x[%i] : memref<?xi8>
//   after:  %x = vk.binding set(0) binding(0) : memref<?xi32>
//           %w = memref.load %x[%i / 4] : memref<?xi32>
//           %v = arith.trunci (%w >> 8 * (%i % 4)) : i32 to i8
//
// Each buffer gets one element type, its cell, for all of its accesses:
//   - the type that the program uses, where the target has it in that memory;
//   - an integer of its size, when the target lacks the type itself (bf16, f16, i1, index), when a
//     memref.view reads the same bytes as another type, or when floats are updated by
//     compare-and-swap: pointers cannot be reinterpreted there, so the memory is integer at once;
//   - a 32-bit word per element in workgroup and private memory, which nobody else sees;
//   - 32-bit words that hold several elements, or parts of one, in all other cases (WordMemory.h).
// Buffers of words must begin at a multiple of four bytes, and end at one.
// Needs: FlattenMemory. Leaves: no memref.view, no memory that the target cannot declare.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/Passes.h"
#include "compiler/lower/StorageTypes.h"
#include "compiler/lower/WordMemory.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pumice::lower {
#define GEN_PASS_DEF_LEGALIZESTORAGE
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using target::Feature;

namespace {

/// One operation on a buffer, perhaps through memref.views of it.
struct Access {
  Operation *op;
  OpOperand *memref;
  Type element;                      // what it reads or writes, less any vector
  Value root;                        // the buffer
  SmallVector<memref::ViewOp> views; // from the access to the root
};

/// How a buffer holds its elements.
struct Cells {
  Type type;
  bool packed = false; // i32 words that hold elements of other sizes
};

/// Everything that reaches the same memory: several operations may name one binding or global.
struct Buffer {
  SmallVector<Value> roots;
  SmallVector<Access> accesses;
  Operation *unknownUser = nullptr;
  MemoryKind kind = MemoryKind::Buffer;
  Cells cells;

  Type declared() const { return cast<MemRefType>(roots.front().getType()).getElementType(); }
  bool isViewed() const {
    return llvm::any_of(accesses, [](const Access &access) { return !access.views.empty(); });
  }
};

bool isAtomic(Operation *op) { return isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op); }
bool isMatrixAccess(Operation *op) {
  return isa<gpu::SubgroupMmaLoadMatrixOp, gpu::SubgroupMmaStoreMatrixOp>(op);
}

/// The operand through which `op` reaches memory, if it is an access.
OpOperand *memoryOperand(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return &store.getMemrefMutable();
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    return &atomic.getMemrefMutable();
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return &store.getBaseMutable();
  if (auto store = dyn_cast<gpu::SubgroupMmaStoreMatrixOp>(op))
    return &store.getDstMemrefMutable();
  if (isa<memref::LoadOp, memref::GenericAtomicRMWOp, vector::LoadOp, gpu::SubgroupMmaLoadMatrixOp>(
          op))
    return &op->getOpOperand(0);
  return nullptr;
}

//===-------------------------------------------------------------------------===//
// Which cells a buffer gets
//===-------------------------------------------------------------------------===//

struct CellChooser {
  const Buffer &buffer;
  const target::TargetEnv &env;
  llvm::SmallSetVector<Type, 4> elements;

  CellChooser(const Buffer &buffer, const target::TargetEnv &env) : buffer(buffer), env(env) {
    for (const Access &access : buffer.accesses)
      elements.insert(access.element);
    if (elements.empty())
      elements.insert(buffer.declared());
  }

  Operation *where() const {
    return buffer.accesses.empty() ? buffer.roots.front().getDefiningOp()
                                   : buffer.accesses.front().op;
  }
  bool native(Type type) const { return isNativeInMemory(type, buffer.kind, env); }

  /// Whether some atomic needs a compare-and-swap loop although the elements are of this type.
  bool swapsIntegersFor(Type type) const {
    return llvm::any_of(buffer.accesses, [&](const Access &access) {
      if (!isAtomic(access.op) || type.isInteger(32) || type.isInteger(64))
        return false;
      auto simple = dyn_cast<memref::AtomicRMWOp>(access.op);
      return !simple || !isNativeAtomic(simple.getKind(), type, buffer.kind, env);
    });
  }
  bool hasAtomics() const {
    return llvm::any_of(buffer.accesses, [](const Access &a) { return isAtomic(a.op); });
  }

  LogicalResult refuse64() const {
    for (Type type : elements) {
      if (storageBytes(type) != 8 || type.isIndex())
        continue;
      if (type.isF64() && !env.has(Feature::shaderFloat64))
        return refuseFor(where(), "memory of f64", Feature::shaderFloat64, env);
      if (!env.has(Feature::shaderInt64))
        return refuseFor(where(), "memory of " + llvm::Twine(text(type)), Feature::shaderInt64,
                         env);
    }
    return success();
  }
  static std::string text(Type type) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return name;
  }

  FailureOr<Cells> choose() const {
    for (Type type : elements)
      if (storageBytes(type) == 0)
        return where()->emitError() << "memory of " << type << " is not supported";
    if (elements.size() == 1)
      return chooseForOne(elements.front());
    return chooseForMixed();
  }

  FailureOr<Cells> chooseForOne(Type type) const {
    unsigned bytes = storageBytes(type);
    bool swaps = swapsIntegersFor(type);
    if (native(type) && !swaps)
      return Cells{type};
    Type bits = IntegerType::get(type.getContext(), 8 * bytes);
    if (native(bits) && (bytes >= 4 || !hasAtomics()))
      return Cells{bits};
    if (failed(refuse64()))
      return failure();
    Type word = IntegerType::get(type.getContext(), 32);
    bool layoutIsVisible = buffer.kind == MemoryKind::Buffer || buffer.isViewed();
    return Cells{word, /*packed=*/layoutIsVisible};
  }

  /// The same bytes under several types.
  FailureOr<Cells> chooseForMixed() const {
    unsigned bytes = storageBytes(elements.front());
    bool sameSize = llvm::all_of(elements, [&](Type type) { return storageBytes(type) == bytes; });
    Type bits = IntegerType::get(elements.front().getContext(), 8 * bytes);
    if (sameSize && native(bits) && (bytes >= 4 || !hasAtomics()))
      return Cells{bits};
    if (failed(refuse64()))
      return failure();
    for (const Access &access : buffer.accesses)
      if (isAtomic(access.op) && storageBytes(access.element) == 8)
        return access.op->emitError()
               << "updates " << access.element << " atomically in memory that is also accessed "
               << "in other sizes, which takes a 64-bit atomic on 32-bit words; give the "
               << "64-bit data a buffer of its own";
    return Cells{IntegerType::get(bits.getContext(), 32), /*packed=*/true};
  }
};

//===-------------------------------------------------------------------------===//
// Accesses
//===-------------------------------------------------------------------------===//

struct AccessRewriter {
  IRRewriter &b;
  const Buffer &buffer;
  const target::TargetEnv &env;

  // Of the access at hand:
  Location loc;
  Type element;
  Value root, index;
  unsigned bytes = 0;

  AccessRewriter(IRRewriter &b, const Buffer &buffer, const target::TargetEnv &env)
      : b(b), buffer(buffer), env(env), loc(b.getUnknownLoc()) {}

  /// The access's index from the start of the buffer, in elements of its own type. A view's byte
  /// shift is a multiple of the element's size: elements are aligned in memory.
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
  /// Without 64-bit integers an index is its low word; the high word only has to be right in
  /// memory.
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

  /// Bytes that one access of a packed vector moves: as many as its alignment allows, up to a word.
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

/// The cell is what the program uses: only the place changes.
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
  Value old;
  if (simple && simple.getKind() == arith::AtomicRMWKind::assign &&
      (!buffer.cells.packed || bytes == 4)) {
    Value value = toCell(b, loc, simple.getValue(), cell);
    old = memref::AtomicRMWOp::create(b, loc, simple.getKind(), value, root, index);
  } else if (buffer.cells.packed) {
    old = words().update(index, bytes, onCell);
  } else {
    auto atomic = memref::GenericAtomicRMWOp::create(b, loc, root, index);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&atomic.getRegion().front());
    memref::AtomicYieldOp::create(b, loc, onCell(b, atomic.getCurrentValue()));
    old = atomic.getResult();
  }
  b.replaceOp(access.op, fromCell(b, loc, old, element));
}

/// Cooperative-matrix accesses name any element type; their places are counted in cells.
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

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

/// What a buffer is called: operations with the same name reach the same memory.
using BufferName = std::pair<Operation *, Attribute>;

BufferName nameOf(Operation *root) {
  if (auto global = dyn_cast<memref::GetGlobalOp>(root))
    return {nullptr, global.getNameAttr().getAttr()};
  if (isa<memref::AllocaOp>(root))
    return {root, {}};
  Builder b(root->getContext());
  Attribute op = b.getStringAttr(root->getName().getStringRef());
  return {root->getParentOfType<FunctionOpInterface>(),
          b.getArrayAttr({op, root->getAttrDictionary()})};
}

bool isRoot(Operation *op) {
  return isa<vk::ParameterOp, vk::BindingOp, vk::DynamicWorkgroupMemoryOp, memref::GetGlobalOp,
             memref::AllocaOp>(op);
}

struct LegalizeStorage final : lower::impl::LegalizeStorageBase<LegalizeStorage> {
  llvm::MapVector<BufferName, Buffer> buffers;

  void runOnOperation() override {
    FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
    if (failed(env))
      return signalPassFailure();
    buffers.clear();
    renameDynamicMemory();
    if (failed(collect()))
      return signalPassFailure();
    for (auto &[name, buffer] : buffers)
      if (failed(legalize(buffer, *env)))
        return signalPassFailure();
    // Views are dead once no access goes through them; the innermost was created last.
    SmallVector<memref::ViewOp> views;
    getOperation().walk([&](memref::ViewOp view) { views.push_back(view); });
    for (memref::ViewOp view : llvm::reverse(views))
      view.erase();
  }

  /// gpu.dynamic_shared_memory is always bytes.
  void renameDynamicMemory() {
    getOperation().walk([](gpu::DynamicSharedMemoryOp op) {
      OpBuilder b(op);
      Value same = vk::DynamicWorkgroupMemoryOp::create(b, op.getLoc(), op.getType());
      op.getResult().replaceAllUsesWith(same);
      op.erase();
    });
  }

  LogicalResult collect();
  void collectUses(Value memref, SmallVector<memref::ViewOp> views, Value root, Buffer &buffer);
  LogicalResult legalize(Buffer &buffer, const target::TargetEnv &env);
  LogicalResult retype(Buffer &buffer, Type declared);
  LogicalResult retypeGlobal(memref::GetGlobalOp use, MemRefType type);
};

void LegalizeStorage::collectUses(Value memref, SmallVector<memref::ViewOp> views, Value root,
                                  Buffer &buffer) {
  for (OpOperand &use : memref.getUses()) {
    Operation *op = use.getOwner();
    if (auto view = dyn_cast<memref::ViewOp>(op)) {
      SmallVector<memref::ViewOp> longer{view};
      longer.append(views);
      collectUses(view, longer, root, buffer);
    } else if (memoryOperand(op) == &use) {
      Type element = cast<MemRefType>(memref.getType()).getElementType();
      buffer.accesses.push_back({op, &use, element, root, views});
    } else {
      buffer.unknownUser = op;
    }
  }
}

LogicalResult LegalizeStorage::collect() {
  SmallVector<Operation *> roots;
  WalkResult walked = getOperation().walk([&](Operation *op) {
    if (isRoot(op) && isa<MemRefType>(op->getResult(0).getType()))
      roots.push_back(op);
    OpOperand *memref = memoryOperand(op);
    if (!memref)
      return WalkResult::advance();
    Operation *source = memref->get().getDefiningOp();
    if (!source || !(isRoot(source) || isa<memref::ViewOp>(source)) ||
        cast<MemRefType>(memref->get().getType()).getRank() != 1) {
      op->emitError() << "accesses " << memref->get().getType()
                      << ", which is no flattened buffer; run pumice-flatten-memory first";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (Operation *root : roots) {
    Buffer &buffer = buffers[nameOf(root)];
    Value memref = root->getResult(0);
    buffer.roots.push_back(memref);
    buffer.kind = memoryKindOf(memref);
    collectUses(memref, {}, memref, buffer);
  }
  return success();
}

LogicalResult LegalizeStorage::legalize(Buffer &buffer, const target::TargetEnv &env) {
  FailureOr<Cells> cells = CellChooser(buffer, env).choose();
  if (failed(cells))
    return failure();
  buffer.cells = *cells;
  Type declared = buffer.declared();
  bool same = !buffer.cells.packed && buffer.cells.type == declared && !buffer.isViewed();
  if (same && llvm::all_of(buffer.roots, [&](Value root) {
        return cast<MemRefType>(root.getType()).getElementType() == declared;
      }))
    return success();
  if (buffer.unknownUser)
    return buffer.unknownUser->emitError()
           << "'" << buffer.unknownUser->getName().getStringRef() << "' uses memory of " << declared
           << ", which the target stores as " << buffer.cells.type
           << "; only loads, stores and atomics can";
  if (failed(retype(buffer, declared)))
    return failure();
  IRRewriter rewriter(&getContext());
  for (const Access &access : buffer.accesses) {
    AccessRewriter accesses(rewriter, buffer, env);
    unsigned at = access.memref->getOperandNumber() + 1;
    accesses.locate(access, access.op->getOperand(at));
    if (!isMatrixAccess(access.op))
      accesses.rewrite(access);
    else if (failed(accesses.rewriteMatrixAccess(access)))
      return failure();
  }
  return success();
}

/// Gives every operation that names the buffer its new type, with as many cells as it needs.
LogicalResult LegalizeStorage::retype(Buffer &buffer, Type declared) {
  bool perByte = buffer.cells.packed || buffer.isViewed();
  unsigned cellBytes = storageBytes(buffer.cells.type);
  for (Value root : buffer.roots) {
    auto type = cast<MemRefType>(root.getType());
    int64_t count = type.getDimSize(0);
    if (perByte && !ShapedType::isDynamic(count))
      count = llvm::divideCeil(count * storageBytes(type.getElementType()), cellBytes);
    auto changed = MemRefType::get({count}, buffer.cells.type,
                                   type.getLayout().isIdentity() ? MemRefLayoutAttrInterface{}
                                                                 : type.getLayout(),
                                   type.getMemorySpace());
    if (auto global = dyn_cast<memref::GetGlobalOp>(root.getDefiningOp()))
      if (failed(retypeGlobal(global, changed)))
        return failure();
    root.setType(changed);
  }
  return success();
}

/// A table of constants keeps its values, as cells.
LogicalResult LegalizeStorage::retypeGlobal(memref::GetGlobalOp use, MemRefType type) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(use, use.getNameAttr());
  if (!global || global.getType() == type)
    return success();
  if (auto values = dyn_cast_or_null<DenseElementsAttr>(global.getInitialValueAttr())) {
    if (values.getType().getNumElements() != type.getNumElements())
      return use.emitError() << "reads a table of " << global.getType().getElementType()
                             << " as other types; give each type its own table";
    auto cell = cast<IntegerType>(type.getElementType());
    SmallVector<APInt> cells;
    if (isa<FloatType>(values.getElementType()))
      for (const APFloat &value : values.getValues<APFloat>())
        cells.push_back(value.bitcastToAPInt().zextOrTrunc(cell.getWidth()));
    else
      for (const APInt &value : values.getValues<APInt>())
        cells.push_back(value.zextOrTrunc(cell.getWidth()));
    global.setInitialValueAttr(
        DenseElementsAttr::get(RankedTensorType::get(type.getShape(), cell), cells));
  }
  global.setType(type);
  return success();
}

} // namespace
