//===- TileDialect.cpp - tensors that a workgroup holds in its registers ----===//
#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/plan/Distributed.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice::tile;

#include "compiler/dialect/tile/TileDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/tile/TileAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/tile/TileOps.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/tile/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/tile/TileOps.cpp.inc"
      >();
}

llvm::hash_code pumice::tile::hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.columns());
  for (const std::vector<Space> &spaces : {layout.inputs(), layout.outputs()})
    for (const Space &space : spaces)
      hash = llvm::hash_combine(hash, space.name, space.bits);
  return hash;
}

//===-------------------------------------------------------------------------===//
// The attribute
//===-------------------------------------------------------------------------===//

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<" << tile::print(getLayout()) << ">";
}

/// Parses a layout. LayoutText.h defines the text between the brackets.
Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  // An attribute is always written with its dialect, so its parser has this type.
  StringRef text = static_cast<DialectAsmParser &>(parser).getFullSymbolSpec();
  if (!text.consume_front(getMnemonic()) || !(text = text.trim()).consume_front("<") ||
      !text.consume_back(">"))
    return parser.emitError(parser.getNameLoc(), "a layout is written #tile.layout<…>"), nullptr;
  pumice::Result<LinearLayout> layout = parseLayout(std::string_view(text));
  if (!layout.isOk())
    return parser.emitError(parser.getNameLoc(), layout.status().message()), nullptr;
  return get(parser.getContext(), std::move(layout).value());
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (pumice::Status status = checkDistributed(getLayout()); !status.isOk())
    return emitError() << status.message();
  SmallVector<int64_t> sizes;
  for (const Space &space : getLayout().outputs())
    sizes.push_back(static_cast<int64_t>(space.size()));
  if (ArrayRef<int64_t>(sizes) != shape)
    return emitError() << "the layout is of a tensor of sizes [" << sizes << "], not "
                       << RankedTensorType::get(shape, elementType);
  return success();
}

//===-------------------------------------------------------------------------===//
// Types
//===-------------------------------------------------------------------------===//

bool pumice::tile::isDistributed(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<LayoutAttr>(tensor.getEncoding());
}

const LinearLayout &pumice::tile::layoutOf(Type type) {
  return cast<LayoutAttr>(cast<RankedTensorType>(type).getEncoding()).getLayout();
}

RankedTensorType pumice::tile::tensorOf(Type elementType, const LinearLayout &layout) {
  SmallVector<int64_t> shape;
  for (const Space &space : layout.outputs())
    shape.push_back(static_cast<int64_t>(space.size()));
  return RankedTensorType::get(shape, elementType,
                               LayoutAttr::get(elementType.getContext(), layout));
}

std::optional<ProductTypes> pumice::tile::productTypes(Type a, Type b, Type result) {
  auto componentOf = [](Type type) -> std::optional<target::ComponentType> {
    if (type.isF16())
      return target::ComponentType::f16;
    if (type.isF32())
      return target::ComponentType::f32;
    if (type.isF64())
      return target::ComponentType::f64;
    if (type.isBF16())
      return target::ComponentType::bf16;
    if (type.isInteger(8)) // signless factors are multiplied as signed ones
      return target::ComponentType::s8;
    if (type.isInteger(32))
      return target::ComponentType::s32;
    return std::nullopt;
  };
  auto ofA = componentOf(a), ofB = componentOf(b), ofResult = componentOf(result);
  if (!ofA || !ofB || !ofResult)
    return std::nullopt;
  return ProductTypes{*ofA, *ofB, *ofResult};
}

unsigned pumice::tile::storedBytes(Type elementType) {
  unsigned bits = elementType.isIndex() ? 64 : elementType.getIntOrFloatBitWidth();
  return static_cast<unsigned>(llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8)));
}
