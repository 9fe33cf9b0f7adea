//===- QuickMutex.cpp - waiting for who is recording ------------------------===//
#include "support/QuickMutex.h"

#include "support/Spin.h"

#include <thread>

namespace pumice {

void QuickMutex::wait() {
  using namespace std::chrono_literals;
  auto isFree = [this] { return !held.load(std::memory_order_relaxed); };
  do {
    if (!spinUntil(10us, isFree))
      while (!isFree())
        std::this_thread::sleep_for(50us);
  } while (!try_lock());
}

} // namespace pumice
