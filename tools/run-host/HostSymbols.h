//===- HostSymbols.h - the functions that compiled host code may call -------===//
// The functions are found by name: the gpu operations, allocation, and the printing functions of
// MLIR's runner utilities. They act on the one running program.
//===-------------------------------------------------------------------------===//
#pragma once

#include "tools/run-host/HostRuntime.h"

#include <csetjmp>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace pumice::run {

using HostSymbols = std::vector<std::pair<std::string, void *>>;

/// Returns the names and addresses of all functions.
HostSymbols hostSymbols();
void addPrintSymbols(HostSymbols &symbols);
void addVectorPrintSymbols(HostSymbols &symbols);

/// The running program. An error ends it. Compiled code cannot handle errors, so the call returns
/// to where the program was started.
struct RunningProgram {
  HostRuntime *runtime = nullptr;
  /// The operation that the runtime performs now, for signal handlers. Null while the program's own
  /// code runs.
  const char *volatile performs = nullptr;
  Status failure;
  std::jmp_buf start;

  /// Null outside of `runGuarded`.
  static RunningProgram *current;
  [[noreturn]] void end(Status status);
};

/// Calls `entry`, a function of the program. Returns its result, or the error that ended it.
Result<int64_t> runGuarded(HostRuntime &runtime, int64_t (*call)(void *entry), void *entry);

} // namespace pumice::run
