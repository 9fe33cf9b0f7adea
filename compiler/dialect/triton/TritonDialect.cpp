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
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/triton/TritonAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/triton/TritonTypes.cpp.inc"

void TritonDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/triton/TritonAttributes.cpp.inc"
      >();
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

//===-------------------------------------------------------------------------===//
// Text of types. All versions' forms are read, and the form of 3.6.0 is printed.
//===-------------------------------------------------------------------------===//

/// Parses `<f32>`, `<f32, 1>` or, from 3.9 on, `<f32, "constant">`.
Type PointerType::parse(AsmParser &parser) {
  SMLoc place = parser.getCurrentLocation();
  Type pointee;
  int32_t addressSpace = 1;
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    SMLoc word = parser.getCurrentLocation();
    std::string kind;
    if (succeeded(parser.parseOptionalString(&kind))) {
      if (kind != "constant" && kind != "global")
        return parser.emitError(word)
                   << "expected the address space \"constant\", \"global\" or a number, got \""
                   << kind << '"',
               Type();
    } else if (parser.parseInteger(addressSpace)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PointerType>(place, parser.getContext(), pointee, addressSpace);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << '<' << getPointee();
  if (getAddressSpace() != 1)
    printer << ", " << getAddressSpace();
  printer << '>';
}

/// Parses `<tensor<4x16xf32>>` or, from 3.8 on, `<4x16xf32>`. In TTGIR a comma and a layout may
/// follow.
Type TensorDescType::parse(AsmParser &parser) {
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  RankedTensorType block;
  SmallVector<int64_t> shape;
  SMLoc start = parser.getCurrentLocation();
  Type whole;
  OptionalParseResult type = parser.parseOptionalType(whole);
  if (type.has_value()) {
    block = dyn_cast_if_present<RankedTensorType>(whole);
    if (failed(*type))
      return {};
    if (!block)
      return parser.emitError(start) << "expected a tensor type, got " << whole, Type();
  } else {
    Type element;
    if (parser.parseDimensionList(shape) || parser.parseType(element))
      return {};
    if (!isNumber(element, /*maySign=*/true))
      return parser.emitError(start)
                 << "expected a block of numbers, got elements of type " << element,
             Type();
    block = RankedTensorType::get(shape, element);
    Attribute layout;
    if (succeeded(parser.parseOptionalComma())) {
      if (parser.parseAttribute(layout))
        return {};
      block = RankedTensorType::get(shape, element, layout); // the verifier rejects it
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TensorDescType>(place, parser.getContext(), block);
}

void TensorDescType::print(AsmPrinter &printer) const { printer << '<' << getBlock() << '>'; }

//===-------------------------------------------------------------------------===//
// Verifiers
//===-------------------------------------------------------------------------===//

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> error, Type pointee,
                                  int32_t addressSpace) {
  if (isa<RankedTensorType>(pointee))
    return error() << "a pointer to a block, " << pointee
                   << ", must be removed by Triton's pass rewrite_tensor_pointer: run it first";
  if (!isNumber(pointee) && !isa<PointerType>(pointee))
    return error()
           << "expected a pointer to integers of 1, 8, 16, 32 or 64 bits, to floats of 8 to "
              "64 bits, or to pointers, got "
           << pointee;
  if (addressSpace != 1)
    return error() << "expected a pointer into device memory (address space 1), got address space "
                   << addressSpace;
  return success();
}

LogicalResult TensorDescType::verify(function_ref<InFlightDiagnostic()> error,
                                     RankedTensorType block) {
  if (!block.hasStaticShape() || !isNumber(block.getElementType(), /*maySign=*/true))
    return error() << "expected a descriptor of blocks of numbers with a constant shape, got "
                   << block;
  if (block.getRank() < 1 || block.getRank() > 5)
    return error() << "expected a descriptor of blocks of 1 to 5 dimensions, got "
                   << block.getRank();
  if (block.getEncoding())
    return error() << "expected a descriptor without a layout, got " << block
                   << "; this is TTGIR: give Pumice the TTIR";
  return success();
}
