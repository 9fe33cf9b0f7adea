//===- HostCpu.cpp - the processor that this process runs on ----------------===//
#include "runtime/drivers/cpu/HostCpu.h"

#include "runtime/hal/Choose.h"
#include "support/Platform.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#if defined(__x86_64__) || defined(_M_X64)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#define PUMICE_CPU_IS_X86 1
#else
#define PUMICE_CPU_IS_X86 0
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif
#endif

namespace pumice::cpu_driver {
namespace {

std::string architectureOf(std::string_view processor) {
  return std::string(processor) += systemSuffix;
}

/// The x86-64 levels for which code is compiled.
constexpr std::string_view levels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

/// Returns the number of 32-bit values in the widest registers of an x86-64 level.
uint32_t lanesOfLevel(int level) { return level >= 4 ? 16 : level == 3 ? 8 : 4; }

[[maybe_unused]] std::string trimmed(const std::string &text) {
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

#if PUMICE_CPU_IS_X86

using Registers = std::array<uint32_t, 4>; // eax, ebx, ecx, edx

Registers cpuid(uint32_t leaf, uint32_t subleaf = 0) {
  Registers r{};
  if (__get_cpuid_max(leaf & 0x80000000u, nullptr) >= leaf)
    __cpuid_count(leaf, subleaf, r[0], r[1], r[2], r[3]);
  return r;
}

/// Returns which register states the operating system saves when it switches threads.
uint64_t savedState() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

constexpr uint32_t bits(std::initializer_list<int> numbers) {
  uint32_t mask = 0;
  for (int number : numbers)
    mask |= 1u << number;
  return mask;
}
bool hasAll(uint32_t value, uint32_t mask) { return (value & mask) == mask; }

/// Returns the processor's level in the x86-64 psABI.
int levelOf(const Registers &basic, const Registers &structured, const Registers &extended,
            uint64_t saved) {
  // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF
  if (!hasAll(basic[2], bits({0, 9, 13, 19, 20, 23})) || !hasAll(extended[2], bits({0})))
    return 1;
  // FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; SSE and AVX state
  if (!hasAll(basic[2], bits({12, 22, 27, 28, 29})) || !hasAll(structured[1], bits({3, 5, 8})) ||
      !hasAll(extended[2], bits({5})) || (saved & 6) != 6)
    return 2;
  // AVX512F, DQ, CD, BW, VL; mask and upper registers' state
  if (!hasAll(structured[1], bits({16, 17, 28, 30, 31})) || (saved & 0xe0) != 0xe0)
    return 3;
  return 4;
}

std::string brandName() {
  char text[49] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    Registers r = cpuid(0x80000002u + i);
    std::memcpy(text + 16 * i, r.data(), sizeof r);
  }
  return trimmed(text);
}

std::string vendorName() {
  Registers r = cpuid(0);
  char text[13] = {};
  std::memcpy(text, &r[1], 4);
  std::memcpy(text + 4, &r[3], 4);
  std::memcpy(text + 8, &r[2], 4);
  return !std::strcmp(text, "GenuineIntel")   ? "Intel"
         : !std::strcmp(text, "AuthenticAMD") ? "AMD"
                                              : text;
}

/// Requests AMX registers. Linux grants them to a process once, for all of its threads.
bool askForTiles() {
#if defined(__linux__)
  constexpr long requestPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

HostCpu describe() {
  HostCpu cpu;
  cpu.name = brandName();
  cpu.vendor = vendorName();
  Registers basic = cpuid(1), structured = cpuid(7), more = cpuid(7, 1),
            extended = cpuid(0x80000001u);
  uint64_t saved = basic[2] >> 27 & 1 ? savedState() : 0;
  int level = levelOf(basic, structured, extended, saved);
  cpu.architecture = architectureOf("x86-64-v" + std::to_string(level));
  cpu.lanes = lanesOfLevel(level);
  bool tiles = level >= 4 && hasAll(structured[3], bits({24})) && askForTiles();
  cpu.brainTiles = tiles && hasAll(structured[3], bits({22}));
  cpu.byteTiles = tiles && hasAll(structured[3], bits({25}));
  // basic[1] is not used, because it also contains the number of the core that runs this code.
  for (uint32_t word :
       {basic[0], basic[2], basic[3], structured[1], structured[2], structured[3], more[0], more[1],
        more[2], more[3], extended[2], extended[3], static_cast<uint32_t>(saved)}) {
    char text[9];
    std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(word));
    cpu.fingerprint += text;
  }
  cpu.fingerprint += tiles ? "t" : "";
  return cpu;
}

#else

/// Returns the value of the first "key : value" line in /proc/cpuinfo.
std::string cpuinfo(const std::string &text, const std::string &key) {
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    size_t colon = line.find(':');
    if (colon != std::string::npos && trimmed(line.substr(0, colon)) == key)
      return trimmed(line.substr(colon + 1));
  }
  return {};
}

HostCpu describe() {
  HostCpu cpu;
#if defined(__aarch64__) || defined(_M_ARM64)
  cpu.architecture = architectureOf("aarch64");
#elif defined(__riscv) && __riscv_xlen == 64
  cpu.architecture = architectureOf("riscv64");
#endif
  Result<std::string> file = readFile("/proc/cpuinfo");
  std::string text = file.isOk() ? *file : std::string();
#ifdef __APPLE__
  char brand[64] = {};
  size_t bytes = sizeof brand - 1;
  if (sysctlbyname("machdep.cpu.brand_string", brand, &bytes, nullptr, 0) == 0)
    cpu.name = brand, cpu.vendor = "Apple";
#else
  cpu.name = cpuinfo(text, "model name");
#endif
  if (cpu.name.empty()) {
    std::string implementer = cpuinfo(text, "CPU implementer"), part = cpuinfo(text, "CPU part");
    cpu.vendor = implementer == "0x41" ? "Arm" : implementer == "0x61" ? "Apple" : "";
    cpu.name = cpu.architecture.empty() ? "CPU" : cpu.architecture + " CPU";
    if (!part.empty())
      cpu.name += " " + implementer + " " + part;
  }
  cpu.fingerprint = cpu.architecture + cpuinfo(text, "Features") + cpuinfo(text, "isa") + cpu.name;
  return cpu;
}

#endif

} // namespace

const HostCpu &hostCpu() {
  static const HostCpu cpu = [] {
    HostCpu made = describe();
    if (made.name.empty())
      made.name = "CPU";
    return made;
  }();
  return cpu;
}

Result<HostCpu> limitedTo(const HostCpu &cpu, std::string_view level) {
  bool known = std::ranges::find(levels, level) != std::end(levels);
  if (!known)
    return Status(StatusCode::InvalidArgument, "there is no level '" + std::string(level) +
                                                   "'; there are x86-64-v2, x86-64-v3 and "
                                                   "x86-64-v4");
  if (!hal::runsArchitecture(cpu.architecture, architectureOf(level)))
    return Status(StatusCode::InvalidArgument,
                  "code for " + std::string(level) + " does not run here: this processor (" +
                      cpu.name + ") runs " +
                      (cpu.architecture.empty() ? "no native code" : cpu.architecture));
  HostCpu limited = cpu;
  limited.level = limited.fingerprint = level;
  limited.architecture = architectureOf(level);
  limited.lanes = lanesOfLevel(hal::architectureLevel(level));
  limited.brainTiles = limited.byteTiles = false;
  return limited;
}

} // namespace pumice::cpu_driver
