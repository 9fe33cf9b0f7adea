//===- GroupFunctions.cpp - OpenCL C's barriers and copies of groups --------===//
//   before: call void @_Z9mem_fencej(i32 1)
//   after:  call void @_Z21__spirv_MemoryBarrierjj(i32 2, i32 264)
//===-------------------------------------------------------------------------===//
#include "compiler/opencl/GroupFunctions.h"

#include "compiler/opencl/BuiltInName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace pumice;
using opencl::BuiltInName;

namespace {

// Numbers of SPIR-V's specification.
enum Scope : uint32_t { CrossDevice = 0, Device = 1, Workgroup = 2, Subgroup = 3, Invocation = 4 };
enum Semantics : uint32_t {
  Acquire = 0x2,
  Release = 0x4,
  AcquireRelease = 0x8,
  SequentiallyConsistent = 0x10,
  WorkgroupMemory = 0x100,
  CrossWorkgroupMemory = 0x200
};

/// Replaces one call.
struct Replacement {
  explicit Replacement(llvm::CallInst &call) : call(call), b(&call) {}

  llvm::CallInst &call;
  llvm::IRBuilder<> b;

  llvm::Value *number(uint32_t value) { return b.getInt32(value); }

  /// Calls a function that the backend knows.
  llvm::Value *made(llvm::StringRef base, llvm::StringRef parameters,
                    llvm::ArrayRef<llvm::Value *> operands) {
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *operand : operands)
      types.push_back(operand->getType());
    auto *type = llvm::FunctionType::get(call.getType(), types, /*isVarArg=*/false);
    llvm::FunctionCallee callee =
        call.getModule()->getOrInsertFunction(BuiltInName::join(base, parameters), type);
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    function->setConvergent();
    function->setDoesNotThrow();
    llvm::CallInst *result = b.CreateCall(callee, operands);
    result->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    result->setConvergent();
    return result;
  }

  std::optional<uint32_t> constant(unsigned argument) const {
    if (argument >= call.arg_size())
      return std::nullopt;
    auto *value = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(argument));
    return value ? std::optional<uint32_t>(value->getZExtValue()) : std::nullopt;
  }

  /// Returns the memory that the flags of a fence name. Flags known only at run time mean all.
  uint32_t memory() const {
    constexpr uint32_t local = 1, global = 2, images = 4;
    uint32_t flags = constant(0).value_or(local | global);
    return ((flags & local) ? WorkgroupMemory : 0) |
           ((flags & (global | images)) ? CrossWorkgroupMemory : 0);
  }

  /// Returns the scope that an argument names as a `memory_scope`.
  std::optional<uint32_t> scope(unsigned argument) const {
    constexpr uint32_t scopes[] = {Invocation, Workgroup, Device, CrossDevice, Subgroup};
    std::optional<uint32_t> named = constant(argument);
    return named && *named < std::size(scopes) ? std::optional(scopes[*named]) : std::nullopt;
  }

  llvm::Value *fence(uint32_t order) {
    return made("__spirv_MemoryBarrier", "jj", {number(Workgroup), number(order | memory())});
  }

  llvm::Value *barrier(uint32_t execution) {
    std::optional<uint32_t> reach = call.arg_size() > 1 ? scope(1) : execution;
    return reach ? made("__spirv_ControlBarrier", "jjj",
                        {number(execution), number(*reach),
                         number(SequentiallyConsistent | memory())})
                 : nullptr;
  }

  /// Copies with a stride of 64 bits. The backend's own one has 32 bits, and drivers reject it.
  llvm::Value *copy(llvm::StringRef parameters, bool hasStride) {
    if (call.arg_size() != (hasStride ? 5u : 4u) ||
        !call.getArgOperand(2)->getType()->isIntegerTy())
      return nullptr;
    auto argument = [&](unsigned i) { return call.getArgOperand(i); };
    llvm::Value *count = b.CreateZExtOrTrunc(argument(2), b.getInt64Ty());
    llvm::Value *stride =
        hasStride ? b.CreateZExtOrTrunc(argument(3), b.getInt64Ty()) : b.getInt64(1);
    if (!parameters.consume_back(hasStride ? "mm9ocl_event" : "m9ocl_event"))
      return nullptr;
    return made(
        "__spirv_GroupAsyncCopy", "j" + parameters.str() + "mm9ocl_event",
        {number(Workgroup), argument(0), argument(1), count, stride, argument(hasStride ? 4 : 3)});
  }

  /// Tests the highest bits of integers.
  llvm::Value *signs(bool all) {
    llvm::Value *x = call.arg_size() == 1 ? call.getArgOperand(0) : nullptr;
    if (!x || !x->getType()->isIntOrIntVectorTy() || !call.getType()->isIntegerTy())
      return nullptr;
    if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType())) {
      llvm::Value *joined = b.CreateExtractElement(x, uint64_t(0));
      for (unsigned i = 1; i < vector->getNumElements(); ++i) {
        llvm::Value *element = b.CreateExtractElement(x, i);
        joined = all ? b.CreateAnd(joined, element) : b.CreateOr(joined, element);
      }
      x = joined;
    }
    return b.CreateZExt(b.CreateICmpSLT(x, llvm::Constant::getNullValue(x->getType())),
                        call.getType());
  }

  /// Casts a generic pointer to one memory, or to null if it leads to another.
  llvm::Value *cast(llvm::StringRef memory, uint32_t storage) {
    return made(("__spirv_GenericCastToPtrExplicit_To" + memory).str(), "PU3AS4vi",
                {call.getArgOperand(0), number(storage)});
  }
};

/// Returns what replaces a call, or null if it remains.
llvm::Value *replacementOf(llvm::CallInst &call, llvm::StringRef mangled) {
  Replacement made(call);
  if (mangled.starts_with("__to_") && call.arg_size() == 1) {
    constexpr uint32_t workgroup = 4, crossWorkgroup = 5, function = 7; // storage classes
    return mangled == "__to_global"    ? made.cast("Global", crossWorkgroup)
           : mangled == "__to_local"   ? made.cast("Local", workgroup)
           : mangled == "__to_private" ? made.cast("Private", function)
                                       : nullptr;
  }
  std::optional<BuiltInName> name = BuiltInName::parse(mangled);
  if (!name)
    return nullptr;
  llvm::StringRef base = name->base;
  if (base == "any" || base == "all")
    return made.signs(base == "all");
  if (base == "mem_fence")
    return made.fence(AcquireRelease);
  if (base == "read_mem_fence")
    return made.fence(Acquire);
  if (base == "write_mem_fence")
    return made.fence(Release);
  if (base == "work_group_barrier" && call.arg_size() == 2)
    return made.barrier(Workgroup);
  if (base == "sub_group_barrier")
    return made.barrier(Subgroup);
  if (base == "async_work_group_copy" || base == "async_work_group_strided_copy")
    return made.copy(name->parameters, base.contains("strided"));
  return nullptr;
}

} // namespace

void opencl::expandGroupFunctions(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> callees;
  for (llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      callees.push_back(&function);
  for (llvm::Function *callee : callees) {
    for (llvm::User *user : llvm::make_early_inc_range(callee->users())) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call || call->getCalledFunction() != callee)
        continue;
      llvm::Value *made = replacementOf(*call, callee->getName());
      if (!made)
        continue;
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(made);
      call->eraseFromParent();
    }
    if (callee->use_empty())
      callee->eraseFromParent();
  }
}
