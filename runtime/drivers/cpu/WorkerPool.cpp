//===- WorkerPool.cpp - threads that share the pieces of one job ------------===//
#include "runtime/drivers/cpu/WorkerPool.h"

#include "support/Spin.h"

#include <algorithm>

namespace pumice::cpu_driver {

/// A job in progress. It is on the stack of the thread that submitted it. The mutex of the pool
/// guards all members except the counters.
struct WorkerPool::Open {
  Job &job;
  const uint64_t count, chunk;
  unsigned places; // the number of workers that may still join
  alignas(64) std::atomic<uint64_t> next = 0;
  alignas(64) std::atomic<unsigned> helping = 0;

  bool hasMore() const { return next.load(std::memory_order_relaxed) < count; }

  void takePart() {
    // The counter exceeds `count` by at most one chunk for each thread, so it cannot wrap around.
    for (;;) {
      uint64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= count)
        return;
      job.run(begin, std::min(chunk, count - begin) + begin);
    }
  }
};

struct WorkerPool::Crew {
  std::vector<std::unique_ptr<Thread>> threads;
  std::condition_variable wake, done;
  unsigned sleeping = 0;
  bool leave = false;
};

WorkerPool::WorkerPool(unsigned threads, bool pin, std::chrono::microseconds spin)
    : pin(pin), spin(spin), wanted(std::max(threads, 1u)), crew(std::make_unique<Crew>()) {
  startWatching();
}

WorkerPool::~WorkerPool() {
  stopWatching();
  std::unique_lock lock(mutex);
  dismiss(lock);
}

WorkerPool::Open *WorkerPool::find() {
  for (Open *one : open)
    if (one->places && one->hasMore())
      return one;
  return nullptr;
}

void WorkerPool::work(Crew &own, unsigned number) {
  if (pin) {
    std::vector<unsigned> allowed = allowedProcessors();
    if (!allowed.empty())
      // The first processor remains free for the calling thread.
      pinThisThread(allowed[(number + 1) % allowed.size()]);
  }
  std::unique_lock lock(mutex);
  while (!own.leave) {
    if (Open *one = find()) {
      --one->places;
      one->helping.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      one->takePart();
      lock.lock();
      // This is the last access to the job, because the waiting thread may destroy it once no
      // worker helps.
      if (one->helping.fetch_sub(1, std::memory_order_release) == 1)
        own.done.notify_all();
      continue;
    }
    uint32_t seen = posted.load(std::memory_order_relaxed);
    lock.unlock();
    spinUntil(spin, [&] { return posted.load(std::memory_order_relaxed) != seen; });
    lock.lock();
    if (own.leave || find())
      continue;
    ++own.sleeping;
    own.wake.wait(lock);
    --own.sleeping;
  }
}

void WorkerPool::hire(unsigned count) {
  while (crew->threads.size() < count) {
    Crew &own = *crew;
    auto number = static_cast<unsigned>(own.threads.size());
    auto thread = Thread::start("pumice-worker", [this, &own, number] { work(own, number); });
    if (!thread)
      return; // fewer threads do the work
    own.threads.push_back(std::move(thread));
  }
}

void WorkerPool::run(Job &job, uint64_t count, uint64_t chunk) {
  uint64_t pieces = count / chunk + (count % chunk != 0);
  auto helpers = static_cast<unsigned>(std::min<uint64_t>(threads() - 1, pieces ? pieces - 1 : 0));
  Open one{job, count, chunk, helpers};
  if (helpers == 0)
    return one.takePart();
  if (RunTeam together = team.load(std::memory_order_relaxed)) {
    return together(
        [](void *job) {
          auto &shared = *static_cast<Open *>(job);
          // A team may have more threads than the pool.
          if (shared.helping.fetch_add(1, std::memory_order_relaxed) <= shared.places)
            shared.takePart();
        },
        &one, 0, 0);
  }
  {
    std::lock_guard lock(mutex);
    hire(helpers);
    open.push_back(&one);
    posted.fetch_add(1, std::memory_order_relaxed);
    for (unsigned i = std::min(helpers, crew->sleeping); i > 0; --i)
      crew->wake.notify_one();
  }
  one.takePart();
  std::unique_lock lock(mutex);
  std::erase(open, &one);
  if (one.helping.load(std::memory_order_acquire) == 0)
    return;
  lock.unlock();
  // The helping workers are still processing a chunk.
  if (spinUntil(spin, [&] { return one.helping.load(std::memory_order_acquire) == 0; }))
    return;
  lock.lock();
  while (one.helping.load(std::memory_order_acquire) != 0)
    crew->done.wait(lock);
}

void WorkerPool::dismiss(std::unique_lock<std::mutex> &lock) {
  Crew &own = *crew;
  own.leave = true;
  posted.fetch_add(1, std::memory_order_relaxed);
  own.wake.notify_all();
  lock.unlock();
  for (auto &thread : own.threads)
    thread->join();
  lock.lock();
}

void WorkerPool::afterForkInChild() {
  // The threads do not exist in the child process. Their condition variable cannot be destroyed,
  // because a thread of the parent waits on it.
  useTeam(nullptr);
  (void)crew.release();
  crew = std::make_unique<Crew>();
  open.clear();
  mutex.unlock();
}

} // namespace pumice::cpu_driver
