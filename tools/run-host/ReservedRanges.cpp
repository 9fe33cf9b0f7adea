//===- ReservedRanges.cpp - addresses that the host must not reach ----------===//
#include "tools/run-host/ReservedRanges.h"

#include <atomic>

using namespace pumice;
using namespace pumice::run;

namespace {

struct Range {
  std::atomic<uintptr_t> begin = 0, end = 0;
  std::atomic<const char *> allocated = nullptr, freed = nullptr, freedBy = nullptr;
};
/// Faults in further ranges get no explanation.
Range ranges[1024];

} // namespace

void run::rememberRange(const std::byte *begin, uint64_t bytes, RangePlaces places) {
  for (Range &range : ranges)
    if (range.begin == 0) {
      range.allocated = places.allocated;
      range.freed = places.freed;
      range.freedBy = places.freedBy;
      range.end = reinterpret_cast<uintptr_t>(begin) + bytes;
      range.begin = reinterpret_cast<uintptr_t>(begin);
      return;
    }
}

void run::forgetRange(const std::byte *begin) {
  for (Range &range : ranges)
    if (range.begin == reinterpret_cast<uintptr_t>(begin)) {
      range.begin = 0;
      range.end = 0;
    }
}

bool run::findRange(uintptr_t address, RangePlaces &places) {
  for (const Range &range : ranges)
    if (address >= range.begin && address < range.end) {
      places = {range.allocated, range.freed, range.freedBy};
      return true;
    }
  return false;
}
