//===- AnyOrder.h - maps that take any elements together ----------------------===//
#pragma once

namespace pumice::tile {

/// Of a tile.map, and of the tt.map_elementwise that it comes from: which elements share a pack
/// does not matter, as long as they are the same of all operands and results.
inline constexpr char anyOrderAttrName[] = "pumice.any_order";

} // namespace pumice::tile
