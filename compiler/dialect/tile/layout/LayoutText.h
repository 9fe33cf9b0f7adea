//===- LayoutText.h - layouts as people read them ---------------------------===//
//     [4, 8], register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0]]
//
// The sizes of the outputs come first: plain numbers for a tensor's dimensions (dim0, dim1, …), and
// `name: size` for others. Each input follows with the images of its bits, lowest first. They are
// lists of coordinates, or plain numbers if there is one output.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

namespace pumice::tile {

std::string print(const LinearLayout &layout);

/// Parses the output of print. Errors say what was expected, and at which character.
Result<LinearLayout> parseLayout(std::string_view text);

/// Draws a layout of at most two dimensions as a table of the holder of each element, row by row. A
/// holder is `lane:register`, with `subgroup/` before it if there are several subgroups. An
/// asterisk and a number give the count of copies.
Result<std::string> drawTable(const LinearLayout &layout);

} // namespace pumice::tile
