//===- OwnProcess.h - runs code that may crash in its own process -----------===//
#pragma once

#include "support/Status.h"

#include <functional>
#include <string>

namespace pumice::run {

/// Returns the result of `work`, run in a separate process. The process is a fork, so no other
/// thread may hold a lock that `work` takes. Errors: those of `work`. Internal, beginning with
/// `what`, if a signal ends the process ("spirv-opt crashed (signal 11, Segmentation fault)") or it
/// takes more than `seconds`. ResourceExhausted if no process can be started.
Result<std::string> inOwnProcess(const std::string &what, unsigned seconds,
                                 const std::function<Result<std::string>()> &work);

} // namespace pumice::run
