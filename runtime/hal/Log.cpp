//===- Log.cpp - messages that no call returns ------------------------------===//
#include "runtime/hal/Log.h"

#include <mutex>
#include <shared_mutex>

namespace pumice::hal {
namespace {

/// The object is never destroyed, because threads may log while the process exits.
struct Listener {
  std::shared_mutex mutex;
  LogSink sink;
};
Listener &listener() {
  static auto *one = new Listener;
  return *one;
}

} // namespace

void setLogSink(LogSink sink) {
  std::unique_lock lock(listener().mutex);
  listener().sink = std::move(sink);
}

bool log(LogLevel level, std::string_view text) {
  std::shared_lock lock(listener().mutex);
  if (!listener().sink)
    return false;
  listener().sink(level, text);
  return true;
}

} // namespace pumice::hal
