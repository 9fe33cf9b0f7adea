//===- InspectNative.h - pumice inspect: native code as text ----------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pumice::tools {

/// Describes a native variant's shared object: its processor's instructions, its symbols with their
/// sizes, and its functions disassembled. For bytes that are not a shared object, the text is one
/// line with the reason. Lines other than instructions begin with ';'.
std::string nativeCodeText(const std::vector<uint8_t> &code);

} // namespace pumice::tools
