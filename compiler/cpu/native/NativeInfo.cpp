//===- NativeInfo.cpp - information that a native kernel exports ------------===//
#include "compiler/cpu/native/NativeInfo.h"
#include "executable/NativeCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

#include <cctype>

using namespace pumice;
using namespace pumice::cpu;
using pumice::executable::NativeAddress;
using pumice::executable::NativeBinding;
using pumice::executable::NativeKernelInfo;
using pumice::executable::NativePrintf;

static Result<mlir::LLVM::LLVMFuncOp> findKernel(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::LLVM::LLVMFuncOp> kernels;
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (function->hasAttr("lane.kernel"))
      kernels.push_back(function);
  if (kernels.size() == 1)
    return kernels.front();
  if (kernels.empty())
    return Status(StatusCode::InvalidArgument,
                  "native code needs one kernel, but no llvm.func has lane.kernel");
  std::string names;
  for (mlir::LLVM::LLVMFuncOp kernel : kernels)
    names += (names.empty() ? "" : ", ") + kernel.getSymName().str();
  return Status(StatusCode::InvalidArgument, "native code needs one kernel, but there are " +
                                                 std::to_string(kernels.size()) + " (" + names +
                                                 "): name one (pumice compile --kernel)");
}

static llvm::Constant *arrayOf(llvm::LLVMContext &context, llvm::ArrayRef<int32_t> numbers) {
  return llvm::ConstantDataArray::get(
      context, llvm::ArrayRef(reinterpret_cast<const uint32_t *>(numbers.data()), numbers.size()));
}

static llvm::Constant *textIn(llvm::Module &code, llvm::StringRef text) {
  llvm::Constant *bytes = llvm::ConstantDataArray::getString(code.getContext(), text);
  return new llvm::GlobalVariable(code, bytes->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, bytes, "printf");
}

/// Makes the NativePrintfs from `lane.printf_formats`. The types are "i32", "i64", "f32" and "f64".
static llvm::Constant *printfTable(llvm::Module &code, mlir::ArrayAttr formats) {
  auto *pointer = llvm::PointerType::get(code.getContext(), 0);
  if (!formats)
    return llvm::ConstantPointerNull::get(pointer);
  llvm::SmallVector<llvm::Constant *> rows;
  for (auto format : formats.getAsRange<mlir::DictionaryAttr>()) {
    std::string types;
    for (auto type : format.getAs<mlir::ArrayAttr>("types").getAsRange<mlir::StringAttr>()) {
      char kind = type.getValue().front();
      types += type.getValue().ends_with("64") ? static_cast<char>(std::toupper(kind)) : kind;
    }
    rows.push_back(llvm::ConstantStruct::getAnon(
        {textIn(code, format.getAs<mlir::StringAttr>("format").getValue()), textIn(code, types)}));
  }
  llvm::Constant *table =
      llvm::ConstantArray::get(llvm::ArrayType::get(rows[0]->getType(), rows.size()), rows);
  return new llvm::GlobalVariable(code, table->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, table, "printfs");
}

/// Adds constant data to the module. Without data, returns null.
static llvm::Constant *dataIn(llvm::Module &code, llvm::Constant *data, uint64_t count,
                              const char *name) {
  if (count == 0)
    return llvm::ConstantPointerNull::get(llvm::PointerType::get(code.getContext(), 0));
  return new llvm::GlobalVariable(code, data->getType(), /*isConstant=*/true,
                                  llvm::GlobalValue::PrivateLinkage, data, name);
}

/// Adds the fields of the program's variables, from `programBytes` on.
static void addProgram(mlir::LLVM::LLVMFuncOp kernel, llvm::Module &code, uint64_t bytes,
                       llvm::SmallVectorImpl<llvm::Constant *> &fields) {
  auto image = kernel->getAttrOfType<mlir::DenseI8ArrayAttr>("lane.program_image");
  auto addresses = kernel->getAttrOfType<mlir::DenseI64ArrayAttr>("lane.program_addresses");
  llvm::ArrayRef<int8_t> data = image ? image.asArrayRef() : llvm::ArrayRef<int8_t>();
  llvm::ArrayRef<int64_t> pairs = addresses ? addresses.asArrayRef() : llvm::ArrayRef<int64_t>();
  llvm::LLVMContext &context = code.getContext();
  auto wide = [&](uint64_t value) {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value);
  };
  auto *imageData = llvm::ConstantDataArray::get(
      context, llvm::ArrayRef(reinterpret_cast<const uint8_t *>(data.data()), data.size()));
  auto *pairData = llvm::ConstantDataArray::get(
      context, llvm::ArrayRef(reinterpret_cast<const uint64_t *>(pairs.data()), pairs.size()));
  fields.append({wide(bytes), dataIn(code, imageData, data.size(), "program"), wide(data.size()),
                 dataIn(code, pairData, pairs.size(), "program_addresses"),
                 wide(pairs.size() / 2)});
}

Status cpu::addNativeInfo(mlir::ModuleOp module, llvm::StringRef processor, llvm::Module &code) {
  PUMICE_TRY(mlir::LLVM::LLVMFuncOp kernel, findKernel(module));
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
  // The fields are in order, without padding.
  static_assert(
      sizeof(NativeBinding) == 12 && offsetof(NativeKernelInfo, workgroupSize) == 8 &&
      offsetof(NativeKernelInfo, bindingCount) == 20 &&
      offsetof(NativeKernelInfo, workgroupMemoryBytes) == 24 &&
      offsetof(NativeKernelInfo, bindings) == 48 && offsetof(NativeKernelInfo, run) == 56 &&
      offsetof(NativeKernelInfo, printfs) == 64 && offsetof(NativeKernelInfo, printfCount) == 72 &&
      sizeof(NativePrintf) == 16 && offsetof(NativeKernelInfo, programBytes) == 80 &&
      offsetof(NativeKernelInfo, programImage) == 88 &&
      offsetof(NativeKernelInfo, programImageBytes) == 96 &&
      offsetof(NativeKernelInfo, programAddresses) == 104 &&
      offsetof(NativeKernelInfo, programAddressCount) == 112 && sizeof(NativeAddress) == 16 &&
      offsetof(NativeKernelInfo, groupPlace) == 120);
  auto formats = kernel->getAttrOfType<mlir::ArrayAttr>("lane.printf_formats");
  uint64_t program = number("lane.program_bytes");
  llvm::SmallVector<llvm::Constant *> fields(
      {word(executable::nativeCodeVersion), word(number("lane.subgroup_size")),
       arrayOf(context, size), word(bindings.size() / 3), wide(number("lane.shared_bytes")),
       wide(number("lane.scratch_bytes")), wide(number("lane.push_constant_bytes")), table,
       code.getFunction(kernel.getName()), printfTable(code, formats),
       wide(formats ? formats.size() : 0)});
  addProgram(kernel, code, program, fields);
  fields.push_back(wide(kernel->hasAttr("lane.group_place") ? number("lane.group_place")
                                                            : executable::noGroupPlace));
  llvm::Constant *value = llvm::ConstantStruct::getAnon(fields);
  new llvm::GlobalVariable(code, value->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, value, executable::nativeInfoSymbol);
  llvm::Constant *text = llvm::ConstantDataArray::getString(context, processor);
  new llvm::GlobalVariable(code, text->getType(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage, text,
                           executable::nativeProcessorSymbol);
  return Status::ok();
}
