//===- Compare.cpp - a program in every way, and what differs ---------------===//
#include "tests/random/Compare.h"
#include "tests/random/Emit.h"

#include <algorithm>

namespace pumice::random_programs {

bool Finding::isOurs() const {
  return first.device == "cpu:0" && (kind != Kind::Differs || second.device == "cpu:0");
}

std::string Finding::text(const Machine &machine) const {
  auto name = [&](const Way &way) {
    return way.device == "cpu:0" ? way.name()
                                 : way.name() + " (" + machine.info(way.device).name + ")";
  };
  if (kind == Kind::Invalid)
    return "invalid: " + what;
  if (kind == Kind::Failed)
    return name(first) + " failed: " + what;
  return name(first) + " and " + name(second) + " differ: " + what;
}

/// Returns the features that a device needs to compute and store values of this base.
static std::vector<const char *> featuresOf(Base base) {
  switch (base) {
  case Base::I8:
  case Base::U8:
    return {"shaderInt8", "storageBuffer8BitAccess", "shaderSubgroupExtendedTypes"};
  case Base::I16:
  case Base::U16:
    return {"shaderInt16", "storageBuffer16BitAccess", "shaderSubgroupExtendedTypes"};
  case Base::I64:
  case Base::U64:
    return {"shaderInt64", "shaderSubgroupExtendedTypes"};
  case Base::F16:
    return {"shaderFloat16", "storageBuffer16BitAccess", "shaderSubgroupExtendedTypes"};
  case Base::F64:
    return {"shaderFloat64"};
  default:
    return {};
  }
}

/// Checks the device's features first, since drivers run code that they do not support, or crash on
/// it. Lavapipe treats clustered reductions as reductions of the whole subgroup, so it would differ
/// there.
static bool canRun(const Program &program, const hal::DeviceInfo &info) {
  constexpr uint32_t clustered = 0x40; // VK_SUBGROUP_FEATURE_CLUSTERED_BIT
  bool has = info.subgroupOperations & clustered;
  if (program.clusters && (!has || info.name.find("llvmpipe") != std::string::npos))
    return false;
  for (uint32_t type = 0; type < program.types.size(); ++type)
    if (program.types.isScalar(type))
      for (const char *feature : featuresOf(program.types[type].base))
        if (!info.features.contains(feature))
          return false;
  return true;
}

static std::vector<std::string> peersOf(const Program &program, const Machine &machine) {
  std::vector<std::string> peers;
  for (const std::string &peer : machine.peers())
    if (canRun(program, machine.info(peer)))
      peers.push_back(peer);
  return peers;
}

std::vector<std::vector<Way>> waysOf(const Program &program, const Machine &machine) {
  auto cpu = [](uint32_t lanes, std::string level, unsigned threads = 0, bool optimised = false) {
    return Way{"cpu:0", lanes, std::move(level), threads, optimised};
  };
  std::vector<std::string> levels = machine.levels();
  uint64_t turn = program.seed / 5;
  auto level = [&](uint64_t number) { return levels[number % levels.size()]; };
  std::vector<std::vector<Way>> groups;
  if (program.subgroups) {
    std::vector<uint32_t> sizes;
    for (const std::string &peer : peersOf(program, machine)) {
      uint32_t size = machine.info(peer).limits.subgroupSize;
      auto known = static_cast<size_t>(std::ranges::find(sizes, size) - sizes.begin());
      if (known == sizes.size()) {
        sizes.push_back(size);
        groups.push_back({cpu(size, ""), cpu(size, level(turn), 1)});
      }
      groups[known].push_back({.device = peer});
    }
    uint32_t other = 4u << turn % 3;
    if (std::ranges::find(sizes, other) == sizes.end())
      groups.push_back({cpu(other, ""), cpu(other, level(turn + 1), 1)});
    return groups;
  }
  std::vector<Way> all{cpu(16, turn % 2 ? "" : level(turn), 1), cpu(8, level(turn + 1)),
                       cpu(4, level(turn + 2))};
  all.push_back(turn % 2 ? cpu(0, level(turn)) : cpu(0, "", 0, program.optimised));
  for (const std::string &peer : peersOf(program, machine))
    all.push_back({.device = peer});
  return {all};
}

/// Returns the first line of an error without its numbers.
static std::string essence(const Status &status) {
  std::string line = status.message().substr(0, status.message().find('\n'));
  std::erase_if(line, [](char c) { return c >= '0' && c <= '9'; });
  return line;
}

/// A driver may lack a feature, and spirv-opt turns some modules into invalid ones.
static bool isMissing(const Way &way, const Status &status) {
  return (way.device != "cpu:0" || way.optimised) && status.code() == StatusCode::Unsupported;
}

/// Returns whether another driver has the same result for the output of spirv-opt. If so, spirv-opt
/// changed the program's meaning.
static bool isOptimisers(const Program &program, std::span<const uint32_t> code, const Way &way,
                         const Memory &result, Machine &machine) {
  if (!way.optimised)
    return false;
  for (const std::string &peer : peersOf(program, machine)) {
    Result<Memory> other = machine.run(program, code, {.device = peer, .optimised = true});
    if (other.isOk() && difference(program, result, *other).empty())
      return true;
  }
  return false;
}

std::vector<Finding> compare(const Program &program, Machine &machine) {
  std::vector<uint32_t> code = emitSpirv(program);
  if (std::string said = validate(code); !said.empty())
    return {{Finding::Kind::Invalid, {.device = "cpu:0"}, {}, said}};
  std::vector<Finding> found;
  for (const std::vector<Way> &group : waysOf(program, machine)) {
    std::optional<std::pair<Way, Memory>> first;
    for (const Way &way : group) {
      Result<Memory> result = machine.run(program, code, way);
      if (!result.isOk()) {
        if (!isMissing(way, result.status()))
          found.push_back({Finding::Kind::Failed, way, {}, essence(result.status())});
      } else if (!first) {
        first.emplace(way, std::move(*result));
      } else if (std::string what = difference(program, first->second, *result);
                 !what.empty() && !isOptimisers(program, code, way, *result, machine)) {
        found.push_back({Finding::Kind::Differs, first->first, way, what});
      }
    }
  }
  return found;
}

std::string shown(const Program &program, const Finding &finding, Machine &machine) {
  std::vector<uint32_t> code = emitSpirv(program);
  std::string said = validate(code);
  if (finding.kind == Finding::Kind::Invalid || !said.empty())
    return finding.kind == Finding::Kind::Invalid ? said : "";
  Result<Memory> first = machine.run(program, code, finding.first);
  if (finding.kind == Finding::Kind::Failed)
    return !first.isOk() && essence(first.status()) == finding.what ? finding.what : "";
  if (!first.isOk())
    return "";
  Result<Memory> second = machine.run(program, code, finding.second);
  return second.isOk() ? difference(program, *first, *second) : "";
}

} // namespace pumice::random_programs
