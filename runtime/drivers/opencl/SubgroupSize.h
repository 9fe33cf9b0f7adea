//===- SubgroupSize.h - lets a kernel's code require a subgroup size --------===//
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pumice::opencl_driver {

/// Returns the module with the execution mode SubgroupSize for its kernel `entryPoint`, in place of
/// the one that it may have. Before:
///   OpEntryPoint Kernel %main "main"
/// After:
///   OpCapability SubgroupDispatch
///   OpEntryPoint Kernel %main "main"
///   OpExecutionMode %main SubgroupSize 16
/// The code must be a whole module. Returns it unchanged if it has no such kernel.
std::vector<uint8_t> withSubgroupSize(std::span<const uint8_t> code, std::string_view entryPoint,
                                      uint32_t size);

} // namespace pumice::opencl_driver
