//===- Terminal.h - writes to the terminal of the standard error ------------===//
#pragma once

#include <cstddef>
#include <string_view>

namespace pumice::terminal {

/// Returns whether standard error is a terminal that understands control sequences, and this
/// process is not in the terminal's background.
bool isThere();

/// Returns the number of columns in a line, or 80 if the terminal does not tell.
size_t columns();

/// Writes to standard error without buffering. Drops text that cannot be written.
void write(std::string_view text);

} // namespace pumice::terminal
