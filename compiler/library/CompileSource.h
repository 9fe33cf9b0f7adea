//===- CompileSource.h - text or SPIR-V in memory into an executable's bytes --===//
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
  SourceKind kind = SourceKind::Automatic; // automatic: SPIR-V by its first word, else MLIR
  std::vector<std::string_view> targets;   // as `--target` takes them, or JSON text
  KernelOptions options;
  TakeStage stage; // of MLIR: takes what compiler/driver/Stages.h lists, until an error too
};

/// The bytes of a .pumice file. `diagnostics` gets everything that was said, with source lines; a
/// failure's message is its summary. Thread-safe.
Result<std::vector<uint8_t>> compileSource(const CompileRequest &request, std::string &diagnostics);

} // namespace pumice::library
