//===- AtomicFunctions.cpp - OpenCL C's atomics as instructions of LLVM -----===//
//   before: %old = call i32 @_Z10atomic_incPU3AS1Vi(ptr addrspace(1) %p)
//   after:  %old = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
//===-------------------------------------------------------------------------===//
#include "compiler/opencl/AtomicFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <optional>

using namespace pumice;

namespace {

/// An atomic function: what it does, and whether its integers have signs.
struct AtomicFunction {
  llvm::StringRef operation; // inc, dec, min or max
  bool isSigned = false;
  bool isRelaxed = false;
};

/// Reads a mangled name, such as _Z10atomic_maxPU3AS1Vjj. The integer's letter ends the pointer.
std::optional<AtomicFunction> parse(llvm::StringRef name) {
  if (!name.consume_front("_Z"))
    return std::nullopt;
  unsigned length = 0;
  if (name.consumeInteger(10, length) || name.size() < length)
    return std::nullopt;
  llvm::StringRef base = name.take_front(length), parameters = name.drop_front(length);
  AtomicFunction function;
  // OpenCL 1's functions are relaxed. C11's are sequentially consistent, or have operands for that.
  function.isRelaxed = !base.contains("fetch");
  if (!base.consume_front("atomic_fetch_") && !base.consume_front("atomic_") &&
      !base.consume_front("atom_"))
    return std::nullopt;
  base.consume_back("_explicit");
  if (base != "inc" && base != "dec" && base != "min" && base != "max")
    return std::nullopt;
  if (!parameters.consume_front("P"))
    return std::nullopt;
  if (parameters.consume_front("U3AS"))
    parameters = parameters.drop_front();
  parameters.consume_front("V");
  parameters.consume_front("U7_Atomic");
  char letter = parameters.empty() ? '\0' : parameters.front();
  if (letter != 'i' && letter != 'j' && letter != 'l' && letter != 'm')
    return std::nullopt;
  function.operation = base;
  function.isSigned = letter == 'i' || letter == 'l';
  return function;
}

llvm::AtomicRMWInst::BinOp operationOf(const AtomicFunction &function) {
  using Instruction = llvm::AtomicRMWInst;
  return llvm::StringSwitch<Instruction::BinOp>(function.operation)
      .Case("inc", Instruction::Add)
      .Case("dec", Instruction::Sub)
      .Case("min", function.isSigned ? Instruction::Min : Instruction::UMin)
      .Default(function.isSigned ? Instruction::Max : Instruction::UMax);
}

} // namespace

void opencl::expandAtomicFunctions(llvm::Module &module) {
  for (llvm::Function &callee : llvm::make_early_inc_range(module)) {
    std::optional<AtomicFunction> function =
        callee.isDeclaration() ? parse(callee.getName()) : std::nullopt;
    if (!function)
      continue;
    for (llvm::User *user : llvm::make_early_inc_range(callee.users())) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != &callee)
        continue;
      llvm::IRBuilder<> b(call);
      bool isStep = function->operation == "inc" || function->operation == "dec";
      llvm::Value *value =
          isStep ? llvm::ConstantInt::get(call->getType(), 1) : call->getArgOperand(1);
      llvm::Value *made = b.CreateAtomicRMW(
          operationOf(*function), call->getArgOperand(0), value, llvm::MaybeAlign(),
          function->isRelaxed ? llvm::AtomicOrdering::Monotonic
                              : llvm::AtomicOrdering::SequentiallyConsistent,
          module.getContext().getOrInsertSyncScopeID("device"));
      call->replaceAllUsesWith(made);
      call->eraseFromParent();
    }
    if (callee.use_empty())
      callee.eraseFromParent();
  }
}
