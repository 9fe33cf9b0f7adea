//===- LegalizeStorage.cpp - memory of types that the target stores ---------===//
//   before: %x = vk.binding set(0) binding(0) : memref<?xi8>       (no storageBuffer8BitAccess)
//           %v = memref.load %x[%i] : memref<?xi8>
//   after:  %x = vk.binding set(0) binding(0) : memref<?xi32>
//           %w = memref.load %x[%i / 4] : memref<?xi32>
//           %v = arith.trunci (%w >> 8 * (%i % 4)) : i32 to i8
//
// Each buffer gets one element type for all its accesses, which is called its cell. It is the first
// of these that applies:
//
//   - The type that the program uses, if the target supports it in that memory.
//
//   - An integer of the type's size, if the target lacks the type itself (bf16, f16, i1, index).
//     This also applies if a memref.view reads the bytes as another type, or if compare-and-swap
//     updates floats. Pointers cannot be reinterpreted, so the memory itself must hold integers.
//
//   - A 32-bit word per element, in workgroup and private memory, which only the kernel sees.
//
//   - 32-bit words that hold several elements, or parts of one, in all other cases (WordMemory.h).
//
// Buffers of words must begin and end at a multiple of four bytes. Other buffers begin at a
// multiple of their cell size, or of the alignment that an access promises. The kernel's interface
// keeps that alignment.
//
// Needs: FlattenMemory. Leaves: no memref.view, and no memory that the target cannot declare.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/memory/LegalizeStorage.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/structure/KernelInterface.h"

#include "llvm/ADT/MapVector.h"

namespace pumice::lower {
#define GEN_PASS_DEF_LEGALIZESTORAGE
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

namespace {

/// Returns the operand through which `op` accesses memory, or null.
OpOperand *memoryOperand(Operation *op) {
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return &store.getMemrefMutable();
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    return &atomic.getMemrefMutable();
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return &store.getBaseMutable();
  if (auto store = dyn_cast<gpu::SubgroupMmaStoreMatrixOp>(op))
    return &store.getDstMemrefMutable();
  if (isa<memref::LoadOp, memref::GenericAtomicRMWOp, vector::LoadOp, gpu::SubgroupMmaLoadMatrixOp,
          vk::LoadFactorOp>(op))
    return &op->getOpOperand(0);
  return nullptr;
}

/// Identifies a buffer. Operations with the same name access the same memory.
using BufferName = std::pair<Operation *, Attribute>;

BufferName nameOf(Operation *root) {
  if (auto global = dyn_cast<memref::GetGlobalOp>(root))
    return {nullptr, global.getNameAttr().getAttr()};
  if (isa<memref::AllocaOp, vk::AtAddressOp>(root))
    return {root, {}};
  Builder b(root->getContext());
  Attribute op = b.getStringAttr(root->getName().getStringRef());
  return {root->getParentOfType<FunctionOpInterface>(),
          b.getArrayAttr({op, root->getAttrDictionary()})};
}

bool isRoot(Operation *op) {
  return isa<vk::ParameterOp, vk::BindingOp, vk::AtAddressOp, vk::DynamicWorkgroupMemoryOp,
             memref::GetGlobalOp, memref::AllocaOp>(op);
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
    recordAlignments();
    // Views without uses are dead. The innermost view was created last.
    SmallVector<memref::ViewOp> views;
    getOperation().walk([&](memref::ViewOp view) { views.push_back(view); });
    for (memref::ViewOp view : llvm::reverse(views))
      view.erase();
  }

  /// Gives dynamic memory the type of its elements, since gpu.dynamic_shared_memory only has bytes.
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
  void recordAlignments();
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
      if (auto promised = op->getAttrOfType<IntegerAttr>("alignment"))
        buffer.promised = std::max<uint64_t>(buffer.promised, promised.getValue().getZExtValue());
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
                      << ", which is not a flattened buffer; run pumice-flatten-memory first";
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
  FailureOr<Cells> cells = chooseCells(buffer, env);
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
  for (const Access &access : buffer.accesses)
    if (failed(rewriteAccess(rewriter, buffer, access, env)))
      return failure();
  return success();
}

/// Returns the argument whose memory `root` is. The interface gives the source of each field and
/// binding.
std::optional<unsigned> argumentOf(Operation *root, DictionaryAttr interface) {
  auto is = [](DictionaryAttr entry, StringRef source, StringRef place, int64_t number) {
    return entry.getAs<StringAttr>("source").getValue() == source &&
           entry.getAs<IntegerAttr>(place).getInt() == number;
  };
  auto find = [&](StringRef list, StringRef source, StringRef place,
                  int64_t number) -> std::optional<unsigned> {
    for (auto entry : interface.getAs<ArrayAttr>(list).getAsRange<DictionaryAttr>())
      if (is(entry, source, place, number))
        return entry.getAs<IntegerAttr>("argument").getInt();
    return std::nullopt;
  };
  if (auto parameter = dyn_cast<vk::ParameterOp>(root))
    return find("fields", "buffer_address", "offset", parameter.getOffset());
  if (auto binding = dyn_cast<vk::BindingOp>(root))
    return find("bindings", "argument", "binding", binding.getBinding());
  return std::nullopt;
}

void LegalizeStorage::recordAlignments() {
  for (auto &[name, buffer] : buffers) {
    auto kernel = buffer.roots.front().getParentRegion()->getParentOfType<gpu::GPUFuncOp>();
    auto interface =
        kernel ? kernel->getAttrOfType<DictionaryAttr>(interfaceAttrName) : DictionaryAttr();
    std::optional<unsigned> index =
        interface ? argumentOf(buffer.roots.front().getDefiningOp(), interface) : std::nullopt;
    if (!index)
      continue;
    Builder b(&getContext());
    SmallVector<Attribute> arguments(interface.getAs<ArrayAttr>("arguments").getValue());
    NamedAttrList argument(cast<DictionaryAttr>(arguments[*index]));
    uint64_t bytes = std::max<uint64_t>(buffer.promised, storageBytes(buffer.cells.type));
    argument.set("alignment", b.getI64IntegerAttr(bytes));
    arguments[*index] = argument.getDictionary(&getContext());
    NamedAttrList changed(interface);
    changed.set("arguments", b.getArrayAttr(arguments));
    kernel->setAttr(interfaceAttrName, changed.getDictionary(&getContext()));
  }
}

/// Gives every operation that names the buffer the new type, with the number of cells that it
/// needs.
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

/// Converts a table of constants to cells, which hold the same values.
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
