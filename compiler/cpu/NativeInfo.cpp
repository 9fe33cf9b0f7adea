//===- NativeInfo.cpp - what a native kernel says of itself -----------------===//
#include "compiler/cpu/NativeInfo.h"
#include "executable/NativeCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

using namespace pumice;
using namespace pumice::cpu;
using pumice::executable::NativeBinding;
using pumice::executable::NativeKernelInfo;

static mlir::LLVM::LLVMFuncOp findKernel(mlir::ModuleOp module) {
  mlir::LLVM::LLVMFuncOp kernel;
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (function->hasAttr("lane.kernel"))
      kernel = kernel ? mlir::LLVM::LLVMFuncOp() : function;
  return kernel;
}

static llvm::Constant *arrayOf(llvm::LLVMContext &context, llvm::ArrayRef<int32_t> numbers) {
  return llvm::ConstantDataArray::get(
      context, llvm::ArrayRef(reinterpret_cast<const uint32_t *>(numbers.data()), numbers.size()));
}

Status cpu::addNativeInfo(mlir::ModuleOp module, llvm::Module &code) {
  mlir::LLVM::LLVMFuncOp kernel = findKernel(module);
  if (!kernel)
    return Status(
        StatusCode::InvalidArgument,
        "native code is made of one kernel: there must be one llvm.func with lane.kernel");
  auto number = [&](llvm::StringRef name) -> uint64_t {
    auto attribute = kernel->getAttrOfType<mlir::IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  auto numbers = [&](llvm::StringRef name) {
    auto attribute = kernel->getAttrOfType<mlir::DenseI32ArrayAttr>(name);
    return attribute ? attribute.asArrayRef() : llvm::ArrayRef<int32_t>();
  };
  llvm::LLVMContext &context = code.getContext();
  llvm::Type *i32 = llvm::Type::getInt32Ty(context), *i64 = llvm::Type::getInt64Ty(context);
  auto word = [&](uint64_t value) { return llvm::ConstantInt::get(i32, value); };
  auto wide = [&](uint64_t value) { return llvm::ConstantInt::get(i64, value); };

  llvm::ArrayRef<int32_t> bindings = numbers("lane.bindings");
  llvm::Constant *table = llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  if (!bindings.empty()) {
    llvm::Constant *rows = arrayOf(context, bindings);
    table = new llvm::GlobalVariable(code, rows->getType(), /*isConstant=*/true,
                                     llvm::GlobalValue::PrivateLinkage, rows, "bindings");
  }
  llvm::SmallVector<int32_t, 3> size(numbers("lane.workgroup_size"));
  size.resize(3, 1);
  // The fields in their order; no padding lies between them.
  static_assert(sizeof(NativeBinding) == 12 && offsetof(NativeKernelInfo, workgroupSize) == 8 &&
                offsetof(NativeKernelInfo, bindingCount) == 20 &&
                offsetof(NativeKernelInfo, workgroupMemoryBytes) == 24 &&
                offsetof(NativeKernelInfo, bindings) == 48 &&
                offsetof(NativeKernelInfo, run) == 56);
  llvm::Constant *value = llvm::ConstantStruct::getAnon(
      {word(executable::nativeCodeVersion), word(number("lane.subgroup_size")),
       arrayOf(context, size), word(bindings.size() / 3), wide(number("lane.shared_bytes")),
       wide(number("lane.scratch_bytes")), wide(number("lane.push_constant_bytes")), table,
       code.getFunction(kernel.getName())});
  new llvm::GlobalVariable(code, value->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, value, executable::nativeInfoSymbol);
  return Status::ok();
}
