//===- Terminal.h - writes to the terminal of the standard error ----------===//
#pragma once

#include <cstddef>
#include <string_view>

namespace pumice::terminal {

/// Returns whether the standard error is a terminal that understands control sequences, and this
/// process is not in its background.
bool isThere();

/// Returns the width of a line, or 80 if the terminal does not say.
size_t columns();

/// Writes to the standard error without a buffer. Drops text that cannot be written.
void write(std::string_view text);

} // namespace pumice::terminal
