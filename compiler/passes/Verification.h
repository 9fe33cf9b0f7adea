//===- Verification.h - how often MLIR's verifier runs ----------------------===//
#pragma once

namespace pumice {

/// MLIR's verifier takes as long as half of all passes together. With assertions enabled it runs
/// after each pass, and otherwise only after the last of a list. The tests of each pass with
/// pumice-opt verify in any build.
#ifdef NDEBUG
inline constexpr bool verifiesEachPass = false;
#else
inline constexpr bool verifiesEachPass = true;
#endif

} // namespace pumice
