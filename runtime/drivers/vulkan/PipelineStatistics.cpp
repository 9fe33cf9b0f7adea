//===- PipelineStatistics.cpp - a driver's statistics of a compiled kernel --===//
#include "runtime/drivers/vulkan/PipelineStatistics.h"

#include "runtime/drivers/vulkan/Status.h"

#include <algorithm>

namespace pumice::vulkan {
namespace {

using Member = std::optional<uint64_t> ExecutableStatistics::*;

/// The names that drivers have for the usual statistics: RADV, Intel, NVIDIA, Turnip.
struct KnownStatistic {
  std::string_view name;
  Member member;
};
constexpr KnownStatistic knownStatistics[] = {
    {"VGPRs", &ExecutableStatistics::vectorRegisters},
    {"Register Count", &ExecutableStatistics::vectorRegisters},
    {"Max live registers", &ExecutableStatistics::vectorRegisters},
    {"SGPRs", &ExecutableStatistics::scalarRegisters},
    {"Spilled VGPRs", &ExecutableStatistics::spilledVectorRegisters},
    {"Spill Count", &ExecutableStatistics::spilledVectorRegisters},
    {"Spill count", &ExecutableStatistics::spilledVectorRegisters},
    {"Spilled SGPRs", &ExecutableStatistics::spilledScalarRegisters},
    {"LDS size", &ExecutableStatistics::workgroupMemoryBytes},
    {"LDS Size", &ExecutableStatistics::workgroupMemoryBytes},
    {"Workgroup Memory Size", &ExecutableStatistics::workgroupMemoryBytes},
    {"Shared Memory Size", &ExecutableStatistics::workgroupMemoryBytes},
    {"Scratch size", &ExecutableStatistics::scratchBytes},
    {"Scratch Memory Size", &ExecutableStatistics::scratchBytes},
    {"Local Memory Size", &ExecutableStatistics::scratchBytes},
    {"Code size", &ExecutableStatistics::codeBytes},
    {"Code Size", &ExecutableStatistics::codeBytes},
    {"Binary Size", &ExecutableStatistics::codeBytes},
    {"Instructions", &ExecutableStatistics::instructions},
    {"Instruction Count", &ExecutableStatistics::instructions},
};

Statistic toStatistic(const VkPipelineExecutableStatisticKHR &found) {
  Statistic statistic{found.name, found.description, "", 0};
  switch (found.format) {
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
    statistic.value = found.value.b32 ? 1 : 0;
    statistic.text = found.value.b32 ? "true" : "false";
    break;
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
    statistic.value = static_cast<double>(found.value.i64);
    statistic.text = std::to_string(found.value.i64);
    break;
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
    statistic.value = static_cast<double>(found.value.u64);
    statistic.text = std::to_string(found.value.u64);
    break;
  default:
    statistic.value = found.value.f64;
    statistic.text = std::to_string(found.value.f64);
  }
  return statistic;
}

Result<ExecutableStatistics> statisticsOf(BareDevice &device, VkPipeline pipeline,
                                          const VkPipelineExecutablePropertiesKHR &properties,
                                          uint32_t index) {
  ExecutableStatistics statistics;
  statistics.name = properties.name;
  statistics.subgroupSize = properties.subgroupSize;
  VkPipelineExecutableInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
  info.pipeline = pipeline;
  info.executableIndex = index;
  uint32_t count = 0;
  PUMICE_RETURN_IF_ERROR(
      toStatus(vkGetPipelineExecutableStatisticsKHR(device.device, &info, &count, nullptr),
               "vkGetPipelineExecutableStatisticsKHR"));
  std::vector<VkPipelineExecutableStatisticKHR> found(
      count, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
  PUMICE_RETURN_IF_ERROR(
      toStatus(vkGetPipelineExecutableStatisticsKHR(device.device, &info, &count, found.data()),
               "vkGetPipelineExecutableStatisticsKHR"));
  for (const VkPipelineExecutableStatisticKHR &one : found) {
    Statistic statistic = toStatistic(one);
    for (const KnownStatistic &known : knownStatistics)
      if (known.name == statistic.name && statistic.value >= 0)
        statistics.*known.member = static_cast<uint64_t>(statistic.value);
    statistics.all.push_back(std::move(statistic));
  }
  return statistics;
}

constexpr NullFamily families[] = {
    {"gcn1", "tahiti", "tahiti"},    {"gcn2", "hawaii", "hawaii"},
    {"gcn3", "tonga", "tonga"},      {"gcn4", "polaris10", "polaris10"},
    {"gcn5", "vega10", "vega10"},    {"cdna1", "arcturus", "mi100"},
    {"cdna2", "aldebaran", "mi200"}, {"cdna3", nullptr, "gfx940"},
    {"rdna1", "navi10", "navi10"},   {"rdna2", "navi21", "navi21"},
    {"rdna3", "gfx1100", "navi31"},  {"rdna3.5", nullptr, "gfx1150"},
    {"rdna4", nullptr, "gfx1201"},
};

} // namespace

std::span<const NullFamily> nullFamilies() { return families; }

Result<PipelineReport> pipelineStatistics(BareDevice &device, const PipelineRequest &request) {
  Result<std::unique_ptr<BarePipeline>> made = BarePipeline::create(device, request, true);
  if (!made.isOk())
    return made.status();
  PipelineReport report;
  report.device = device.properties.deviceName;
  if (!device.pipelineStatistics)
    return report;

  VkPipelineInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR};
  info.pipeline = (*made)->pipeline;
  uint32_t count = 0;
  PUMICE_RETURN_IF_ERROR(
      toStatus(vkGetPipelineExecutablePropertiesKHR(device.device, &info, &count, nullptr),
               "vkGetPipelineExecutablePropertiesKHR"));
  std::vector<VkPipelineExecutablePropertiesKHR> properties(
      count, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR});
  PUMICE_RETURN_IF_ERROR(toStatus(
      vkGetPipelineExecutablePropertiesKHR(device.device, &info, &count, properties.data()),
      "vkGetPipelineExecutablePropertiesKHR"));
  for (uint32_t i = 0; i < count; ++i) {
    Result<ExecutableStatistics> one = statisticsOf(device, info.pipeline, properties[i], i);
    if (!one.isOk())
      return one.status();
    report.executables.push_back(std::move(*one));
  }
  return report;
}

} // namespace pumice::vulkan
