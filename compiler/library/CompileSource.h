//===- CompileSource.h - compiles text or SPIR-V in memory to an executable's bytes -===//
#pragma once

#include "compiler/driver/Pipeline.h"
#include "compiler/driver/Stages.h"
#include "support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::library {

enum class SourceKind { Automatic, Mlir, Spirv };

struct CompileRequest {
  std::string_view source, sourceName;
  SourceKind kind = SourceKind::Automatic; // automatic: SPIR-V if the first word says so, else MLIR
  std::vector<std::string_view> targets;   // in the format of `--target`, or JSON
  KernelOptions options;
  bool viaLlvm = false; // for OpenCL targets: LLVM's SPIR-V backend writes the modules
  TakeStage stage;      // for MLIR: gets the stages (compiler/driver/Stages.h), up to an error
};

/// Returns the bytes of a .pumice file. `diagnostics` gets all messages with source lines. The
/// message of a failure summarizes them. Thread-safe.
Result<std::vector<uint8_t>> compileSource(const CompileRequest &request, std::string &diagnostics);

} // namespace pumice::library
