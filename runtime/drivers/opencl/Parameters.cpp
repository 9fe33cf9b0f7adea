//===- Parameters.cpp - how a block of arguments becomes OpenCL's -----------===//
#include "runtime/drivers/opencl/Parameters.h"

#include "support/EnglishText.h"

#include <algorithm>
#include <cstring>

namespace pumice::opencl_driver {

using executable::SpirvScalar;

Result<std::vector<Parameter>> parametersOf(const executable::SpirvEntryPoint &entry) {
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    const executable::SpirvParameter &from = entry.parameters[i];
    std::string what = "argument " + std::to_string(i) + " '" + from.name + "'";
    if (!from.refused.empty())
      return Status(StatusCode::Unsupported,
                    what + " is " + from.refused + "; kernels take addresses and numbers");
    auto members = std::span(entry.pushConstants.members).subspan(from.firstMember, from.members);
    if (members.empty())
      return Status(StatusCode::Unsupported, what + " has no members");
    Parameter &to = parameters.emplace_back();
    to.offset = static_cast<uint32_t>(from.offset);
    to.bytes = static_cast<uint32_t>(from.bytes);
    bool single = members.size() == 1 && members[0].dimensions.empty();
    if (single && members[0].scalar == SpirvScalar::Address)
      to.kind = Parameter::Kind::Address;
    else if (single && members[0].scalar == SpirvScalar::WorkgroupMemory)
      to.kind = Parameter::Kind::Workgroup;
  }
  return parameters;
}

uint32_t leastBlockBytes(std::span<const Parameter> parameters) {
  uint32_t end = 0;
  for (const Parameter &parameter : parameters)
    if (parameter.kind != Parameter::Kind::Workgroup)
      end = std::max(end, parameter.offset + parameter.bytes);
  return (end + 3) / 4 * 4;
}

Result<std::vector<uint32_t>> workgroupBytes(std::span<const Parameter> parameters,
                                             std::span<const std::byte> block,
                                             uint32_t dynamicBytes) {
  std::vector<uint32_t> sizes(parameters.size());
  std::vector<std::pair<uint64_t, size_t>> begins; // and the numbers of the parameters
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind != Parameter::Kind::Workgroup)
      continue;
    uint64_t begin = 0;
    if (parameters[i].offset + sizeof begin <= block.size())
      std::memcpy(&begin, block.data() + parameters[i].offset, sizeof begin);
    begins.emplace_back(begin, i);
  }
  std::ranges::sort(begins);
  if (begins.size() == 1 && begins[0].first == 0)
    dynamicBytes = std::max<uint32_t>(dynamicBytes, sizeof(uint32_t));
  for (auto [begin, i] : begins) {
    // Parameters with equal beginnings are the same memory for the CPU device. Here, each gets all.
    auto next =
        std::ranges::find_if(begins, [&](const auto &other) { return other.first > begin; });
    uint64_t end =
        next == begins.end() ? dynamicBytes : std::min<uint64_t>(next->first, dynamicBytes);
    if (begin >= end)
      return Status(StatusCode::InvalidArgument,
                    "argument " + std::to_string(i) + " begins at byte " + std::to_string(begin) +
                        " of the launch's workgroup memory, which has " +
                        counted(dynamicBytes, "byte"));
    sizes[i] = static_cast<uint32_t>(end - begin);
  }
  return sizes;
}

} // namespace pumice::opencl_driver
