//===- ShowProgress.h - shows the stages of a compilation -------------------===//
#pragma once

#include "compiler/passes/Progress.h"
#include "support/CompileProgress.h"

namespace pumice::run {

/// While it lives, shows the compiler's stages on this thread, if `progress::show` was called.
class ShowProgress final : public ProgressListener {
public:
  explicit ShowProgress(llvm::StringRef name) : compilation(name, "reading the source") {}

  void reached(llvm::StringRef stage) override { progress::Compilation::reach(stage); }

private:
  progress::Compilation compilation;
};

} // namespace pumice::run
