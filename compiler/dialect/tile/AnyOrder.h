//===- AnyOrder.h - maps that may pack any elements together ----------------===//
#pragma once

namespace pumice::tile {

/// Attribute of a tile.map, and of the tt.map_elementwise from which it comes. Any elements may
/// share a pack, provided that all operands and results group the same elements.
inline constexpr char anyOrderAttrName[] = "pumice.any_order";

} // namespace pumice::tile
