//===- MangledCalls.cpp - calls of OpenCL C's functions ---------------------===//
#include "compiler/opencl/MangledCalls.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace pumice;

/// Returns the letters of a scalar type, by the Itanium ABI.
static std::string letters(Type type, opencl::Sign sign) {
  bool isSigned = sign == opencl::Sign::Signed;
  if (type.isF16())
    return "Dh";
  if (type.isF32())
    return "f";
  if (type.isF64())
    return "d";
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return "b";
  case 8:
    return isSigned ? "c" : "h";
  case 16:
    return isSigned ? "s" : "t";
  case 64:
    return isSigned ? "l" : "m";
  default:
    return isSigned ? "i" : "j";
  }
}

std::string opencl::mangled(StringRef function, TypeRange parameters, Sign sign) {
  std::string name = ("_Z" + Twine(function.size()) + function).str();
  Type seen;
  for (Type type : parameters) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      name += letters(type, sign);
    else if (seen == type)
      name += "S_";
    else
      name += "Dv" + std::to_string(vector.getNumElements()) + "_" +
              letters(vector.getElementType(), sign);
    if (vector)
      seen = type;
  }
  return parameters.empty() ? name + "v" : name;
}

Value opencl::callOpenCl(OpBuilder &b, Location loc, Operation *module, StringRef function,
                         Type result, ValueRange operands, Sign sign) {
  return callMangled(b, loc, module, mangled(function, operands.getTypes(), sign), result,
                     operands);
}

Value opencl::callMangled(OpBuilder &b, Location loc, Operation *module, StringRef name,
                          Type result, ValueRange operands) {
  auto callee = dyn_cast_or_null<LLVM::LLVMFuncOp>(SymbolTable::lookupSymbolIn(module, name));
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&module->getRegion(0).front());
    auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(operands.getTypes()));
    callee = LLVM::LLVMFuncOp::create(b, loc, name, type);
    callee.setCConv(LLVM::CConv::SPIR_FUNC);
    callee.setConvergent(true);
    callee.setNoUnwind(true);
    callee.setWillReturn(true);
  }
  auto call = LLVM::CallOp::create(b, loc, callee, operands);
  call.setCConv(LLVM::CConv::SPIR_FUNC);
  call.setConvergent(true);
  call.setNoUnwind(true);
  call.setWillReturn(true);
  return call.getNumResults() ? call.getResult() : Value();
}
