//===- ForkSafety.cpp - locks and threads when a process forks --------------===//
#include "support/ForkSafety.h"

#include "support/PlatformThreads.h"

#include <algorithm>
#include <atomic>
#include <vector>

namespace pumice {

struct ForkList {
  std::mutex mutex;
  std::vector<ForkAware *> members;
  std::atomic<uint32_t> forks = 0;

  /// The object is never destroyed, because a process may fork and release devices while it exits.
  static ForkList &instance() {
    static ForkList &list = *[] {
      auto *made = new ForkList;
      aroundForks(before, inParent, inChild);
      return made;
    }();
    return list;
  }

  static void before() {
    instance().mutex.lock();
    for (ForkAware *member : instance().members)
      member->beforeFork();
  }
  static void inParent() {
    for (ForkAware *member : instance().members)
      member->afterForkInParent();
    instance().mutex.unlock();
  }
  static void inChild() {
    ++instance().forks;
    for (ForkAware *member : instance().members)
      member->afterForkInChild();
    instance().mutex.unlock();
  }

  static void add(ForkAware *member) {
    std::lock_guard lock(instance().mutex);
    instance().members.push_back(member);
  }
  static void remove(ForkAware *member) {
    std::lock_guard lock(instance().mutex);
    std::erase(instance().members, member);
  }
};

uint32_t forksSoFar() { return ForkList::instance().forks; }

void ForkAware::startWatching() { ForkList::add(this); }
void ForkAware::stopWatching() { ForkList::remove(this); }

} // namespace pumice
