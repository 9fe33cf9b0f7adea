//===- PassText.cpp - the IR after one pass of the pipeline -----------------===//
#include "tools/pumice/PassText.h"

#include "support/NearestName.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseSet.h"

using namespace pumice;
using namespace pumice::tools;

Status tools::checkPass(const std::string &pass, const std::vector<std::string> &passes) {
  if (std::find(passes.begin(), passes.end(), pass) != passes.end())
    return Status::ok();
  std::vector<std::string_view> names(passes.begin(), passes.end());
  std::string_view near = nearestName(pass, names);
  for (std::string_view name : names)
    if (pass.size() >= 3 && name.find(pass) != std::string_view::npos)
      near = name;
  std::string meant = near.empty() ? "; " : "; did you mean '" + std::string(near) + "'? ";
  return Status(StatusCode::NotFound,
                "no pass '" + pass + "' runs on this input" + meant + "--emit passes names all");
}

namespace {

/// Lets passes run until the last run of the pass called `name`. A nested pipeline runs all its
/// passes on one module before it starts on the next. So passes that already ran on one module
/// still run on the others.
class StopAfterPass {
public:
  StopAfterPass(const std::string &name, unsigned count) : name(name), left(count) {}

  /// Prepares for another pass manager, whose passes may reuse the addresses of earlier passes.
  void startPipeline() { started.clear(); }

  void execute(llvm::function_ref<void()> run, const mlir::Pass &pass) {
    bool first = !started.contains(&pass);
    if (first && stopped)
      return;
    started.insert(&pass);
    bool wanted = first && pass.getArgument() == name;
    run();
    if (wanted)
      stopped = --left == 0;
  }

private:
  const std::string &name;
  unsigned left; // passes of this name that have not run
  bool stopped = false;
  llvm::DenseSet<const mlir::Pass *> started;
};

} // namespace

mlir::LogicalResult tools::printAfterPass(mlir::ModuleOp module, const target::TargetEnv &target,
                                          CompileOptions options, const std::string &pass,
                                          const std::vector<std::string> &passes,
                                          llvm::raw_ostream &out) {
  StopAfterPass stop(pass, std::count(passes.begin(), passes.end(), pass));
  bool printed = false;
  auto wanted = [&](mlir::Pass *ran, mlir::Operation *) {
    bool print = ran->getArgument() == pass;
    if (print && !printed)
      out << "// target " << target.name << "\n";
    printed |= print;
    return print;
  };
  options.configure = [&, configure = options.configure](mlir::PassManager &pm) {
    if (configure)
      configure(pm);
    stop.startPipeline();
    pm.enableIRPrinting([](mlir::Pass *, mlir::Operation *) { return false; }, wanted,
                        /*printModuleScope=*/false, /*printAfterOnlyOnChange=*/false,
                        /*printAfterOnlyOnFailure=*/false, out);
  };
  mlir::MLIRContext *context = module.getContext();
  context->registerActionHandler(
      [&](llvm::function_ref<void()> run, const mlir::tracing::Action &action) {
        if (auto *execution = llvm::dyn_cast<mlir::PassExecutionAction>(&action))
          stop.execute(run, execution->getPass());
        else
          run();
      });
  mlir::LogicalResult lowered = lowerToSpirv(module, target, options);
  context->registerActionHandler(nullptr);
  if (mlir::succeeded(lowered) && !printed)
    return module.emitError() << "holds no kernel for '" << pass << "' to run on";
  return lowered;
}
