//===- Team.cpp - threads for hand-written code -----------------------------===//
#include "bench/cpu/Team.h"

#include <sched.h>

namespace pumice::bench {

static unsigned processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? unsigned(CPU_COUNT(&set)) : 1;
}

/// Pauses between two checks of what another thread writes. If there are more threads than
/// processors, the other thread may need the processor of this one.
static void pause(unsigned &looks) {
  if (++looks % 256 == 0)
    sched_yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

Team::Team() {
  for (unsigned thread = 1; thread < processors(); ++thread)
    members.emplace_back([this] { serve(); });
}

Team::~Team() {
  ending = true;
  wake();
  for (std::thread &member : members)
    member.join();
}

void Team::wake() {
  std::lock_guard lock(mutex);
  awake = true;
  woken.notify_all();
}

void Team::rest() { awake = false; }

// The parts of `state`.
static constexpr uint64_t inside = 1, joined = 1 << 16, open = 1u << 31, nextRound = 1ull << 32;
static uint64_t insideOf(uint64_t state) { return state & 0xFFFF; }
static uint64_t joinedOf(uint64_t state) { return state >> 16 & 0x7FFF; }
static uint64_t roundOf(uint64_t state) { return state >> 32; }

void Team::dispatch(Job newJob, const void *newContext, bool everyone) {
  job = newJob;
  context = newContext;
  uint64_t round = roundOf(state.load(std::memory_order_relaxed)) + 1;
  state.store(round * nextRound | open, std::memory_order_release);
  newJob(newContext);
  unsigned looks = 0;
  while (everyone && joinedOf(state.load(std::memory_order_relaxed)) < members.size())
    pause(looks);
  state.fetch_and(~open, std::memory_order_relaxed);
  while (insideOf(state.load(std::memory_order_acquire)) != 0)
    pause(looks);
}

void Team::serve() {
  uint64_t served = 0;
  for (unsigned looks = 0;; pause(looks)) {
    uint64_t seen = state.load(std::memory_order_acquire);
    if ((seen & open) && roundOf(seen) != served) {
      if (!state.compare_exchange_weak(seen, seen + joined + inside, std::memory_order_acquire))
        continue;
      served = roundOf(seen);
      job(context);
      state.fetch_sub(inside, std::memory_order_release);
      looks = 0;
      continue;
    }
    if (ending)
      return;
    if (!awake) {
      std::unique_lock lock(mutex);
      woken.wait(lock, [this] { return awake.load(); });
    }
  }
}

} // namespace pumice::bench
