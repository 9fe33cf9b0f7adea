//===- CompileProgress.h - what is being compiled, for those who wait -------===//
// A compilation that takes longer than a second is shown on the terminal. The line changes once a
// second, and disappears when the compilation ends:
//
//   pumice: 3 s, compiling attention_k: tile lowering: pumice-fuse-fragment-loops
//
// Nothing is shown until a program asks for it by `show`. PUMICE_PROGRESS is the number of seconds
// before the first line and between lines; 0 shows nothing.
//===-------------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace pumice::progress {

/// Shows compilations, or stops showing them, also those that run already. Thread-safe.
void show(bool on);

/// A compilation on this thread, from here to the end of its scope. Within another one of the same
/// thread, it only names the stage that this one has reached.
class Compilation {
public:
  Compilation(std::string_view kernel, std::string_view stage);
  ~Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// Whether anybody may look: stages need not be named otherwise.
  static bool isWatched();
  /// Names the stage that this thread's compilation has reached; nothing outside of one.
  static void reach(std::string_view stage);
};

/// The same for callers that have no scope: each `begin` needs an `end` on the same thread.
void begin(std::string_view kernel, std::string_view stage);
void end();

} // namespace pumice::progress
