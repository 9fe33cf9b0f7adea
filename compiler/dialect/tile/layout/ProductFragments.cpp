//===- ProductFragments.cpp - products of matrices by cooperative matrices --===//
#include "compiler/dialect/tile/layout/ProductFragments.h"

#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/layout/MeasuredLayout.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"

#include <algorithm>
#include <bit>

using namespace pumice;
using namespace pumice::tile;

static bool divides(const target::CooperativeMatrixShape &shape, const ProductShape &product) {
  return product.rows % shape.m == 0 && product.columns % shape.n == 0 &&
         product.depth % shape.k == 0;
}

/// Returns whether memory can hold elements of a factor of this type individually, as bits.
static bool canStore(const target::TargetEnv &env, target::ComponentType type) {
  switch (type) {
  case target::ComponentType::bf16:
    return env.has(target::Feature::shaderInt16);
  case target::ComponentType::s8:
    return env.has(target::Feature::shaderInt8);
  default:
    return true;
  }
}

/// Returns the measured map of a result with this shape and type.
static const target::FragmentMap *measuredMap(const target::TargetEnv &env,
                                              const target::CooperativeMatrixShape &shape) {
  for (const target::FragmentMap &map : env.fragmentMaps)
    if (map.use == target::MatrixUse::Accumulator && map.rows == shape.m &&
        map.columns == shape.n && map.type == shape.result && map.scope == shape.scope)
      return &map;
  return nullptr;
}

std::optional<ProductFragment> pumice::tile::productFragment(const target::TargetEnv &env,
                                                             const ProductTypes &types,
                                                             const ProductShape &product,
                                                             uint64_t lanes) {
  std::optional<ProductFragment> best;
  uint64_t most = 0;
  for (const target::CooperativeMatrixShape &shape : env.cooperativeMatrices) {
    uint64_t work = uint64_t(shape.m) * shape.n * shape.k;
    if (shape.scope != target::MatrixScope::Subgroup || shape.saturating || shape.a != types.a ||
        shape.b != types.b || shape.c != types.result || shape.result != types.result ||
        !canStore(env, types.a) || !divides(shape, product) || work <= most)
      continue;
    const target::FragmentMap *map = measuredMap(env, shape);
    if (!map)
      continue;
    Result<LinearLayout> result = measuredLayout(*map);
    if (!result.isOk() || uint64_t(1) << result->input(laneSpace).bits != lanes ||
        !result->isInvertible())
      continue;
    best = ProductFragment{{shape.m, shape.n, shape.k}, *result, *map};
    most = work;
  }
  return best;
}

Result<LinearLayout> pumice::tile::fragmentedLayout(const ProductFragment &fragment,
                                                    const ProductShape &product, uint64_t subgroups,
                                                    bool wholeRows) {
  uint64_t rows = product.rows / fragment.shape.rows,
           columns = product.columns / fragment.shape.columns;
  Blocking grid{{rows, columns}, {1, 1}, {1, 1}, {1, 0}};
  for (; subgroups > 1; subgroups /= 2) {
    auto height = grid.perLane[0] * fragment.shape.rows,
         width = grid.perLane[1] * fragment.shape.columns;
    bool cutsRows = wholeRows || height >= width || grid.perLane[1] == 1;
    size_t longer = grid.perLane[0] > 1 && cutsRows ? 0 : 1;
    grid.subgroups[longer] *= 2; // these hold copies if they are beyond the last fragment
    grid.perLane[longer] = std::max<uint64_t>(grid.perLane[longer] / 2, 1);
  }
  PUMICE_TRY(LinearLayout fragments, blocked(std::vector<uint64_t>{rows, columns}, grid));
  PUMICE_TRY(LinearLayout result, tile::product(fragment.result, fragments));
  // The most registers that a lane of a GPU can have without a loop, as a power of two.
  constexpr unsigned mostRegisterBits = 8;
  if (result.input(registerSpace).bits > mostRegisterBits)
    return Status(StatusCode::Unsupported, print(result) + " has too many registers in a lane");
  return result;
}

Result<LinearLayout> pumice::tile::fragmentsOf(const LinearLayout &layout,
                                               const ProductFragment &fragment) {
  PUMICE_TRY(LinearLayout fragments, quotient(layout, fragment.result));
  if (fragments.input(laneSpace).bits)
    return Status(StatusCode::Unsupported,
                  print(layout) + " has lanes beyond those of its fragments");
  return fragments;
}
