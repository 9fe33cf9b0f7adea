//===- PipelineStatistics.h - a driver's statistics of a compiled kernel ----===//
// Reports registers, spills, workgroup memory and code size, with any driver that supports
// VK_KHR_pipeline_executable_properties. RADV's null device does: it is AMD's real shader compiler,
// without AMD hardware. Use this in a separate process, because a driver may crash on a bad module.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/BarePipeline.h"

#include <optional>
#include <span>

namespace pumice::vulkan {

struct Statistic {
  std::string name, description; // in the driver's words
  std::string text;              // the value as text
  double value = 0;
};

/// One executable of a pipeline. A driver may make several executables from one entry point.
struct ExecutableStatistics {
  std::string name;
  uint32_t subgroupSize = 0;
  std::vector<Statistic> all;
  // Numbers that every architecture has, although drivers have different names for them.
  std::optional<uint64_t> vectorRegisters, scalarRegisters;
  std::optional<uint64_t> spilledVectorRegisters, spilledScalarRegisters;
  std::optional<uint64_t> workgroupMemoryBytes, scratchBytes, codeBytes, instructions;
};

struct PipelineReport {
  std::string device;
  /// This is empty if the driver accepts the pipeline but does not report anything.
  std::vector<ExecutableStatistics> executables;
};

/// Creates the pipeline on `device` and reads the driver's statistics.
Result<PipelineReport> pipelineStatistics(BareDevice &device, const PipelineRequest &request);

/// An AMD architecture. RADV_FORCE_FAMILY has names for one of its GPUs, which depend on the
/// version of Mesa.
struct NullFamily {
  const char *architecture;    // "rdna3"
  const char *mesa22, *mesa25; // null if that version does not support it
};
std::span<const NullFamily> nullFamilies();

} // namespace pumice::vulkan
