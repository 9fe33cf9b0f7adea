//===- LayoutAlgebra.h - products, quotients, compositions, inverses --------===//
// All of them make new layouts and report what does not fit; spaces are matched by name.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

namespace pumice::tile {

/// The bits of `input`, one for one, are those of `output`.
Result<LinearLayout> identity(unsigned bits, std::string_view input, std::string_view output);
/// Every point of `input` holds point 0 of `output`, which has one point: copies.
Result<LinearLayout> zeros(unsigned bits, std::string_view input, std::string_view output);
/// Point i of `input` holds point i · 2^shift of `output`, which is just as large as that needs.
Result<LinearLayout> strided(unsigned bits, unsigned shift, std::string_view input,
                             std::string_view output);

/// Both side by side: in spaces that both have, the bits of `low` come below those of `high`. A
/// blocked layout is a product of identities. Order of spaces: those of `low`, then the rest.
Result<LinearLayout> product(const LinearLayout &low, const LinearLayout &high);

/// The layout whose product with `low` is `whole`. Errors: there is none.
Result<LinearLayout> quotient(const LinearLayout &whole, const LinearLayout &low);

/// First `inner`, then `outer`, whose inputs are the outputs of `inner` (in any order).
Result<LinearLayout> compose(const LinearLayout &outer, const LinearLayout &inner);

/// From outputs back to inputs. Errors: not invertible.
Result<LinearLayout> inverse(const LinearLayout &layout);

/// Returns a map from outputs to one of the inputs that hold them: compose(layout, result) is the
/// identity. Among copies, it prefers bits of earlier inputs, and lower bits within an input.
/// Errors: not surjective.
Result<LinearLayout> rightInverse(const LinearLayout &layout);

/// Returns the map C from the inputs of `to` to those of `from` with from ∘ C = to: it tells each
/// place of `to` where to find its element. If several places hold it, C prefers those that agree
/// with its own place in the inputs `keep`, of which the last named is most important. In the other
/// inputs it takes the lowest. Errors: the outputs differ, or `from` lacks elements.
Result<LinearLayout> invertAndCompose(const LinearLayout &from, const LinearLayout &to,
                                      std::span<const std::string_view> keep = {});

/// Only these inputs and outputs, in this order. Errors: a name that is not there.
Result<LinearLayout> sublayout(const LinearLayout &layout, std::span<const std::string_view> inputs,
                               std::span<const std::string_view> outputs);

/// The input with as many zeros above its bits as it takes to have `bits`: further copies. An input
/// that is not there comes last. Errors: it has more.
Result<LinearLayout> padInput(const LinearLayout &layout, std::string_view input, unsigned bits);

/// The input without the bits that `which` names; the other bits move down.
Result<LinearLayout> dropInputBits(const LinearLayout &layout, std::string_view input,
                                   uint64_t which);

/// Returns for each input the bits that only distinguish copies. A bit is free if the bits before
/// it (those of earlier inputs, and lower ones) generate its image. The other bits together hold
/// every element once.
std::vector<uint64_t> freeBits(const LinearLayout &layout);

/// Returns the number n of lowest bits of `input` that count along the output one by one, whatever
/// the other bits are. From each multiple of 2^n on, 2^n registers of a lane hold neighbours, in
/// their order.
unsigned contiguousBits(const LinearLayout &layout, std::string_view input,
                        std::string_view output);

} // namespace pumice::tile
