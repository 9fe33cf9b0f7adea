//===- MslProgram.h - MSL compiled for the host -----------------------------===//
#pragma once

#include "tests/metal/host/Interpreter.h"
#include "tests/metal/host/MslText.h"

#include <memory>

namespace pumice::msl {

/// One kernel of a text of MSL, compiled by clang and loaded.
class Program {
public:
  /// Compiles the kernel. PUMICE_MSL_CLANG names the compiler (clang++-22), and PUMICE_MSL_CACHE a
  /// folder that keeps what is compiled. Errors: those of `prepare`; InvalidArgument with the
  /// compiler's messages.
  static Result<std::shared_ptr<Program>> compile(const std::string &msl, const std::string &kernel,
                                                  const Constants &constants = {});
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  Result<Counts> run(std::span<void *const> buffers, const Grid &grid) const {
    return msl::run(*kernel, needsFibres, buffers, grid);
  }

private:
  Program() = default;
  void *library = nullptr;
  const shim::Kernel *kernel = nullptr;
  bool needsFibres = false;
};

} // namespace pumice::msl
