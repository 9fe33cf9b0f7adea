//===- CheckKernels.cpp - checks that Pumice can lower a module of tt -------===//
#include "compiler/import/triton/CheckKernels.h"

#include "compiler/dialect/triton/TritonDialect.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;

static bool isGuest(OperationName name) {
  static constexpr StringLiteral guests[] = {
#define PUMICE_TRITON_GUEST(name, what) name,
#include "compiler/import/triton/GuestOperations.def"
  };
  return llvm::any_of(guests, [&](StringRef guest) {
    return guest == name.getStringRef() ||
           (guest.consume_back("*") && name.getStringRef().starts_with(guest));
  });
}

static bool isKernelType(Type type) {
  Type scalar = scalarOf(type);
  return isNumber(scalar) || isa<triton::PointerType>(scalar) || isa<TensorDescType>(type);
}

static LogicalResult checkTypes(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!isKernelType(type))
      return op->emitError("unsupported value of type ")
             << type << "; kernels have integers of 1 to 64 bits, floats of 8 to 64 bits, "
             << "pointers, tensors of these, and tensor descriptors";
  return verifyTensors(op); // includes operations of other dialects
}

static LogicalResult checkOperation(Operation *op) {
  if (!isa<TritonDialect>(op->getDialect()) && !isGuest(op->getName()))
    return op->emitError("unsupported operation '")
           << op->getName() << "'; docs/triton-ir.md lists what a kernel may hold";
  if (failed(checkTypes(op, op->getResultTypes())))
    return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(checkTypes(op, block.getArgumentTypes())))
        return failure();
  return success();
}

LogicalResult triton::checkKernels(ModuleOp module) {
  bool hasKernel = false;
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<FuncOp>(op);
    if (!function)
      return op.emitError("unsupported '") << op.getName() << "' outside of functions; a kernel's "
                                           << "module may contain only tt.func";
    hasKernel |= function.isPublic();
  }
  if (!hasKernel)
    return module.emitError("no kernel: the module has no public tt.func");
  WalkResult result = module.walk([](Operation *op) {
    return failed(checkOperation(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
