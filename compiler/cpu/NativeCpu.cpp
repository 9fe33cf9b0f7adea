//===- NativeCpu.cpp - the processor that native code is made for -----------===//
#include "compiler/cpu/NativeCpu.h"
#include "compiler/target/TargetEnv.h"

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

/// 32-bit lanes of the widest registers that `features` (or a level's name) speak of.
static unsigned lanesOf(std::string_view name, llvm::StringRef features) {
  if (name == "x86-64-v4" || features.contains("+avx512f"))
    return 16;
  if (name == "x86-64-v3" || features.contains("+avx2"))
    return 8;
  return 4;
}

/// Linux lets a process use AMX's registers once it has asked for that, which is the runtime's to
/// do.
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
  llvm::sort(features); // a hash table has them in no order
  cpu.features = llvm::join(features, ",");
  cpu.lanes = lanesOf(cpu.name, cpu.features);
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

Result<NativeCpu> cpu::shippedCpu(std::string_view name) {
  if (name == "x86-64-v2") // LLVM knows what it lacks; our passes are told
    return NativeCpu{"x86_64-unknown-linux-gnu", std::string(name), "-fma", 4};
  if (name == "x86-64-v3" || name == "x86-64-v4")
    return NativeCpu{"x86_64-unknown-linux-gnu", std::string(name), "", lanesOf(name, "")};
  if (name == "aarch64")
    return NativeCpu{"aarch64-unknown-linux-gnu", "generic", "+neon", 4};
  return unknownCpu(name, target::listOfProcessors());
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
  NativeCpu cpu{hostCpu().triple, name.empty() ? hostCpu().name : std::string(name),
                std::string(features), 4};
  cpu.lanes = lanesOf(cpu.name, cpu.features);
  return cpu;
}
