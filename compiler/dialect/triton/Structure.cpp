//===- Structure.cpp - functions, calls and the grid ------------------------===//
#include "compiler/dialect/triton/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace pumice::triton;

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Structure.cpp.inc"

void TritonDialect::addStructureOperations() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/triton/Structure.cpp.inc"
      >();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto build = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                  function_interface_impl::VariadicFlag,
                  std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), build,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

static bool isKernelValue(Type type) {
  Type scalar = scalarOf(type);
  return isa<PointerType, TensorDescType, FloatType>(scalar) || scalar.isSignlessInteger();
}

LogicalResult FuncOp::verify() {
  for (Type type : llvm::concat<const Type>(getArgumentTypes(), getResultTypes()))
    if (!isKernelValue(type))
      return emitOpError("expected numbers, pointers, tensors or descriptors as arguments and "
                         "results of '")
             << getName() << "', got " << type;
  if (!isPublic())
    return success();
  if (isExternal())
    return emitOpError("expected a body of the kernel '") << getName() << "', got none";
  if (getNumResults() != 0)
    return emitOpError("expected no results of the kernel '")
           << getName() << "', got " << getResultTypes()[0] << "; store it through a pointer";
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("expected a tt.func '") << getCallee() << "' in the module, got none";
  if (callee.getArgumentTypes() != getArguments().getTypes() ||
      callee.getResultTypes() != getResultTypes())
    return emitOpError("expected a call of '")
           << getCallee() << "' with its type " << callee.getFunctionType() << ", got "
           << FunctionType::get(getContext(), getArguments().getTypes(), getResultTypes());
  return success();
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  if (getValues().getTypes() != function.getResultTypes())
    return emitOpError("expected ")
           << function.getNumResults() << " values for '" << function.getName() << "' of type "
           << function.getFunctionType() << ", got " << getValues().size() << " of types "
           << getValues().getTypes();
  return success();
}
