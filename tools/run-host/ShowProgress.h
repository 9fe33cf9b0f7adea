//===- ShowProgress.h - a compilation's stages, for those who wait ----------===//
#pragma once

#include "compiler/passes/Progress.h"
#include "support/CompileProgress.h"

namespace pumice::run {

/// Shows what the compiler does on this thread while it lives, if `progress::show` was called.
class ShowProgress final : public ProgressListener {
public:
  explicit ShowProgress(llvm::StringRef name) : compilation(name, "reading the source") {}

  void reached(llvm::StringRef stage) override { progress::Compilation::reach(stage); }

private:
  progress::Compilation compilation;
};

} // namespace pumice::run
