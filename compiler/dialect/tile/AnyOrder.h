//===- AnyOrder.h - maps that take any elements together --------------------===//
#pragma once

namespace pumice::tile {

/// Attribute of a tile.map, and of the tt.map_elementwise that it comes from. Any elements may
/// share a pack, provided that all operands and results group the same ones.
inline constexpr char anyOrderAttrName[] = "pumice.any_order";

} // namespace pumice::tile
