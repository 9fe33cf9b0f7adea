//===- Verification.h - how often MLIR's verifier runs ----------------------===//
#pragma once

namespace pumice {

/// MLIR's verifier takes as long as half of the passes together: where assertions are on it runs
/// after each of them (pumice-opt's tests of each pass have it in any build), else after the last
/// of a list.
#ifdef NDEBUG
inline constexpr bool verifiesEachPass = false;
#else
inline constexpr bool verifiesEachPass = true;
#endif

} // namespace pumice
