//===- CompileProgress.h - shows a running compilation on the terminal ------===//
// If a compilation takes longer than a second, the terminal shows it. The line changes every
// second, and disappears when the compilation ends:
//
//   pumice: 3 s, compiling attention_k: tile lowering: pumice-fuse-fragment-loops
//
// Nothing is shown until a program calls `show`. PUMICE_PROGRESS is the number of seconds before
// the first line and between lines. 0 means that nothing is shown.
//===-------------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace pumice::progress {

/// Shows or hides compilations, including those that are running. Thread-safe.
void show(bool on);

/// A compilation on this thread, which lasts until the end of the scope. Inside another one on the
/// same thread, it only names the stage that the outer compilation has reached.
class Compilation {
public:
  Compilation(std::string_view kernel, std::string_view stage);
  ~Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  /// Returns whether compilations may be shown. If not, stages need not be named.
  static bool isWatched();
  /// Names the stage that the compilation of this thread has reached. Without a compilation, does
  /// nothing.
  static void reach(std::string_view stage);
};

/// Begin and end a compilation like the class above, for callers that have no scope. Each `begin`
/// needs an `end` on the same thread.
void begin(std::string_view kernel, std::string_view stage);
void end();

} // namespace pumice::progress
