//===- RunCpp.h - pumice run PROGRAM.cpp ------------------------------------===//
#pragma once

#include "tools/arguments/Arguments.h"

namespace pumice::tools {

/// Returns whether this is the name of a C++ source.
bool isCppSource(const std::string &path);

/// Compiles a C++ program together with the kernels that it includes, and runs it. Returns its exit
/// status, or 2 if it cannot be compiled. Errors: InvalidArgument for wrong usage.
Result<int> runCpp(const Arguments &arguments);

} // namespace pumice::tools
