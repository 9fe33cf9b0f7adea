//===- ProductFragments.h - products of matrices by cooperative matrices ----===//
// A target lists the shapes that its subgroups multiply at once. If a probe has measured it, the
// target also lists which lane holds which element of the result. That map is a layout like any
// other. A product's result is a grid of such fragments, distributed over the registers and
// subgroups of a workgroup.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"
#include "compiler/target/TargetEnv.h"

#include <optional>
#include <span>

namespace pumice::tile {

/// The shape of result (rows×columns) += a (rows×depth) · b (depth×columns).
struct ProductShape {
  uint64_t rows = 0, columns = 0, depth = 0;
};

/// The product that a subgroup computes at once, and the place of its result.
struct ProductFragment {
  ProductShape shape;
  LinearLayout result;
  target::FragmentMap map; // the measured map of the result
};

struct ProductTypes {
  target::ComponentType a, b, result;
};

/// Returns the best of the target's shapes for factors of these types, on subgroups of this many
/// lanes. Candidates are shapes with measured results that divide the product. The best one has the
/// most multiplications. Returns nothing if there are no candidates.
std::optional<ProductFragment> productFragment(const target::TargetEnv &env,
                                               const ProductTypes &types,
                                               const ProductShape &product, uint64_t lanes);

/// Returns the layout of the product's result as fragments. Each subgroup has a part that is as
/// square as possible. With `wholeRows`, it has whole rows of fragments if there are enough for all
/// subgroups.
Result<LinearLayout> fragmentedLayout(const ProductFragment &fragment, const ProductShape &product,
                                      uint64_t subgroups, bool wholeRows = false);

/// Returns the layout of the fragments of `layout`, as if each fragment were an element. The inputs
/// are the number of a fragment in its subgroup (registers) and the number of the subgroup. The
/// outputs count fragments. Errors: `layout` does not consist of such fragments.
Result<LinearLayout> fragmentsOf(const LinearLayout &layout, const ProductFragment &fragment);

} // namespace pumice::tile
