//===- Log.h - messages that are not results of calls -----------------------===//
// Passes messages to a listener that the program may set. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string_view>

namespace pumice::hal {

enum class LogLevel { Error, Warning, Info };
using LogSink = std::function<void(LogLevel, std::string_view)>;

/// Replaces the listener. By default, there is none. After this call, no thread runs the previous
/// listener.
void setLogSink(LogSink sink);

/// Passes the text to the listener. Without a listener, returns false.
bool log(LogLevel level, std::string_view text);

} // namespace pumice::hal
