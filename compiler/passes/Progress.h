//===- Progress.h - reports which stage a compilation has reached -----------===//
// Code that starts a compilation may listen on its own thread. The stages of the compiler report
// their names without knowing the listener. The names are meant for people, and may change.
//===-------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace mlir {
class PassManager;
}

namespace pumice {

/// While an object of this class exists, it receives the names of the stages that compilations on
/// this thread reach.
class ProgressListener {
public:
  ProgressListener() : outer(current()) { current() = this; }
  virtual ~ProgressListener() { current() = outer; }
  ProgressListener(const ProgressListener &) = delete;
  ProgressListener &operator=(const ProgressListener &) = delete;

  virtual void reached(llvm::StringRef stage) = 0;

  /// Returns the listener of this thread, or null.
  static ProgressListener *&current();

private:
  ProgressListener *outer;
};

/// Reports a stage to this thread's listener, if there is one.
void reachStage(llvm::StringRef stage);

/// Reports "STAGE: PASS" before each pass.
void reachPassesOf(mlir::PassManager &pm, llvm::StringRef stage);

} // namespace pumice
