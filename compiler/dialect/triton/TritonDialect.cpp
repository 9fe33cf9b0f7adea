//===- TritonDialect.cpp - the tt dialect and its types ---------------------===//
#include "compiler/dialect/triton/TritonDialect.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::triton;

#include "compiler/dialect/triton/TritonDialect.cpp.inc"
#include "compiler/dialect/triton/TritonEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/triton/TritonTypes.cpp.inc"

void TritonDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/triton/TritonTypes.cpp.inc"
      >();
  addDebugOperations();
  addDescriptorOperations();
  addElementwiseOperations();
  addMemoryOperations();
  addProductOperations();
  addReductionOperations();
  addShapeOperations();
  addStructureOperations();
}

bool pumice::triton::isNumber(Type type, bool maySign) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth()) &&
           (maySign || integer.isSignless());
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType, Float16Type,
             BFloat16Type, Float32Type, Float64Type>(type);
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> error, Type pointee,
                                  int32_t addressSpace) {
  if (isa<RankedTensorType>(pointee))
    return error() << "a pointer to a block, " << pointee
                   << ", is what Triton's pass rewrite_tensor_pointer takes away: run it first";
  if (!isNumber(pointee) && !isa<PointerType>(pointee))
    return error() << "a pointer to " << pointee << "; there are pointers to integers of 1, 8, 16, "
                   << "32 and 64 bits, floats of 8 to 64 bits, and pointers";
  if (addressSpace != 1)
    return error() << "a pointer into address space " << addressSpace
                   << "; kernels have memory of the device only, which is 1";
  return success();
}

LogicalResult TensorDescType::verify(function_ref<InFlightDiagnostic()> error,
                                     RankedTensorType block) {
  if (!block.hasStaticShape() || !isNumber(block.getElementType(), /*maySign=*/true))
    return error() << "a descriptor of blocks " << block
                   << "; a block has a constant shape, and numbers";
  if (block.getRank() < 1 || block.getRank() > 5)
    return error() << "a descriptor of blocks of " << block.getRank()
                   << " dimensions; there are 1 to 5";
  if (block.getEncoding())
    return error() << "a descriptor with a layout, " << block
                   << ": that is TTGIR; give Pumice the TTIR";
  return success();
}
