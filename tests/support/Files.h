//===- Files.h - whole files, with errors that name them --------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pumice::tests {

/// "-" is stdin.
Result<std::vector<uint8_t>> readFile(const std::string &name);

/// A SPIR-V file: whole words.
Result<std::vector<uint32_t>> readWords(const std::string &name);

Status writeFile(const std::string &name, const void *bytes, size_t size);

} // namespace pumice::tests
