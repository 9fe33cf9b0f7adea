//===- JitFunction.h - runs expanded operations on this machine -------------===//
// Accuracy tests use this. It runs the polyfill passes on a module, converts the result to LLVM
// with upstream's lowerings, and compiles it in process.
//===-------------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <string>

namespace pumice::lower::testing {

/// The kinds of fma. GLSL's Fma may round twice, so polyfills must keep their error bounds with
/// both.
enum class FmaKind { Fused, Unfused };

/// Says whether divisions of 64-bit integers are expanded as well.
enum class LongDivisions { Native, Expanded };

class JitModule {
public:
  /// Compiles `functions`, which are func.func operations. A failure fails the test.
  JitModule(const std::string &functions, FmaKind fma,
            LongDivisions divisions = LongDivisions::Native);
  ~JitModule();

  /// Returns the compiled function. Its parameters and result are the scalar types of the function.
  template <typename Function> Function *get(const std::string &name) const {
    return reinterpret_cast<Function *>(address(name));
  }

private:
  void *address(const std::string &name) const;
  struct State;
  std::unique_ptr<State> state;
};

} // namespace pumice::lower::testing
