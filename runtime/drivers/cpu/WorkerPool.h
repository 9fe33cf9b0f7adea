//===- WorkerPool.h - threads that share the pieces of one job --------------===//
// A job has a fixed number of pieces, which a counter hands out in chunks. The thread that submits
// a job also works on it, and returns when all pieces are done. Several jobs may run at once. No
// job waits for another one, because the submitting thread always works on its own job. Idle
// workers spin for a while, and then sleep. The workers start with the first job that needs them.
// After a fork, parent and child have separate workers. Thread-safe.
//
// A process may name a team instead, such as the threads of OpenMP that its other libraries use.
// Two pools of spinning threads would take the processors from each other.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/ForkSafety.h"
#include "support/PlatformThreads.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace pumice::cpu_driver {

/// Calls `work(data)` on each thread of a team, the calling thread among them, and returns when all
/// calls have returned. `threads` is the size of the team, or 0 for its usual size. This is the
/// type of GOMP_parallel, which GCC's and LLVM's libraries of OpenMP have.
using RunTeam = void (*)(void (*work)(void *data), void *data, unsigned threads, unsigned flags);

class WorkerPool final : ForkAware {
public:
  /// Sets the team that works on the jobs of all pools from now on. Null means the pools' workers.
  /// A child of a fork uses workers, since the team's threads do not exist there.
  static void useTeam(RunTeam run) { team.store(run, std::memory_order_relaxed); }
  static bool hasTeam() { return team.load(std::memory_order_relaxed) != nullptr; }

  class Job {
  public:
    /// Runs pieces [begin, end). Any threads may call this, several of them at once.
    virtual void run(uint64_t begin, uint64_t end) = 0;

  protected:
    ~Job() = default;
  };

  WorkerPool(unsigned threads, bool pin, std::chrono::microseconds spin);
  ~WorkerPool() override;

  /// Runs `count` pieces. A thread takes `chunk` (not 0) pieces at a time.
  void run(Job &job, uint64_t count, uint64_t chunk);

  /// Returns how many threads work on a job, including the thread that submits it.
  unsigned threads() const { return wanted.load(std::memory_order_relaxed); }
  /// Sets the number of threads for later jobs. Excess workers stay asleep.
  void setThreads(unsigned count) { wanted.store(count ? count : 1, std::memory_order_relaxed); }

private:
  struct Open; // a job in progress
  struct Crew; // the threads, and their condition variable

  static inline std::atomic<RunTeam> team = nullptr;

  void work(Crew &crew, unsigned number);
  Open *find();
  void hire(unsigned count);
  void dismiss(std::unique_lock<std::mutex> &lock);
  void beforeFork() override { mutex.lock(); }
  void afterForkInParent() override { mutex.unlock(); }
  void afterForkInChild() override;

  const bool pin;
  const std::chrono::microseconds spin;
  std::atomic<unsigned> wanted;
  std::atomic<uint32_t> posted = 0; // the number of jobs so far; idle workers watch it

  std::mutex mutex; // guards the members below
  std::unique_ptr<Crew> crew;
  std::vector<Open *> open; // the oldest first
};

} // namespace pumice::cpu_driver
