//===- Options.cpp - options of the CPU driver ------------------------------===//
#include "runtime/drivers/cpu/Options.h"

#include "support/PlatformThreads.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace pumice::cpu_driver {
namespace {

std::optional<uint64_t> number(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// Reads a number. Leaves `value` unchanged if the variable is not set.
Status readNumber(const ReadVariable &variable, const char *name, uint64_t least, uint64_t most,
                  uint64_t &value) {
  const char *text = variable(name);
  if (!text || !*text)
    return Status::ok();
  std::optional<uint64_t> given = number(text);
  if (!given || *given < least || *given > most)
    return Status(StatusCode::InvalidArgument,
                  std::string(name) + " is '" + text + "'; expected a number from " +
                      std::to_string(least) + " to " + std::to_string(most));
  value = *given;
  return Status::ok();
}

} // namespace

Result<unsigned> chooseThreads(const ReadVariable &variable, unsigned processors, double quota) {
  uint64_t threads = 0;
  PUMICE_RETURN_IF_ERROR(readNumber(variable, "PUMICE_CPU_THREADS", 1, mostThreads, threads));
  if (threads)
    return static_cast<unsigned>(threads);
  // This variable belongs to other programs. So text in it that is not a number of threads is
  // ignored.
  if (const char *text = variable("OMP_NUM_THREADS"); text && *text) {
    std::string_view list(text);
    std::optional<uint64_t> first = number(list.substr(0, list.find(',')));
    if (first && *first >= 1 && *first <= mostThreads)
      return static_cast<unsigned>(*first);
  }
  unsigned count = std::clamp(processors, 1u, mostThreads);
  if (quota > 0 && std::ceil(quota) < count)
    count = static_cast<unsigned>(std::ceil(quota));
  return count;
}

Result<HostCpu> chooseCpu(const ReadVariable &variable, const HostCpu &host) {
  const char *text = variable("PUMICE_CPU_LEVEL");
  if (!text || !*text)
    return host;
  Result<HostCpu> limited = limitedTo(host, text);
  if (limited.isOk())
    return limited;
  return Status(StatusCode::InvalidArgument, std::string("PUMICE_CPU_LEVEL is '") + text +
                                                 "': " + limited.status().message() +
                                                 "; leave it empty for this processor as it is");
}

static Result<Guards> chooseGuards(const ReadVariable &variable) {
  const char *text = variable("PUMICE_CPU_GUARDS");
  std::string_view said = text ? text : "";
  if (said.empty())
    return Guards::None;
  if (said == "begin" || said == "end")
    return said == "end" ? Guards::End : Guards::Begin;
  return Status(StatusCode::InvalidArgument,
                "PUMICE_CPU_GUARDS is '" + std::string(said) + "'; expected begin or end");
}

Result<Options> readOptions(const ReadVariable &variable) {
  Options options;
  PUMICE_TRY(options.cpu, chooseCpu(variable, hostCpu()));
  PUMICE_TRY(options.threads, chooseThreads(variable, processorCount(), processorQuota()));
  uint64_t pin = 0, spin = 20, timeout = 0;
  PUMICE_RETURN_IF_ERROR(readNumber(variable, "PUMICE_CPU_PIN", 0, 1, pin));
  PUMICE_RETURN_IF_ERROR(readNumber(variable, "PUMICE_CPU_SPIN_US", 0, 1'000'000, spin));
  PUMICE_RETURN_IF_ERROR(readNumber(variable, "PUMICE_CPU_TIMEOUT_MS", 0, UINT32_MAX, timeout));
  PUMICE_TRY(options.guards, chooseGuards(variable));
  options.pin = pin != 0;
  options.spin = std::chrono::microseconds(spin);
  options.timeout = std::chrono::milliseconds(timeout);
  return options;
}

} // namespace pumice::cpu_driver
