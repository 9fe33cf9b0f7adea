//===- Calls.cpp - calls of OpenCL's functions ------------------------------===//
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

std::optional<uint64_t> Call::number(unsigned argument) const {
  auto *constant = dyn_cast<llvm::ConstantInt>(from.getArgOperand(argument));
  return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
}

void Call::broadcastNumbers() {
  VectorType whole;
  for (Value value : x)
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      whole = vector;
  for (Value &value : x)
    if (whole && !isa<VectorType>(value.getType()))
      value = op<vector::BroadcastOp>(VectorType::get(whole.getShape(), value.getType()), value);
}

NarrowResult::NarrowResult(Call &c, bool applies) : c(c) {
  if (!applies || !getElementTypeOrSelf(c.result).isF16())
    return;
  narrow = c.result;
  c.result = Build::with(c.result, c.b.getF32Type());
  for (Value &x : c.x)
    if (getElementTypeOrSelf(x.getType()).isF16())
      x = c.op<arith::ExtFOp>(Build::with(x.getType(), c.b.getF32Type()), x);
}

Value NarrowResult::finish(Value made) {
  if (!narrow)
    return made;
  c.result = narrow;
  return c.op<arith::TruncFOp>(narrow, made);
}

LogicalResult FunctionImporter::call(const llvm::CallBase &from) {
  if (from.isInlineAsm())
    return refuse("holds inline assembly, which kernels for Vulkan do not have");
  const llvm::Function *callee = from.getCalledFunction();
  if (!callee)
    return refuse("calls a function through a pointer; Vulkan has no function pointers: call the "
                  "function by name");
  Call call(*this, from, signatureOf(callee->getName()));
  if (!from.getType()->isVoidTy()) {
    call.result = typeOf(from.getType());
    if (!call.result)
      return failure();
  }
  for (const llvm::Use &argument : from.args()) {
    if (argument->getType()->isTargetExtTy() && !typeOf(argument->getType()))
      return failure();
    call.x.push_back(value(argument));
  }
  constexpr Translation families[] = {
      translateWorkItem, translateInteger,    translateMath,   translateFloat,  translateGamma,
      translateRelation, translateConversion, translateVector, translateAtomic, translateGroup};
  for (Translation family : families)
    if (std::optional<FailureOr<Value>> made = family(call)) {
      if (mlir::failed(*made))
        return failure();
      if (call.result)
        set(from, **made);
      return success(!failed);
    }
  return refuse("calls '" + call.name +
                "', which Pumice does not translate for Vulkan; write it in the kernel's own code, "
                "or run the kernel on an OpenCL device or on the CPU");
}
