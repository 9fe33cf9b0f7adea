//===- Log.h - messages that no call returns --------------------------------===//
// The program may listen. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string_view>

namespace pumice::hal {

enum class LogLevel { Error, Warning, Info };
using LogSink = std::function<void(LogLevel, std::string_view)>;

/// Replaces the listener; none by default. No thread is in the earlier one when this returns.
void setLogSink(LogSink sink);

/// Gives the text to the listener. False if there is none.
bool log(LogLevel level, std::string_view text);

} // namespace pumice::hal
