//===- JitFunction.h - run expanded operations on this machine --------------===//
// For accuracy tests: the polyfill passes run on a module, the result goes through upstream's
// lowerings to LLVM and is compiled in process.
//===-------------------------------------------------------------------------===//
#pragma once

#include <memory>
#include <string>

namespace pumice::lower::testing {

/// GLSL's Fma may round twice: polyfills must hold their bounds either way.
enum class FmaKind { Fused, Unfused };

class JitModule {
public:
  /// `functions`: func.func operations. A failure is reported as a test failure.
  JitModule(const std::string &functions, FmaKind fma);
  ~JitModule();

  /// The compiled function, to be called with its own scalar types.
  template <typename Function> Function *get(const std::string &name) const {
    return reinterpret_cast<Function *>(address(name));
  }

private:
  void *address(const std::string &name) const;
  struct State;
  std::unique_ptr<State> state;
};

} // namespace pumice::lower::testing
