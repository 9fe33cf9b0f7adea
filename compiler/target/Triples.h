//===- Triples.h - environments by name -------------------------------------===//
// Implements `--target rdna3`. Triples.def is the table. A triple describes what devices of one
// kind support with their usual driver. It includes a feature only if every such device has it.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include <span>

namespace pumice::target {

/// One line of Triples.def, where the columns are explained.
struct TripleInfo {
  std::string_view name, description;
  Api api;
  uint32_t majorVersion, minorVersion, revision, spirvMinor; // the last one is OpenCL's
  std::string_view words;
};
std::span<const TripleInfo> allTriples();

/// Another name of a triple.
struct TripleAlias {
  std::string_view name, triple;
};
std::span<const TripleAlias> allAliases();

/// Returns "Vulkan 1.3" or "OpenCL 3.0".
std::string apiVersionOf(const TripleInfo &info);

/// Returns the environment of a named triple, such as "rdna3". For an LLVM-like triple such as
/// "rdna3-unknown-linux", the rest is ignored, but code for CPUs is not made for a system that the
/// triple lacks ("aarch64-windows"). The error for an unknown name lists similar names.
Result<TargetEnv> lookupTriple(std::string_view name);

} // namespace pumice::target
