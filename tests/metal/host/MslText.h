//===- MslText.h - prepares MSL for a C++ compiler --------------------------===//
// MSL is C++ with attributes, address spaces and some names. The shim's headers give most of it.
// The text is changed where headers are not enough:
//   - SPIRV-Cross's array class has a function for each address space; the shim has its own class;
//   - variables in threadgroup memory become static variables;
//   - function constants become numbers;
//   - loops, barriers and operations of SIMD groups say where they are in the text;
//   - a function is added that takes the arguments of the kernel from the interpreter.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pumice::msl {

/// The values of function constants by id, as texts of C++.
using Constants = std::map<uint32_t, std::string>;

struct Prepared {
  std::string text;
  bool needsFibres = false; // whether there are barriers or operations of SIMD groups
};

/// Returns the names of the kernels in the text.
std::vector<std::string> kernelNames(const std::string &msl);

/// Returns the text for a C++ compiler. Errors: NotFound if there is no such kernel; Unsupported
/// for parameters of other kinds than buffers and positions.
Result<Prepared> prepare(const std::string &msl, const std::string &kernel,
                         const Constants &constants);

} // namespace pumice::msl
