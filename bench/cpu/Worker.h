//===- Worker.h - one peer of the CPU benchmark, as a process ---------------===//
// Says `ready WHAT` or `absent WHY` on standard output, then answers each line of standard input
// with one line:
//   time MEASURE COUNT   times MS...       one for each of COUNT runs, after one that does not
//   count check KERNEL         right | wrong WHY
// and `failed WHY` where a driver refuses. A measure is a kernel, "barrier", "submit", "batch",
// "workgroup" (milliseconds for one of these), or "first": a kernel's compilation and first launch.
//===-------------------------------------------------------------------------===//
#pragma once

#include <string>

namespace pumice::bench {

/// `kind`: native, opencl, or hal:REQUEST for a device of Pumice's. The exit status.
int work(const std::string &kind, bool quick);

} // namespace pumice::bench
