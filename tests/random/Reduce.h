//===- Reduce.h - a smaller program that shows the same ---------------------===//
#pragma once

#include "tests/random/Program.h"

#include <functional>

namespace pumice::random_programs {

/// Removes statements, and replaces constructs by their contents and expressions by operands or
/// constants, while `shows` returns true. Stops when nothing is left to try, or after `most` calls.
Program reduce(Program program, const std::function<bool(const Program &)> &shows,
               unsigned most = 3000);

} // namespace pumice::random_programs
