//===- VectorCalls.cpp - OpenCL's vector loads, stores and shuffles ---------===//
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;

/// Returns the pointer moved by `index` steps of `bytes`.
static Value stepped(Call &c, unsigned index, unsigned pointer, uint64_t bytes) {
  Type i64 = c.b.getI64Type();
  Value count = c.resize(c.x[index], i64, /*isSigned=*/false);
  return c.op<arith::AddIOp>(c.x[pointer],
                             c.op<arith::MulIOp>(count, c.constant(i64, int64_t(bytes))));
}

/// Returns the number in a name: 3 of "vload3" and of "vloada_half3", or 1.
static unsigned lanesIn(StringRef name) {
  size_t at = name.find_first_of("0123456789");
  unsigned lanes = 1;
  if (at != StringRef::npos)
    name.drop_front(at).consumeInteger(10, lanes);
  return lanes;
}

static Value loadVector(Call &c) {
  uint64_t lanes = cast<VectorType>(c.result).getNumElements();
  uint64_t bytes = Build::bits(c.result) / 8;
  Value made = c.f.load(c.pointer(1), stepped(c, 0, 1, lanes * bytes), c.result, bytes);
  return made;
}

static Value storeVector(Call &c) {
  uint64_t lanes = cast<VectorType>(c.x[0].getType()).getNumElements();
  uint64_t bytes = Build::bits(c.x[0].getType()) / 8;
  c.f.store(c.pointer(2), stepped(c, 1, 2, lanes * bytes), c.x[0], bytes);
  return {};
}

/// Loads numbers of 16 bits as float. The "a" forms have vectors of 3 in the place of 4.
static Value loadHalves(Call &c) {
  unsigned lanes = lanesIn(c.name);
  unsigned stride = c.name.starts_with("vloada") && lanes == 3 ? 4 : lanes;
  Type halves = Build::with(c.result, c.b.getF16Type());
  Value narrow = c.f.load(c.pointer(1), stepped(c, 0, 1, 2 * stride), halves, 2);
  return narrow ? c.op<arith::ExtFOp>(c.result, narrow) : Value();
}

static Value storeHalves(Call &c) {
  unsigned lanes = lanesIn(c.name);
  unsigned stride = c.name.starts_with("vstorea") && lanes == 3 ? 4 : lanes;
  Type halves = Build::with(c.x[0].getType(), c.b.getF16Type());
  auto mode = c.name.ends_with("_rtz")   ? arith::RoundingMode::toward_zero
              : c.name.ends_with("_rtp") ? arith::RoundingMode::upward
              : c.name.ends_with("_rtn") ? arith::RoundingMode::downward
                                         : arith::RoundingMode::to_nearest_even;
  Value narrow = arith::TruncFOp::create(c.b, c.loc, halves, c.x[0],
                                         mode == arith::RoundingMode::to_nearest_even
                                             ? arith::RoundingModeAttr()
                                             : arith::RoundingModeAttr::get(c.b.getContext(), mode),
                                         arith::FastMathFlagsAttr());
  c.f.store(c.pointer(2), stepped(c, 1, 2, 2 * stride), narrow, 2);
  return {};
}

/// Moves elements to the places that a vector of indices names.
static Value shuffle(Call &c) {
  bool both = c.name == "shuffle2";
  Value mask = c.x[both ? 2 : 1];
  int64_t lanes = cast<VectorType>(c.x[0].getType()).getNumElements();
  Value source = c.x[0];
  if (both) {
    SmallVector<int64_t> all;
    for (int64_t i = 0; i < 2 * lanes; ++i)
      all.push_back(i);
    source = c.op<vector::ShuffleOp>(c.x[0], c.x[1], all);
    lanes *= 2;
  }
  SmallVector<Value> elements;
  for (int64_t i = 0; i < cast<VectorType>(mask.getType()).getNumElements(); ++i) {
    Value at = c.op<vector::ExtractOp>(mask, i);
    at = c.op<arith::AndIOp>(at, c.constant(at.getType(), lanes - 1)); // other bits are ignored
    Value index = c.op<arith::IndexCastUIOp>(c.b.getIndexType(), at);
    elements.push_back(c.op<vector::ExtractOp>(source, index));
  }
  return c.op<vector::FromElementsOp>(cast<VectorType>(c.result), elements);
}

Made llvm_import::translateVector(Call &c) {
  if (c.name.starts_with("vload_half") || c.name.starts_with("vloada_half"))
    return loadHalves(c);
  if (c.name.starts_with("vstore_half") || c.name.starts_with("vstorea_half"))
    return storeHalves(c);
  if (c.name.starts_with("vload") && isa_and_nonnull<VectorType>(c.result))
    return loadVector(c);
  if (c.name.starts_with("vstore") && isa<VectorType>(c.x[0].getType()))
    return storeVector(c);
  if (c.name == "shuffle" || c.name == "shuffle2")
    return shuffle(c);
  return std::nullopt;
}
