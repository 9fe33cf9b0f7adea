//===- JitFunction.h - runs expanded operations on this machine -------------===//
// Accuracy tests use this. The polyfill passes run on a module, upstream's lowerings convert the
// result to LLVM, and it is compiled in process.
//===-------------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <string>

namespace pumice::lower::testing {

/// GLSL's Fma may round twice, so polyfills must hold their bounds in both cases.
enum class FmaKind { Fused, Unfused };

class JitModule {
public:
  /// `functions` are func.func operations. A failure is reported as a test failure.
  JitModule(const std::string &functions, FmaKind fma);
  ~JitModule();

  /// Returns the compiled function, to be called with its own scalar types.
  template <typename Function> Function *get(const std::string &name) const {
    return reinterpret_cast<Function *>(address(name));
  }

private:
  void *address(const std::string &name) const;
  struct State;
  std::unique_ptr<State> state;
};

} // namespace pumice::lower::testing
