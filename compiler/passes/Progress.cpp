//===- Progress.cpp - which stage a compilation has reached -----------------===//
#include "compiler/passes/Progress.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace pumice;

namespace {

class TellPasses final : public PassInstrumentation {
public:
  explicit TellPasses(StringRef stage) : stage(stage) {}

  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty()) // adaptors for nested passes have no argument
      reachStage((stage + ": " + pass->getArgument()).str());
  }

private:
  std::string stage;
};

} // namespace

ProgressListener *&ProgressListener::current() {
  static thread_local ProgressListener *listener = nullptr;
  return listener;
}

void pumice::reachStage(StringRef stage) {
  if (ProgressListener *listener = ProgressListener::current())
    listener->reached(stage);
}

void pumice::reachPassesOf(PassManager &pm, StringRef stage) {
  if (ProgressListener::current())
    pm.addInstrumentation(std::make_unique<TellPasses>(stage));
}
