//===- IndexWidth.cpp - the bits of an index --------------------------------===//
#include "compiler/gen/IndexWidth.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

/// Returns whether a data layout around `op`, or its own, states the bits of index.
static bool statesIndex(Operation *op) {
  for (; op; op = op->getParentOp()) {
    DataLayoutSpecInterface layout;
    if (auto module = dyn_cast<ModuleOp>(op)) // it does not declare the interface
      layout = module.getDataLayoutSpec();
    else if (auto holder = dyn_cast<DataLayoutOpInterface>(op))
      layout = holder.getDataLayoutSpec();
    if (layout && !layout.getSpecForType(TypeID::get<IndexType>()).empty())
      return true;
  }
  return false;
}

FailureOr<unsigned> pumice::gen::indexBits(Operation *module, unsigned requested,
                                           unsigned otherwise) {
  unsigned bits = requested;
  if (!bits && statesIndex(module))
    bits = DataLayout::closest(module).getTypeSizeInBits(IndexType::get(module->getContext()));
  if (!bits)
    bits = otherwise;
  if (bits != 32 && bits != 64)
    return module->emitError("expected an index of 32 or 64 bits, got ") << bits;
  return bits;
}
