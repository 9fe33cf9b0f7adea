//===- Watchdog.cpp - ends launches that take too long ----------------------===//
#include "runtime/drivers/cpu/Watchdog.h"

#include "runtime/drivers/cpu/Faults.h"

#include <algorithm>
#include <utility>

namespace pumice::cpu_driver {

struct Watchdog::Guard {
  std::unique_ptr<Thread> thread;
  std::condition_variable changed;
  Clock::time_point sleepsUntil = Clock::time_point::max();
  bool leave = false;
};

Watchdog::Watchdog(std::chrono::milliseconds limit)
    : milliseconds(limit.count()), guard(std::make_unique<Guard>()) {
  startWatching();
}

Watchdog::~Watchdog() {
  stopWatching();
  std::unique_lock lock(mutex);
  guard->leave = true;
  guard->changed.notify_all();
  lock.unlock();
  if (guard->thread)
    guard->thread->join();
}

void Watchdog::setLimit(std::chrono::milliseconds limit) {
  milliseconds.store(limit.count(), std::memory_order_relaxed);
}

void Watchdog::Watch::begin() {
  deadline = Clock::now() + dog.limit();
  std::lock_guard lock(dog.mutex);
  watching = true;
  dog.watches.push_back(this);
  Guard &guard = *dog.guard;
  if (!guard.thread)
    guard.thread = Thread::start("pumice-watchdog", [owner = &dog, &guard] { owner->work(guard); });
  else if (deadline < guard.sleepsUntil)
    guard.changed.notify_all();
}

void Watchdog::Watch::end() {
  std::lock_guard lock(dog.mutex);
  std::erase(dog.watches, this);
}

void Watchdog::work(Guard &own) {
  std::unique_lock lock(mutex);
  bool recently = true; // whether a launch was watched since the last sleep
  while (!own.leave) {
    Clock::time_point now = Clock::now(), next = Clock::time_point::max();
    for (Watch *watch : watches) {
      if (watch->deadline <= now)
        cancel(*watch);
      else
        next = std::min(next, watch->deadline);
      recently = true;
    }
    // Launches start and end often. While they do, this thread sleeps for the usual time, so that a
    // launch need not wake it.
    if (next == Clock::time_point::max() && std::exchange(recently, false))
      next = now + std::max(limit(), std::chrono::milliseconds(1));
    own.sleepsUntil = next;
    if (next == Clock::time_point::max())
      own.changed.wait(lock);
    else
      own.changed.wait_until(lock, next);
  }
}

void Watchdog::cancel(Watch &watch) {
  std::atomic_ref word(watch.cancel);
  if (word.load(std::memory_order_relaxed))
    return;
  notePlaces(&watch.cancel); // before the code reads the word, and stops
  word.store(1, std::memory_order_relaxed);
}

void Watchdog::afterForkInChild() {
  // The thread does not exist in the child process. Destroying the guard would destroy a condition
  // variable on which the parent's thread waits.
  (void)guard.release();
  guard = std::make_unique<Guard>();
  watches.clear();
  mutex.unlock();
}

} // namespace pumice::cpu_driver
