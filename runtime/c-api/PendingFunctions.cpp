//===- PendingFunctions.cpp - functions that are made on other threads ------===//
#include "runtime/c-api/Handles.h"
#include "support/ForkSafety.h"

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <thread>

using namespace pumice;
using namespace pumice::capi;

namespace {

/// A function that is being made. The handle and the worker thread share this object.
struct Making {
  Making(pumice_executable *executable, std::string name, hal::FunctionOptions options)
      : executable(executable), name(std::move(name)), options(std::move(options)) {
    retainHandle(executable);
  }
  ~Making() {
    releaseHandle(function);
    releaseHandle(executable);
  }
  void make() {
    Result<pumice_function *> made = makeFunction(executable, name, options);
    std::lock_guard lock(mutex);
    if (made.isOk())
      function = *made;
    else
      failure = made.status();
    isDone = true;
    done.notify_all();
  }

  pumice_executable *const executable; // holds a reference
  const std::string name;
  const hal::FunctionOptions options;
  std::mutex mutex; // guards the members below
  std::condition_variable done;
  bool isDone = false;
  pumice_function *function = nullptr; // holds a reference
  Status failure;
};

/// Worker threads. They start when there is work, up to the number of processors, and end when
/// there is none. The object is never destroyed. But before the process exits, all threads have
/// ended, because no thread may use a driver then.
class Workers {
public:
  static Workers &global() {
    // After a fork, the child has none of the threads of its parent.
    static std::mutex mutex;
    static Workers *current = nullptr;
    static uint32_t forks = 0;
    std::lock_guard lock(mutex);
    if (!current || forks != forksSoFar()) {
      if (!current)
        std::atexit([] { global().finish(); });
      forks = forksSoFar();
      current = new Workers;
    }
    return *current;
  }

  void add(std::shared_ptr<Making> making) {
    std::lock_guard lock(mutex);
    waiting.push_back(std::move(making));
    if (threads >= std::max(std::thread::hardware_concurrency(), 1u))
      return;
    ++threads;
    std::thread([this] { work(); }).detach();
  }

private:
  void work() {
    std::unique_lock lock(mutex);
    while (!waiting.empty()) {
      std::shared_ptr<Making> making = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      making->make();
      making = nullptr;
      lock.lock();
    }
    --threads;
    idle.notify_all();
  }
  void finish() {
    std::unique_lock lock(mutex);
    waiting.clear();
    idle.wait(lock, [&] { return threads == 0; });
  }

  std::mutex mutex;
  std::condition_variable idle;
  std::deque<std::shared_ptr<Making>> waiting;
  unsigned threads = 0;
};

} // namespace

struct pumice_pending_function : HandleOf<Kind::PendingFunction> {
  std::shared_ptr<Making> making;
};

namespace {

Status begin(pumice_executable *executable, const char *name,
             const pumice_function_options *options, pumice_pending_function **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "pending"));
  PUMICE_RETURN_IF_ERROR(check(executable, "executable"));
  PUMICE_TRY(hal::FunctionOptions chosen, functionOptions(options));
  *place = new pumice_pending_function;
  (*place)->making = std::make_shared<Making>(executable, name ? name : "", std::move(chosen));
  Workers::global().add((*place)->making);
  return Status::ok();
}

Status wait(pumice_pending_function *pending, uint64_t timeout, pumice_function **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "function"));
  PUMICE_RETURN_IF_ERROR(check(pending, "pending"));
  Making &making = *pending->making;
  std::unique_lock lock(making.mutex);
  auto isDone = [&] { return making.isDone; };
  // A clock cannot count more than about 290 years.
  constexpr uint64_t longest = uint64_t(INT64_MAX) / 2;
  if (timeout >= longest)
    making.done.wait(lock, isDone);
  else if (!making.done.wait_for(lock, std::chrono::nanoseconds(timeout), isDone))
    return Status(StatusCode::DeadlineExceeded, "the function is not ready yet");
  PUMICE_RETURN_IF_ERROR(making.failure);
  retainHandle(making.function);
  *place = making.function;
  return Status::ok();
}

} // namespace

pumice_status pumice_executable_begin_function(pumice_executable *executable, const char *name,
                                               const pumice_function_options *options,
                                               pumice_pending_function **pending) {
  return answer(begin(executable, name, options, pending));
}

pumice_status pumice_pending_function_wait(pumice_pending_function *pending,
                                           uint64_t timeout_nanoseconds,
                                           pumice_function **function) {
  return answer(wait(pending, timeout_nanoseconds, function));
}

void pumice_pending_function_release(pumice_pending_function *pending) { releaseHandle(pending); }
