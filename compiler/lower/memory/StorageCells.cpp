//===- StorageCells.cpp - the element types of buffers ----------------------===//
#include "compiler/lower/memory/LegalizeStorage.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using target::Feature;

namespace {

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

  /// Returns whether an atomic operation needs a compare-and-swap loop even on elements of this
  /// type.
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
        return where()->emitError()
               << "memory of " << type << " is not supported; use memory of integers or floats";
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

  /// Chooses cells for bytes that are accessed under several types.
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

} // namespace

FailureOr<Cells> lower::chooseCells(const Buffer &buffer, const target::TargetEnv &env) {
  return CellChooser(buffer, env).choose();
}
