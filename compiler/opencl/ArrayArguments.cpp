//===- ArrayArguments.cpp - arrays as arguments of OpenCL C's functions -----===//
//   before: call void @_Z7vstore4Dv4_fmPU3AS3f(<4 x float> %x, i64 0, ptr addrspace(3) @array)
//   after:  %a = getelementptr i8, ptr addrspace(3) @array, i64 16
//           %b = getelementptr i8, ptr addrspace(3) %a, i64 -16
//           call void @_Z7vstore4Dv4_fmPU3AS3f(<4 x float> %x, i64 0, ptr addrspace(3) %b)
// The backend folds arithmetic that adds zero.
//===-------------------------------------------------------------------------===//
#include "compiler/opencl/ArrayArguments.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace pumice;

/// Returns whether a pointer leads to a variable that is an array.
static bool isArray(const llvm::Value *pointer) {
  if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer))
    return variable->getValueType()->isArrayTy();
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(pointer);
  return variable && variable->getAllocatedType()->isArrayTy();
}

/// Returns whether a call is one of OpenCL C's functions. The formats of printf have a repair of
/// their own.
static bool isBuiltIn(const llvm::CallInst &call) {
  const llvm::Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && !callee->isIntrinsic() &&
         callee->getName().starts_with("_Z");
}

void opencl::separateArrayArguments(llvm::Module &module) {
  llvm::SmallVector<llvm::Use *> arguments;
  for (llvm::Function &function : module)
    for (llvm::Instruction &op : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&op); call && isBuiltIn(*call))
        for (llvm::Use &argument : call->args())
          if (isArray(argument.get()))
            arguments.push_back(&argument);
  llvm::Type *byte = llvm::Type::getInt8Ty(module.getContext());
  llvm::Type *i64 = llvm::Type::getInt64Ty(module.getContext());
  auto moved = [&](llvm::Value *pointer, int64_t bytes, llvm::Instruction *before) {
    return llvm::GetElementPtrInst::Create(byte, pointer, llvm::ConstantInt::getSigned(i64, bytes),
                                           "", before->getIterator());
  };
  constexpr int64_t anyDistance = 16; // keeps the alignment
  for (llvm::Use *argument : arguments) {
    auto *call = llvm::cast<llvm::Instruction>(argument->getUser());
    argument->set(moved(moved(argument->get(), anyDistance, call), -anyDistance, call));
  }
}
