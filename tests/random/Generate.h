//===- Generate.h - a program for each seed ---------------------------------===//
#pragma once

#include "tests/random/Program.h"

namespace pumice::random_programs {

/// Every third seed has only 32-bit types, which every driver supports. Every fourth seed has
/// subgroup operations.
Program generate(uint64_t seed);

} // namespace pumice::random_programs
