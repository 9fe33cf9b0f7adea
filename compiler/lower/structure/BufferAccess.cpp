//===- BufferAccess.cpp - finds out how a kernel accesses buffers -----------===//
#include "compiler/lower/structure/KernelInterface.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace {

/// Returns whether an operation only gives a buffer another type, and does not access it.
bool isView(Operation *op) {
  if (isa<ViewLikeOpInterface>(op))
    return true;
  return isMemoryEffectFree(op) && op->getNumRegions() == 0;
}

void collect(Value buffer, pumice::lower::BufferAccess &access) {
  for (OpOperand &use : buffer.getUses()) {
    Operation *op = use.getOwner();
    if (isView(op)) {
      for (Value result : op->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          collect(result, access);
      continue;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || op->getNumRegions() != 0) {
      access = {true, true};
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> onBuffer;
    effects.getEffectsOnValue(buffer, onBuffer);
    for (const MemoryEffects::EffectInstance &effect : onBuffer) {
      access.reads |= isa<MemoryEffects::Read>(effect.getEffect());
      access.writes |= isa<MemoryEffects::Write>(effect.getEffect());
    }
    // The operation has effects, but none of them names this operand. It may access the buffer in
    // any way.
    if (onBuffer.empty())
      access = {true, true};
  }
}

} // namespace

pumice::lower::BufferAccess pumice::lower::accessOf(Value buffer) {
  BufferAccess access;
  collect(buffer, access);
  return access;
}
