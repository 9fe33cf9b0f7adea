//===- RunProgram.h - pumice run program.mlir -------------------------------===//
#pragma once

#include "compiler/driver/Compile.h"

#include <string>
#include <vector>

namespace pumice::run {

struct ProgramOptions {
  std::string input;                  // "-": standard input
  std::vector<std::string> kernels;   // files of kernels, "FILE" or "NAME=FILE"
  std::vector<std::string> libraries; // shared libraries that host code calls
  std::string entry = "main";
  std::string device; // as Registry::open takes it; empty: PUMICE_DEVICE, else the best
  std::string dumpFolder, traceFile;
  bool profile = false, stats = false;
  bool separateMemory = false;
  unsigned optimization = 2;          // of host code: 2 means -O2
  std::optional<uint32_t> printBytes; // size of the buffer for a kernel's output
  KernelOptions kernel;
};

/// Returns the result of `main`, or 0 without one. Returns 2 if the program could not run, or if an
/// error ended it.
int runProgram(const ProgramOptions &options);

} // namespace pumice::run
