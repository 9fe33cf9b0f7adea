//===- Progress.h - which stage a compilation has reached -------------------===//
// Whoever starts a compilation may listen on its thread; the stages of the compiler say their names
// without knowing who does. Names are for people, and may change.
//===-------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace mlir {
class PassManager;
}

namespace pumice {

/// Hears the names of the stages that compilations on this thread reach, while it lives.
class ProgressListener {
public:
  ProgressListener() : outer(current()) { current() = this; }
  virtual ~ProgressListener() { current() = outer; }
  ProgressListener(const ProgressListener &) = delete;
  ProgressListener &operator=(const ProgressListener &) = delete;

  virtual void reached(llvm::StringRef stage) = 0;

  /// The listener of this thread; null if there is none.
  static ProgressListener *&current();

private:
  ProgressListener *outer;
};

/// Tells this thread's listener, if there is one.
void reachStage(llvm::StringRef stage);

/// Tells it "STAGE: PASS" before each pass.
void reachPassesOf(mlir::PassManager &pm, llvm::StringRef stage);

} // namespace pumice
