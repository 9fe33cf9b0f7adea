//===- Pieces.cpp - takes pieces apart and assembles them -------------------===//
#include "compiler/lower/vector/SplitVectors.h"

using namespace mlir;
using namespace pumice::lower;

bool pumice::lower::isShaderType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return !vector || (vector.getRank() == 1 && !vector.isScalable() && vector.getDimSize(0) >= 2 &&
                     vector.getDimSize(0) <= pieceWidth);
}

Type pumice::lower::pieceType(Type element, int64_t count) {
  return count == 1 ? element : VectorType::get({count}, element);
}

SmallVector<Type> pumice::lower::pieceTypes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return {type};
  SmallVector<Type> types;
  for (int64_t left = vector.getNumElements(); left > 0; left -= pieceWidth)
    types.push_back(pieceType(vector.getElementType(), std::min(left, pieceWidth)));
  return types;
}

/// Returns the place from which `element` was moved. Looks through this pass's own operations.
static Element origin(Element element) {
  while (Operation *op = element.source ? element.source.getDefiningOp() : nullptr) {
    bool isMove = isa<vector::FromElementsOp, vector::BroadcastOp, vector::ShuffleOp,
                      vector::InsertOp, vector::ExtractOp>(op);
    if (!isMove || !llvm::all_of(op->getOperandTypes(), isShaderType) ||
        !llvm::all_of(op->getResultTypes(), isShaderType))
      break;
    std::optional<SmallVector<SmallVector<Origin>>> origins = originsOf(op);
    if (!origins)
      break;
    Origin from = origins->front()[element.index];
    if (from.operand < 0)
      break;
    element = {op->getOperand(from.operand), from.element};
  }
  return element;
}

SmallVector<Element> pumice::lower::elementsOf(ValueRange pieces) {
  SmallVector<Element> elements;
  for (Value piece : pieces) {
    auto vector = dyn_cast<VectorType>(piece.getType());
    for (int64_t i = 0, end = vector ? vector.getNumElements() : 1; i < end; ++i)
      elements.push_back({piece, i});
  }
  return elements;
}

static Value scalar(OpBuilder &builder, Location loc, Element element) {
  if (!isa<VectorType>(element.source.getType()))
    return element.source;
  return vector::ExtractOp::create(builder, loc, element.source, element.index);
}

/// Returns the vector that consists of exactly these elements in order, or null if there is none.
static Value whole(VectorType type, ArrayRef<Element> elements) {
  Value source;
  for (auto [i, element] : llvm::enumerate(elements)) {
    if (!element.source)
      continue;
    if (element.source.getType() != type || element.index != static_cast<int64_t>(i) ||
        (source && source != element.source))
      return nullptr;
    source = element.source;
  }
  return source;
}

/// Returns an insertion if all elements but one are in the same places in an existing vector.
/// Otherwise returns null.
static Value insertion(OpBuilder &builder, Location loc, VectorType type,
                       ArrayRef<Element> elements) {
  for (size_t odd = 0; odd < elements.size(); ++odd) {
    SmallVector<Element> others(elements);
    others[odd] = Element();
    Value target = whole(type, others);
    if (target && elements[odd].source)
      return vector::InsertOp::create(builder, loc, scalar(builder, loc, elements[odd]), target,
                                      static_cast<int64_t>(odd));
  }
  return nullptr;
}

/// Returns a shuffle of at most two vectors. Returns null if the elements come from more vectors,
/// or from scalars.
static Value shuffle(OpBuilder &builder, Location loc, ArrayRef<Element> elements) {
  SmallVector<Value, 2> sources;
  for (const Element &element : elements)
    if (element.source && !llvm::is_contained(sources, element.source))
      sources.push_back(element.source);
  if (sources.size() > 2 ||
      !llvm::all_of(sources, [](Value source) { return isa<VectorType>(source.getType()); }))
    return nullptr;
  int64_t firstSize = cast<VectorType>(sources.front().getType()).getNumElements();
  SmallVector<int64_t> mask;
  for (const Element &element : elements) // any element will do for those without a source
    mask.push_back(
        !element.source ? 0 : element.index + (element.source == sources[0] ? 0 : firstSize));
  return vector::ShuffleOp::create(builder, loc, sources.front(), sources.back(), mask);
}

Value pumice::lower::gather(OpBuilder &builder, Location loc, Type type,
                            ArrayRef<Element> elements) {
  auto vector = dyn_cast<VectorType>(type);
  if (vector)
    if (Value value = whole(vector, elements))
      return value;
  SmallVector<Element> origins = llvm::map_to_vector(elements, origin);
  auto *known = llvm::find_if(origins, [](const Element &element) { return element.source; });
  if (known == origins.end())
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  if (!vector)
    return scalar(builder, loc, origins.front());
  if (Value value = whole(vector, origins))
    return value;
  bool isUniform = llvm::all_of(
      origins, [&](const Element &element) { return !element.source || element == *known; });
  if (isUniform)
    return vector::BroadcastOp::create(builder, loc, type, scalar(builder, loc, *known));
  if (Value value = shuffle(builder, loc, origins))
    return value;
  if (Value value = insertion(builder, loc, vector, origins))
    return value;
  SmallVector<Value> scalars = llvm::map_to_vector(origins, [&](const Element &element) {
    return scalar(builder, loc, element.source ? element : *known);
  });
  return vector::FromElementsOp::create(builder, loc, vector, scalars);
}

SmallVector<Value> pumice::lower::gatherPieces(OpBuilder &builder, Location loc, Type type,
                                               ArrayRef<Element> elements) {
  SmallVector<Value> pieces;
  for (Type piece : pieceTypes(type)) {
    auto vector = dyn_cast<VectorType>(piece);
    int64_t count = vector ? vector.getNumElements() : 1;
    pieces.push_back(gather(builder, loc, piece, elements.take_front(count)));
    elements = elements.drop_front(count);
  }
  return pieces;
}
