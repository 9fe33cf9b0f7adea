//===- OwnProcess.h - work that other people's code may not survive ---------===//
#pragma once

#include "support/Status.h"

#include <functional>
#include <string>

namespace pumice::run {

/// What `work` gives, done in a process of its own (a fork: no other thread may hold a lock that
/// `work` takes). Errors: those of `work`; Internal, beginning with `what`, where a signal ends the
/// process ("spirv-opt crashed (signal 11, Segmentation fault)") or it takes more than `seconds`;
/// ResourceExhausted where there can be no process.
Result<std::string> inOwnProcess(const std::string &what, unsigned seconds,
                                 const std::function<Result<std::string>()> &work);

} // namespace pumice::run
