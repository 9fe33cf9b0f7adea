//===- NativeCpu.cpp - the processor that native code targets ---------------===//
#include "compiler/cpu/native/NativeCpu.h"
#include "compiler/target/TargetEnv.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace pumice;
using namespace pumice::cpu;

std::string cpu::x86Level(llvm::function_ref<bool(llvm::StringRef)> has) {
  // The features that each level of the psABI adds to the previous level.
  static constexpr llvm::StringLiteral features[] = {"cx16 popcnt sahf sse3 sse4.1 sse4.2 ssse3",
                                                     "avx avx2 bmi bmi2 f16c fma lzcnt movbe",
                                                     "avx512bw avx512cd avx512dq avx512f avx512vl"};
  unsigned level = 1;
  for (llvm::StringRef list : features)
    if (!llvm::all_of(llvm::split(list, ' '), has))
      break;
    else
      ++level;
  return "x86-64-v" + std::to_string(level);
}

/// Returns the number of 32-bit lanes in the widest registers of a level, or of the level to which
/// `features` amount.
static unsigned lanesOf(std::string_view name, llvm::StringRef features) {
  std::string level(name);
  if (!name.starts_with("x86-64-v"))
    level = cpu::x86Level([&](llvm::StringRef feature) {
      return llvm::is_contained(llvm::split(features, ','), ("+" + feature).str());
    });
  return level == "x86-64-v4" ? 16 : level == "x86-64-v3" ? 8 : 4;
}

/// Returns whether AMX may be used. Linux allows AMX registers only to a process that has requested
/// them, as the runtime does.
static bool mayUseTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long getPermissions = 0x1022, tileData = 18; // ARCH_GET_XCOMP_PERM, XFEATURE_XTILEDATA
  unsigned long permitted = 0;
  return syscall(SYS_arch_prctl, getPermissions, &permitted) == 0 && (permitted >> tileData & 1);
#else
  return false;
#endif
}

static NativeCpu detect() {
  NativeCpu cpu;
  cpu.triple = llvm::sys::getProcessTriple();
  cpu.name = llvm::sys::getHostCPUName().str();
  llvm::SmallVector<std::string> features;
  bool tiles = mayUseTiles();
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    bool usable = feature.second && (tiles || !feature.first().starts_with("amx-"));
    features.push_back((usable ? "+" : "-") + feature.first().str());
  }
  llvm::sort(features); // the order must not depend on the hash table
  cpu.features = llvm::join(features, ",");
  cpu.lanes = lanesOf(cpu.name, cpu.features);
  // If a hypervisor hides parts of AVX-512, it counts as missing altogether. The runtime makes the
  // same decision.
  if (cpu.lanes < 16 && llvm::StringRef(cpu.features).contains("+avx512f"))
    cpu.features += ",-avx512f";
  return cpu;
}

const NativeCpu &cpu::hostCpu() {
  static const NativeCpu host = detect();
  return host;
}

static Status unknownCpu(std::string_view name, const std::string &known) {
  return Status(StatusCode::InvalidArgument,
                "there is no processor '" + std::string(name) + "'; there are " + known);
}

std::string_view cpu::systemSuffix(const llvm::Triple &triple) {
  return triple.isOSWindows() ? "-windows" : triple.isOSDarwin() ? "-macos" : "";
}

Result<NativeCpu> cpu::shippedCpu(std::string_view name) {
  if (!llvm::is_contained(target::processors, name))
    return unknownCpu(name, target::listOfProcessors());
  if (name == "aarch64")
    return NativeCpu{"aarch64-unknown-linux-gnu", "generic", "+neon", 4};
  if (name == "aarch64-macos") // the first Macs and the first system that run such code
    return NativeCpu{"arm64-apple-macosx11.0.0", "apple-m1", "+neon", 4};
  bool windows = name.ends_with("-windows");
  std::string level(name.substr(0, std::string_view("x86-64-v2").size()));
  return NativeCpu{windows ? "x86_64-pc-windows-gnu" : "x86_64-unknown-linux-gnu", level,
                   level == "x86-64-v2" ? "-fma"
                                        : "", // our passes do not know what the level lacks
                   lanesOf(level, "")};
}

Result<NativeCpu> cpu::namedCpu(std::string_view name) {
  if (name == "host")
    return hostCpu();
  Result<NativeCpu> shipped = shippedCpu(name);
  return shipped.isOk() ? shipped : unknownCpu(name, "host, " + target::listOfProcessors());
}

NativeCpu cpu::cpuOf(std::string_view name, std::string_view features) {
  if (name.empty() && features.empty())
    return hostCpu();
  if (features.empty())
    if (Result<NativeCpu> level = shippedCpu(name); level.isOk()) {
      llvm::Triple machine(hostCpu().triple), wanted(level->triple);
      if (machine.getArch() == wanted.getArch() && machine.getOS() == wanted.getOS())
        level->triple = hostCpu().triple;
      return *level;
    }
  NativeCpu cpu{hostCpu().triple, name.empty() ? hostCpu().name : std::string(name),
                std::string(features), 4};
  cpu.lanes = lanesOf(cpu.name, cpu.features);
  return cpu;
}
