//===- Calls.cpp - calls of OpenCL's functions ------------------------------===//
#include "compiler/import/llvm/Builtins.h"

#include "support/EnglishText.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/raw_ostream.h"

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

/// Returns whether an argument has the type that the name of its function states. Types other than
/// numbers and pointers are not compared.
static bool agrees(const llvm::Type *type, const Parameter &parameter) {
  if (parameter.isPointer)
    return type->isPointerTy();
  if (!parameter.bits)
    return true;
  auto *vector = dyn_cast<llvm::FixedVectorType>(type);
  const llvm::Type *scalar = vector ? vector->getElementType() : type;
  if ((vector ? vector->getNumElements() : 1) != parameter.lanes)
    return false;
  if (parameter.isFloat)
    return scalar->isFloatingPointTy() && scalar->getScalarSizeInBits() == parameter.bits;
  return scalar->isIntegerTy(parameter.bits) || scalar->isIntegerTy(1); // a bool
}

/// Returns whether a built-in function has no result.
static bool isProcedure(StringRef name) {
  name.consume_back("_explicit");
  return name.starts_with("vstore") || name.ends_with("barrier") || name.ends_with("fence") ||
         name == "prefetch" || name == "wait_group_events" || name == "atomic_init" ||
         name == "atomic_store" || name == "atomic_flag_clear" ||
         name == "__spirv_ControlBarrier" || name == "__spirv_MemoryBarrier";
}

/// Returns the difference between a call and the name of its function, or an empty text. LLVM IR
/// may declare built-in functions with other parameters than their names state.
static std::string differenceOf(const llvm::CallBase &from, const Call &call) {
  if (from.arg_size() != call.parameters.size())
    return "with " + counted(from.arg_size(), "argument") + "; its name states " +
           std::to_string(call.parameters.size());
  for (auto [number, parameter] : llvm::enumerate(call.parameters)) {
    if (agrees(from.getArgOperand(number)->getType(), parameter))
      continue;
    std::string text = "with argument " + std::to_string(number) + " of type '";
    llvm::raw_string_ostream(text) << *from.getArgOperand(number)->getType();
    return text + "', which its name does not state";
  }
  return "";
}

LogicalResult FunctionImporter::call(const llvm::CallBase &from) {
  if (from.isInlineAsm())
    return refuse("holds inline assembly, which kernels for Vulkan do not have");
  const llvm::Function *callee = from.getCalledFunction();
  if (!callee)
    return refuse("calls a function through a pointer; Vulkan has no function pointers: call the "
                  "function by name");
  Call call(*this, from, signatureOf(callee->getName()));
  bool isMangled = callee->getName().starts_with("_Z"), isPrintf = call.name == "printf";
  if (isMangled && !isPrintf)
    if (std::string difference = differenceOf(from, call); !difference.empty())
      return refuse("calls '" + call.name + "' " + difference +
                    "; declare the function as clang does for OpenCL C");
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
  bool isKnown = isPrintf || (isMangled && isProcedure(call.name) == from.getType()->isVoidTy());
  for (Translation family : families) {
    if (!isKnown)
      break;
    if (std::optional<FailureOr<Value>> made = family(call)) {
      if (mlir::failed(*made))
        return failure();
      if (call.result)
        set(from, **made);
      return success(!failed);
    }
  }
  return refuse("calls '" + call.name +
                "', which Pumice does not translate for Vulkan; write it in the kernel's own code, "
                "or run the kernel on an OpenCL device or on the CPU");
}
