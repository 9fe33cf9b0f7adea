//===- Stray.cpp - accesses any address, from one workgroup of the grid -----===//
#include "runtime/drivers/cpu/kernels/Kernel.h"

namespace {

struct Parameters {
  uint64_t address;
  uint32_t group; // the number of the workgroup that strays
  uint32_t what;  // 0: read, 1: write, 2: division by zero, 3: invalid instruction
};

constexpr uint64_t groupPlace = 8;

uint32_t run(const NativeLaunch *launch, void *, void *scratch, uint64_t begin, uint64_t end) {
  const auto &given = *static_cast<const Parameters *>(launch->pushConstants);
  auto *result = bufferAt<uint32_t>(*launch, 0);
  auto *here = static_cast<volatile uint64_t *>(scratch) + groupPlace / 8;
  auto *place = reinterpret_cast<volatile uint32_t *>(given.address);
  forEachGroup(*launch, begin, end, [&](const Group &group) {
    *here = group.number;
    result[group.number] = 1;
    if (group.number != given.group)
      return;
    if (given.what == 0)
      result[group.number] = *place;
    else if (given.what == 1)
      *place = 7;
#if defined(__x86_64__)
    else if (given.what == 2)
      __asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cltd; idivl %%ecx" ::
                           : "eax", "ecx", "edx");
    else
      __asm__ volatile("ud2");
#endif
  });
  return 0;
}

constexpr NativeBinding bindings[] = {{0, 0, 0}};

} // namespace

PUMICE_EXPORT_KERNEL = {.subgroupSize = 1,
                        .bindingCount = 1,
                        .scratchBytes = 64,
                        .pushConstantBytes = sizeof(Parameters),
                        .bindings = bindings,
                        .run = run,
                        .groupPlace = groupPlace};
