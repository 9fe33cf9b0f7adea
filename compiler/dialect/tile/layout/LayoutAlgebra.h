//===- LayoutAlgebra.h - products, quotients, compositions, inverses --------===//
// All functions return new layouts, and report operands that do not fit. Spaces are matched by
// name.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

namespace pumice::tile {

/// Maps each bit of `input` to the same bit of `output`.
Result<LinearLayout> identity(unsigned bits, std::string_view input, std::string_view output);
/// Maps every point of `input` to the only point of `output`, so that they are copies.
Result<LinearLayout> zeros(unsigned bits, std::string_view input, std::string_view output);
/// Maps point i of `input` to point i · 2^shift of `output`, which is just large enough.
Result<LinearLayout> strided(unsigned bits, unsigned shift, std::string_view input,
                             std::string_view output);

/// Combines both layouts. In spaces that both have, the bits of `low` come below those of `high`. A
/// blocked layout is a product of identities. The spaces of `low` come first, then the rest.
Result<LinearLayout> product(const LinearLayout &low, const LinearLayout &high);

/// Returns the layout whose product with `low` is `whole`. Errors: no such layout exists.
Result<LinearLayout> quotient(const LinearLayout &whole, const LinearLayout &low);

/// Applies first `inner`, then `outer`, whose inputs are the outputs of `inner` (in any order).
Result<LinearLayout> compose(const LinearLayout &outer, const LinearLayout &inner);

/// Returns the map from outputs to inputs. Errors: not invertible.
Result<LinearLayout> inverse(const LinearLayout &layout);

/// Returns a map from outputs to one of the inputs that hold them: compose(layout, result) is the
/// identity. Among copies, it prefers bits of earlier inputs, and lower bits within an input.
/// Errors: not surjective.
Result<LinearLayout> rightInverse(const LinearLayout &layout);

/// Returns the map C from the inputs of `to` to those of `from` with from ∘ C = to. C maps each
/// place of `to` to a place of `from` with the same element. If there are several, C prefers those
/// that agree with the place of `to` in the inputs `keep`. The last input of `keep` is the most
/// important. In other inputs C takes the lowest place. Errors: the outputs differ, or `from` lacks
/// elements.
Result<LinearLayout> invertAndCompose(const LinearLayout &from, const LinearLayout &to,
                                      std::span<const std::string_view> keep = {});

/// Keeps only these inputs and outputs, in this order. Errors: an unknown name.
Result<LinearLayout> sublayout(const LinearLayout &layout, std::span<const std::string_view> inputs,
                               std::span<const std::string_view> outputs);

/// Extends the input to `bits` bits. The new high bits map to zero, so they distinguish copies.
/// Adds the input last if it is missing. Errors: the input already has more bits.
Result<LinearLayout> padInput(const LinearLayout &layout, std::string_view input, unsigned bits);

/// Removes the bits of `which` from the input. The other bits move down.
Result<LinearLayout> dropInputBits(const LinearLayout &layout, std::string_view input,
                                   uint64_t which);

/// Returns, for each input, the bits that only distinguish copies. A bit is free if the bits before
/// it generate its image. These are the bits of earlier inputs, and the lower bits of its own
/// input. The bits that are not free hold every element once.
std::vector<uint64_t> freeBits(const LinearLayout &layout);

/// Returns the number n of lowest bits of `input` that count along the output one by one, for any
/// value of the other bits. For registers, this means: from each multiple of 2^n on, 2^n registers
/// of a lane hold neighbours in order.
unsigned contiguousBits(const LinearLayout &layout, std::string_view input,
                        std::string_view output);

} // namespace pumice::tile
