//===- Verification.h - how often MLIR's verifier runs ----------------------===//
#pragma once

namespace pumice {

/// MLIR's verifier takes up to half as long as all passes together. If assertions are enabled, it
/// runs after each pass, and otherwise only after the last pass of a list. Tests of single passes
/// with pumice-opt verify in any build.
#ifdef NDEBUG
inline constexpr bool verifiesEachPass = false;
#else
inline constexpr bool verifiesEachPass = true;
#endif

} // namespace pumice
