//===- CompileProgress.cpp - shows the progress of long compilations --------===//
#include "support/CompileProgress.h"

#include "support/ForkSafety.h"
#include "support/PlatformThreads.h"
#include "support/Terminal.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <list>
#include <mutex>
#include <string>

using namespace pumice;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view eraseLine = "\r\033[K";

struct Entry {
  uint64_t number;
  std::string kernel, stage;
  Clock::time_point start;
};

/// Returns the seconds before the first line and between lines. 0 means that no lines are shown.
double intervalAsked() {
  const char *text = std::getenv("PUMICE_PROGRESS");
  if (!text || !*text)
    return 1;
  char *end = nullptr;
  double seconds = std::strtod(text, &end);
  bool isNumber = end != text && *end == '\0';
  return isNumber ? std::clamp(seconds, 0.0, 3600.0) : 0; // "off", "no"
}

/// Shortens a name. Names that other compilers make may have hundreds of letters, and differ only
/// at their ends.
std::string shortened(const std::string &name, size_t most) {
  return name.size() <= most ? name : "..." + name.substr(name.size() - (most - 3));
}

/// Lists the running compilations, and owns the thread that shows them. The object is never
/// destroyed, because threads may still compile when the process ends.
class Reporter final : ForkAware {
public:
  static Reporter &instance() {
    static Reporter &reporter = *new Reporter;
    return reporter;
  }

  uint64_t add(std::string_view kernel, std::string_view stage) {
    std::lock_guard lock(mutex);
    running.push_back({++last, std::string(kernel), std::string(stage), Clock::now()});
    if (!hasThread) {
      hasThread = true;
      // If the thread cannot be started, nothing is shown.
      if (std::unique_ptr<Thread> thread = Thread::start("pumice-progress", [this] { report(); }))
        thread->detach();
    } else if (running.size() == 1) {
      changed->notify_one();
    }
    return last;
  }

  void reach(uint64_t number, std::string_view stage) {
    std::lock_guard lock(mutex);
    for (Entry &entry : running)
      if (entry.number == number)
        entry.stage = stage;
  }

  void remove(uint64_t number) {
    std::lock_guard lock(mutex);
    std::erase_if(running, [&](const Entry &entry) { return entry.number == number; });
    erase();
  }

  void show(bool on) {
    std::lock_guard lock(mutex);
    isShown = on && interval.count() > 0;
    if (!isShown)
      erase();
  }

  bool isWatched() const { return isShown; }

private:
  Reporter() {
    startWatching();
    std::atexit([] { instance().endProcess(); });
  }

  /// Erases the line, so that other output begins in the first column.
  void erase() {
    if (isLineThere)
      terminal::write(eraseLine);
    isLineThere = false;
  }

  void endProcess() {
    std::unique_lock lock(mutex, std::try_to_lock);
    if (lock)
      erase();
    isShown = false;
  }

  void report() {
    std::unique_lock lock(mutex);
    Clock::time_point next{};
    while (true) {
      if (running.empty()) {
        changed->wait(lock);
        continue;
      }
      Clock::time_point due = std::max(next, running.front().start + interval);
      if (Clock::now() < due) {
        changed->wait_until(lock, due);
        continue;
      }
      next = Clock::now() + interval;
      if (isShown && terminal::isThere())
        print(running.front());
    }
  }

  void print(const Entry &oldest) {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - oldest.start);
    size_t columns = terminal::columns();
    std::string line = "pumice: " + std::to_string(seconds.count()) + " s, compiling " +
                       shortened(oldest.kernel, std::max<size_t>(columns / 2, 8));
    if (running.size() > 1)
      line += " and " + std::to_string(running.size() - 1) + " more";
    line += ": " + oldest.stage;
    // A line that is too long would wrap, and then could not be erased.
    line.resize(std::min(line.size(), columns - 1));
    terminal::write(std::string(eraseLine) + line);
    isLineThere = true;
  }

  void beforeFork() override { mutex.lock(); }
  void afterForkInParent() override { mutex.unlock(); }
  /// In a child of a fork, the thread and its line on the terminal belong to the parent.
  void afterForkInChild() override {
    running.clear();
    changed = new std::condition_variable; // the parent's thread waits on the old one
    hasThread = isLineThere = false;
    mutex.unlock();
  }

  std::mutex mutex;
  std::condition_variable *changed = new std::condition_variable;
  std::list<Entry> running; // the oldest one first
  const std::chrono::duration<double, std::milli> asked{intervalAsked() * 1000};
  const Clock::duration interval = std::chrono::duration_cast<Clock::duration>(asked);
  uint64_t last = 0;
  bool hasThread = false, isLineThere = false;
  std::atomic<bool> isShown = false;
};

// Whether the program has asked for progress. If not, nothing is created.
std::atomic<bool> isAsked = false;

thread_local uint64_t ofThisThread = 0; // the number of this thread's entry; 0: none
thread_local unsigned depth = 0;        // the number of nested scopes

} // namespace

void progress::show(bool on) {
  if (on)
    isAsked = true;
  if (isAsked)
    Reporter::instance().show(on);
}

void progress::begin(std::string_view kernel, std::string_view stage) {
  if (depth++ == 0)
    ofThisThread = Compilation::isWatched() ? Reporter::instance().add(kernel, stage) : 0;
  else
    Compilation::reach(stage);
}

void progress::end() {
  if (depth == 0 || --depth > 0 || !ofThisThread)
    return;
  Reporter::instance().remove(ofThisThread);
  ofThisThread = 0;
}

progress::Compilation::Compilation(std::string_view kernel, std::string_view stage) {
  begin(kernel, stage);
}

progress::Compilation::~Compilation() { end(); }

bool progress::Compilation::isWatched() { return isAsked && Reporter::instance().isWatched(); }

void progress::Compilation::reach(std::string_view stage) {
  if (ofThisThread)
    Reporter::instance().reach(ofThisThread, stage);
}
