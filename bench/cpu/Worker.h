//===- Worker.h - one peer of the CPU benchmark, as a process ---------------===//
// A worker prints `ready WHAT` or `absent WHY`. Then it answers each line of standard input.
// `time MEASURE COUNT` gets `times MS...`, with one time for each of COUNT runs after a warm-up
// run. `check KERNEL` gets `right` or `wrong WHY`. It answers `failed WHY` if a driver reports an
// error. A measure is the name of a kernel, or "barrier", "submit", "batch" or "workgroup", which
// mean the cost of one of these. It may also be "first": the compilation and the first launch
// of a kernel.
//===-------------------------------------------------------------------------===//
#pragma once

#include <string>

namespace pumice::bench {

/// Serves requests and returns the exit status. `kind` is native, opencl, or hal:REQUEST for one of
/// Pumice's devices.
int work(const std::string &kind, bool quick);

} // namespace pumice::bench
