//===- Triples.h - environments by name -------------------------------------===//
// Implements `--target rdna3`. The table is Triples.def. A triple describes what a kind of device
// supports with its usual driver, and claims a feature only if every such device has it.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include <span>

namespace pumice::target {

/// One line of Triples.def, which explains the columns.
struct TripleInfo {
  std::string_view name, description;
  uint32_t minorVersion, revision;
  std::string_view words;
};
std::span<const TripleInfo> allTriples();

/// Returns the environment of a named triple: "rdna3". It ignores the rest of an LLVM-like triple:
/// "rdna3-unknown-linux". The error lists similar names.
Result<TargetEnv> lookupTriple(std::string_view name);

} // namespace pumice::target
