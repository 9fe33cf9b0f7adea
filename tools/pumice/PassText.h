//===- PassText.h - what one pass of the pipeline leaves --------------------===//
// Behind `pumice compile --emit mlir-after=PASS`.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Compile.h"
#include "support/Status.h"

#include "llvm/Support/raw_ostream.h"

namespace pumice::tools {

/// Errors: NotFound if `pass` is none of `passes`, with those near it.
[[nodiscard]] Status checkPass(const std::string &pass, const std::vector<std::string> &passes);

/// Lowers `module` until the last of the `passes` called `pass` has run on all of it, and prints
/// what each of them left. A later pass runs on nothing, so that none can fail.
[[nodiscard]] mlir::LogicalResult printAfterPass(mlir::ModuleOp module,
                                                 const target::TargetEnv &target,
                                                 CompileOptions options, const std::string &pass,
                                                 const std::vector<std::string> &passes,
                                                 llvm::raw_ostream &out);

} // namespace pumice::tools
