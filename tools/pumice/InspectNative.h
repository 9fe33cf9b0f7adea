//===- InspectNative.h - pumice inspect: native code as text ----------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pumice::tools {

/// What a native variant's shared object says of itself: its processor's instructions, its symbols
/// with their sizes, and its functions disassembled; of bytes that are none, a line that says why.
/// Lines but instructions begin with ';'.
std::string nativeCodeText(const std::vector<uint8_t> &code);

} // namespace pumice::tools
