//===- Threads.cpp - keeps idle threads, and makes others if all are busy ---===//
#include "python/torch_shim/distributed/Threads.h"

#include <chrono>
#include <thread>

namespace pumice::vk {
namespace {

class Pool {
public:
  void run(std::function<void()> function) {
    std::lock_guard lock(mutex);
    waiting.push_back(std::move(function));
    if (waiting.size() <= idle)
      arrived.notify_one();
    else
      std::thread([this] { work(); }).detach();
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
    }
  }

  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<std::function<void()>> waiting;
  size_t idle = 0;
};

} // namespace

void runOnThread(std::function<void()> function) {
  // Never destroyed: threads may wait for a lost peer while the process exits.
  static auto *pool = new Pool;
  pool->run(std::move(function));
}

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
