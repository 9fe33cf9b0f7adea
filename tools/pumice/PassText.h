//===- PassText.h - prints the code after one pass of the pipeline ----------===//
// `pumice compile --emit mlir-after=PASS` uses this.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Compile.h"
#include "support/Status.h"

#include "llvm/Support/raw_ostream.h"

namespace pumice::tools {

/// Checks a pass name. Errors: NotFound if `pass` is not one of `passes`; the message lists similar
/// names.
[[nodiscard]] Status checkPass(const std::string &pass, const std::vector<std::string> &passes);

/// Lowers `module` until the last occurrence of `pass` in `passes` has run on the whole module.
/// Prints the code after each occurrence. Later passes are skipped, so they cannot fail.
[[nodiscard]] mlir::LogicalResult printAfterPass(mlir::ModuleOp module,
                                                 const target::TargetEnv &target,
                                                 CompileOptions options, const std::string &pass,
                                                 const std::vector<std::string> &passes,
                                                 llvm::raw_ostream &out);

} // namespace pumice::tools
