//===- LayoutText.h - layouts as people read them ---------------------------===//
//     [4, 8], register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0]]
//
// First the sizes of the outputs: plain numbers for a tensor's dimensions (dim0, dim1, …), `name:
// size` for others. Then each input with the images of its bits, lowest first: lists of
// coordinates, or plain numbers where there is one output.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

namespace pumice::tile {

std::string print(const LinearLayout &layout);

/// What print writes. Errors say what was expected, and at which character.
Result<LinearLayout> parseLayout(std::string_view text);

/// A layout of at most two dimensions as a table, row by row, of who holds each element:
/// `lane:register`, with `subgroup/` before it where there are several; copies of it are counted
/// behind an asterisk.
Result<std::string> drawTable(const LinearLayout &layout);

} // namespace pumice::tile
