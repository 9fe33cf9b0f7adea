//===- ProductFragments.h - products of matrices by cooperative matrices ----===//
// A target lists the shapes that its subgroups multiply at once, and, where a probe has measured
// it, which lane holds which element of such a result. That is a layout like any other; a product's
// result is a grid of it, dealt out to the registers and subgroups of a workgroup.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"
#include "compiler/target/TargetEnv.h"

#include <optional>
#include <span>

namespace pumice::tile {

/// result (rows×columns) += a (rows×depth) · b (depth×columns).
struct ProductShape {
  uint64_t rows = 0, columns = 0, depth = 0;
};

/// What a subgroup multiplies at once, and where it keeps the result.
struct ProductFragment {
  ProductShape shape;
  LinearLayout result;
  target::FragmentMap map; // that says so
};

struct ProductTypes {
  target::ComponentType a, b, result;
};

/// Of the target's shapes for such factors whose results were measured, on subgroups of so many
/// lanes, the one that does most at once and divides the product; none if there is none.
std::optional<ProductFragment> productFragment(const target::TargetEnv &env,
                                               const ProductTypes &types,
                                               const ProductShape &product, uint64_t lanes);

/// The product's result as fragments: each subgroup has a part that is as square as can be, or, of
/// `wholeRows`, as many rows as there are for it, from end to end.
Result<LinearLayout> fragmentedLayout(const ProductFragment &fragment, const ProductShape &product,
                                      uint64_t subgroups, bool wholeRows = false);

/// The fragments of `layout`, in place of elements: inputs are the numbers of a subgroup's fragment
/// (registers) and of the subgroup, outputs count fragments. Errors: it is no such layout.
Result<LinearLayout> fragmentsOf(const LinearLayout &layout, const ProductFragment &fragment);

} // namespace pumice::tile
