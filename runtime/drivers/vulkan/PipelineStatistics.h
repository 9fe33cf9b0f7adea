//===- PipelineStatistics.h - a driver's statistics of a compiled kernel ----===//
// It reports registers, spills, workgroup memory and code size, from any driver that has
// VK_KHR_pipeline_executable_properties. RADV's null device has it: AMD's real shader compiler,
// without AMD hardware. Call it in a separate process, since a driver may crash on a bad module.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/BarePipeline.h"

#include <optional>
#include <span>

namespace pumice::vulkan {

struct Statistic {
  std::string name, description; // the driver's own words
  std::string text;              // its value as text
  double value = 0;
};

/// One executable of a pipeline. A driver may make several from one entry point.
struct ExecutableStatistics {
  std::string name;
  uint32_t subgroupSize = 0;
  std::vector<Statistic> all;
  // Numbers that every architecture has, under whatever name the driver gives them.
  std::optional<uint64_t> vectorRegisters, scalarRegisters;
  std::optional<uint64_t> spilledVectorRegisters, spilledScalarRegisters;
  std::optional<uint64_t> workgroupMemoryBytes, scratchBytes, codeBytes, instructions;
};

struct PipelineReport {
  std::string device;
  /// Empty if the driver accepts the pipeline but reports nothing.
  std::vector<ExecutableStatistics> executables;
};

/// Creates the pipeline on `device` and reads the driver's statistics.
Result<PipelineReport> pipelineStatistics(BareDevice &device, const PipelineRequest &request);

/// An AMD architecture, and RADV_FORCE_FAMILY's names for one of its GPUs, which differ between
/// versions of Mesa.
struct NullFamily {
  const char *architecture;    // "rdna3"
  const char *mesa22, *mesa25; // null: that version does not know it
};
std::span<const NullFamily> nullFamilies();

} // namespace pumice::vulkan
