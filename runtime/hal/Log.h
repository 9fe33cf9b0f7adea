//===- Log.h - messages that are not results of calls ---------------------===//
// The program may set a listener. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string_view>

namespace pumice::hal {

enum class LogLevel { Error, Warning, Info };
using LogSink = std::function<void(LogLevel, std::string_view)>;

/// Replaces the listener. By default there is none. When this returns, no thread is in the earlier
/// one.
void setLogSink(LogSink sink);

/// Passes the text to the listener. Returns false if there is none.
bool log(LogLevel level, std::string_view text);

} // namespace pumice::hal
