//===- Reduce.h - a smaller program that shows the same -----------------------------===//
#pragma once

#include "tests/random/Program.h"

#include <functional>

namespace pumice::random_programs {

/// Takes statements out, replaces constructs by what is in them and expressions by their operands
/// or constants, as long as `shows` says yes; to the end, or so many questions.
Program reduce(Program program, const std::function<bool(const Program &)> &shows,
               unsigned most = 3000);

} // namespace pumice::random_programs
