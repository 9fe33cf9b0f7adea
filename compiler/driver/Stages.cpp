//===- Stages.cpp - the text of a kernel at stages of its lowering ----------===//
#include "compiler/driver/Stages.h"

#include "mlir/IR/Operation.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace pumice;

namespace {

/// A stage is the code before or after one pass. Each of these passes runs once.
struct Stage {
  const char *name, *before, *after;
};
constexpr Stage stages[] = {{"tiles", "pumice-prefetch-loads", ""},
                            {"loops", "pumice-distribute-tiles", ""},
                            {"lanes", "pumice-fix-index-width", ""},
                            {"gpu", "pumice-convert-to-spirv", ""},
                            {"spirv", "", "pumice-finalize-spirv"}};

class Watch final : public PassInstrumentation {
public:
  explicit Watch(TakeStage take) : take(std::move(take)) {}

  void runBeforePass(Pass *pass, Operation *op) override { see(&Stage::before, pass, op); }
  void runAfterPass(Pass *pass, Operation *op) override { see(&Stage::after, pass, op); }

private:
  void see(const char *Stage::*when, Pass *pass, Operation *op) {
    for (const Stage &stage : stages) {
      if (pass->getArgument() != stage.*when || pass->getArgument().empty())
        continue;
      std::string text;
      llvm::raw_string_ostream out(text);
      out << *op << "\n";
      take(stage.name, text);
    }
  }

  TakeStage take;
};

} // namespace

void pumice::watchStages(PassManager &pm, const TakeStage &take) {
  pm.addInstrumentation(std::make_unique<Watch>(take));
}
