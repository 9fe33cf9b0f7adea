//===- ReservedRanges.cpp - addresses that the host must not reach -----------===//
#include "tools/run-host/ReservedRanges.h"

#include "tools/run-host/HostMemory.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <unistd.h>

using namespace pumice;
using namespace pumice::run;

namespace {

struct Range {
  std::atomic<uintptr_t> begin = 0, end = 0;
  std::atomic<const char *> allocated = nullptr, freed = nullptr, freedBy = nullptr;
};
/// More than these are not explained.
Range ranges[1024];

struct sigaction before;
alignas(16) char stack[16384]; // the program's own may be what has run out

void write(const char *text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0)
    return; // nobody to tell
}

void onFault(int signal, siginfo_t *info, void *) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Range &range : ranges) {
    if (address < range.begin || address >= range.end)
      continue;
    const char *allocated = range.allocated, *freed = range.freed;
    write(freed ? "pumice run: error: host code reached memory that was freed"
                : "pumice run: error: host code reached memory that only the device sees");
    if (freed) {
      write(" by the ");
      write(range.freedBy);
      write(" at ");
      write(freed);
    }
    if (allocated) {
      write(", allocated at ");
      write(allocated);
    }
    write(freed ? "\n"
                : "; copy it with gpu.memcpy, or allocate it with 'gpu.alloc host_shared'\n");
    _exit(1);
  }
  sigaction(signal, &before, nullptr); // again, and then as without this
}

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

FaultMessages::FaultMessages() {
  stack_t own{};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &before);
}

FaultMessages::~FaultMessages() {
  sigaction(SIGSEGV, &before, nullptr);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}
