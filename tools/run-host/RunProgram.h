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
  unsigned optimization = 2;          // of host code
  std::optional<uint32_t> printBytes; // of the buffer for what a kernel prints
  KernelOptions kernel;
};

/// What `main` returns, or 0; 2 where the program could not be run, or was ended by an error.
int runProgram(const ProgramOptions &options);

} // namespace pumice::run
