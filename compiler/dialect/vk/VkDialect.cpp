//===- VkDialect.cpp - Vulkan target environments and kernel interfaces -----===//
#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::vk;

#include "compiler/dialect/vk/VkDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/vk/VkAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/vk/VkTypes.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/vk/VkOps.cpp.inc"

void VkDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/vk/VkAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/vk/VkTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/vk/VkOps.cpp.inc"
      >();
}

//===-------------------------------------------------------------------------===//
// Factors of products
//===-------------------------------------------------------------------------===//

Type FactorType::parse(AsmParser &parser) {
  SmallVector<int64_t> sizes;
  Type element;
  StringRef which;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(sizes, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() ||
      parser.parseOptionalKeyword(&which, {"a", "b"}) || parser.parseGreater() ||
      sizes.size() != 2) {
    parser.emitError(where,
                     "expected a factor such as !vk.factor<16x16xbf16, a>; b marks the second one");
    return {};
  }
  return get(parser.getContext(), sizes[0], sizes[1], element, which == "b");
}

void FactorType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getColumns() << 'x' << getElementType()
          << (getIsSecond() ? ", b>" : ", a>");
}

LogicalResult MultiplyFactorsOp::verify() {
  FactorType a = getA().getType(), b = getB().getType();
  auto sum = dyn_cast<gpu::MMAMatrixType>(getSum().getType());
  if (!sum || sum.getOperand() != "COp" || a.getIsSecond() || !b.getIsSecond() ||
      a.getColumns() != b.getRows() || sum.getShape()[0] != a.getRows() ||
      sum.getShape()[1] != b.getColumns())
    return emitOpError("expected a first factor of MxK, a second of KxN and a !gpu.mma_matrix of "
                       "MxN as the sum, got ")
           << a << ", " << b << " and " << getSum().getType();
  return success();
}
