//===- Threads.cpp - keeps idle threads, and makes others if all are busy ---===//
#include "python/torch_shim/distributed/Threads.h"

#include <thread>

namespace pumice::vk {
namespace {

class Pool {
public:
  void run(std::function<void()> function) {
    std::lock_guard lock(mutex);
    waiting.push_back(std::move(function));
    ++unfinished;
    if (waiting.size() <= idle)
      arrived.notify_one();
    else
      std::thread([this] { work(); }).detach();
  }
  void awaitAll(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    finished.wait_for(lock, patience, [this] { return unfinished == 0; });
  }

private:
  void work() {
    constexpr auto patience = std::chrono::seconds(10);
    std::unique_lock lock(mutex);
    while (true) {
      ++idle;
      bool hasWork = arrived.wait_for(lock, patience, [this] { return !waiting.empty(); });
      --idle;
      if (!hasWork)
        return;
      std::function<void()> function = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      function();
      function = nullptr; // frees what it holds without the lock
      lock.lock();
      if (--unfinished == 0)
        finished.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable arrived, finished;
  std::deque<std::function<void()>> waiting;
  size_t idle = 0, unfinished = 0;
};

/// Never destroyed: threads may wait for a lost peer while the process exits.
Pool &pool() {
  static auto *one = new Pool;
  return *one;
}

} // namespace

void runOnThread(std::function<void()> function) { pool().run(std::move(function)); }

void awaitThreads(std::chrono::milliseconds patience) { pool().awaitAll(patience); }

void SerialQueue::add(std::function<void()> function) {
  std::lock_guard lock(mutex);
  waiting.push_back(std::move(function));
  if (isRunning)
    return;
  isRunning = true;
  runOnThread([self = shared_from_this()] { self->drain(); });
}

void SerialQueue::drain() {
  std::unique_lock lock(mutex);
  while (!waiting.empty()) {
    std::function<void()> function = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    function();
    function = nullptr;
    lock.lock();
  }
  isRunning = false;
  emptied.notify_all();
}

void SerialQueue::waitUntilEmpty() {
  std::unique_lock lock(mutex);
  emptied.wait(lock, [this] { return !isRunning; });
}

} // namespace pumice::vk
