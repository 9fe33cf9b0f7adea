//===- CompileProgress.h - shows a running compilation on the terminal ----===//
// A compilation that takes longer than a second is shown on the terminal. The line changes once a
// second, and disappears when the compilation ends:
//
//   pumice: 3 s, compiling attention_k: tile lowering: pumice-fuse-fragment-loops
//
// Nothing is shown until a program calls `show`. PUMICE_PROGRESS is the number of seconds before
// the first line and between lines; 0 shows nothing.
//===-------------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace pumice::progress {

/// Shows or hides compilations, including running ones. Thread-safe.
void show(bool on);

/// A compilation on this thread, from here to the end of its scope. Inside another one on the same
/// thread, it only names the stage that the outer one has reached.
class Compilation {
public:
  Compilation(std::string_view kernel, std::string_view stage);
  ~Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// Returns whether compilations may be shown. Otherwise stages need not be named.
  static bool isWatched();
  /// Names the stage that this thread's compilation has reached. Does nothing outside of one.
  static void reach(std::string_view stage);
};

/// Begins and ends a compilation like the scope above, for callers without a scope. Each `begin`
/// needs an `end` on the same thread.
void begin(std::string_view kernel, std::string_view stage);
void end();

} // namespace pumice::progress
