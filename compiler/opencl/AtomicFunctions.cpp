//===- AtomicFunctions.cpp - OpenCL C's atomics as instructions of LLVM -----===//
//   before: %old = call i32 @_Z10atomic_incPU3AS1Vi(ptr addrspace(1) %p)
//   after:  %old = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") monotonic
//===-------------------------------------------------------------------------===//
#include "compiler/opencl/AtomicFunctions.h"

#include "compiler/opencl/BuiltInName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <optional>

using namespace pumice;

namespace {

/// An atomic function: what it does, and whether its integers have signs.
struct AtomicFunction {
  llvm::StringRef operation; // inc, dec, min, max or xchg
  bool isSigned = false;
  bool isRelaxed = false;
};

/// Reads a mangled name, such as _Z10atomic_maxPU3AS1Vjj. The integer's letter ends the pointer.
std::optional<AtomicFunction> parse(llvm::StringRef name) {
  std::optional<opencl::BuiltInName> parsed = opencl::BuiltInName::parse(name);
  if (!parsed)
    return std::nullopt;
  auto [base, parameters] = *parsed;
  AtomicFunction function;
  // OpenCL 1's functions are relaxed. C11's are sequentially consistent, or have operands for that.
  function.isRelaxed = !base.contains("fetch");
  if (!base.consume_front("atomic_fetch_") && !base.consume_front("atomic_") &&
      !base.consume_front("atom_"))
    return std::nullopt;
  base.consume_back("_explicit");
  if (base != "inc" && base != "dec" && base != "min" && base != "max" && base != "xchg")
    return std::nullopt;
  if (!parameters.consume_front("P"))
    return std::nullopt;
  if (parameters.consume_front("U3AS"))
    parameters = parameters.drop_front();
  parameters.consume_front("V");
  parameters.consume_front("U7_Atomic");
  char letter = parameters.empty() ? '\0' : parameters.front();
  bool isFloat = base == "xchg" && (letter == 'f' || letter == 'd');
  if (letter != 'i' && letter != 'j' && letter != 'l' && letter != 'm' && !isFloat)
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
      .Case("xchg", Instruction::Xchg)
      .Case("min", function.isSigned ? Instruction::Min : Instruction::UMin)
      .Default(function.isSigned ? Instruction::Max : Instruction::UMax);
}

} // namespace

/// Exchanges by comparison. The pointer's own memory is used, since Intel's runtime links no
/// exchanges in generic memory.
static void exchange(llvm::CallInst &call, bool isRelaxed) {
  using Ordering = llvm::AtomicOrdering;
  llvm::IRBuilder<> b(&call);
  llvm::Value *pointer = call.getArgOperand(0), *place = call.getArgOperand(1);
  llvm::Value *wanted = call.getArgOperand(2);
  while (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer))
    pointer = cast->getPointerOperand();
  llvm::Value *expected = b.CreateLoad(wanted->getType(), place);
  Ordering order = isRelaxed ? Ordering::Monotonic : Ordering::SequentiallyConsistent;
  llvm::Value *made =
      b.CreateAtomicCmpXchg(pointer, expected, wanted, llvm::MaybeAlign(), order, order,
                            call.getContext().getOrInsertSyncScopeID("device"));
  b.CreateStore(b.CreateExtractValue(made, 0), place);
  call.replaceAllUsesWith(b.CreateZExtOrTrunc(b.CreateExtractValue(made, 1), call.getType()));
  call.eraseFromParent();
}

/// Returns whether a constant argument of a call is this number.
static bool isNumber(const llvm::CallInst &call, unsigned argument, uint64_t number) {
  auto *constant = argument < call.arg_size()
                       ? llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(argument))
                       : nullptr;
  return constant && constant->getZExtValue() == number;
}

/// Replaces exchanges by comparison of integers. Weak ones, which the backend rejects, become
/// strong. Those among several devices remain functions.
static void expandExchanges(llvm::Module &module) {
  for (llvm::Function &callee : llvm::make_early_inc_range(module)) {
    std::optional<opencl::BuiltInName> name =
        callee.isDeclaration() ? opencl::BuiltInName::parse(callee.getName()) : std::nullopt;
    if (!name || (!name->base.consume_front("atomic_compare_exchange_weak") &&
                  !name->base.consume_front("atomic_compare_exchange_strong")))
      continue;
    constexpr uint64_t relaxed = 0, allDevices = 3; // of memory_order and memory_scope
    for (llvm::User *user : llvm::make_early_inc_range(callee.users()))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(user);
          call && call->getCalledFunction() == &callee && call->arg_size() >= 3 &&
          call->getArgOperand(2)->getType()->isIntegerTy() && call->getType()->isIntegerTy() &&
          !isNumber(*call, 5, allDevices))
        exchange(*call, isNumber(*call, 3, relaxed));
    if (callee.use_empty()) {
      callee.eraseFromParent();
      continue;
    }
    std::string strong = opencl::BuiltInName::join(
        "atomic_compare_exchange_strong" + name->base.str(), name->parameters);
    if (llvm::Function *known = module.getFunction(strong); known && known != &callee) {
      callee.replaceAllUsesWith(known);
      callee.eraseFromParent();
    } else {
      callee.setName(strong);
    }
  }
}

void opencl::expandAtomicFunctions(llvm::Module &module) {
  expandExchanges(module);
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
