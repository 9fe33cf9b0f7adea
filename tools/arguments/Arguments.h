//===- Arguments.h - command lines of the pumice subcommands ----------------===//
// A command declares its options once. Parsing, the help text and the errors follow from that.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::tools {

struct Option {
  std::string name;     // "--target", or "-o"
  std::string value;    // the name of its value in the help text: "TARGET"; empty for a flag
  std::string help;     // one line
  bool repeats = false; // may be given several times
};

struct Command {
  std::string name;      // "compile"
  std::string arguments; // positional arguments, as in the usage line: "INPUT.mlir"
  std::string summary;   // one line, no full stop
  std::string details;   // paragraphs and examples below the options
  std::vector<Option> options;
  size_t minPositional = 0, maxPositional = 0;
};

class Arguments {
public:
  /// Parses `--name value`, `--name=value`, and `--` before positional arguments that begin with a
  /// dash. The error for an unknown option suggests the most similar one.
  static Result<Arguments> parse(const Command &command, int argc, char **argv);

  bool has(std::string_view name) const { return given.contains(std::string(name)); }
  /// Returns the last given value, or `otherwise`.
  std::string value(std::string_view name, std::string_view otherwise = "") const;
  std::vector<std::string> values(std::string_view name) const;
  const std::vector<std::string> &positional() const { return positionals; }
  bool wantsHelp() const { return has("--help"); }

private:
  std::map<std::string, std::vector<std::string>> given;
  std::vector<std::string> positionals;
};

/// Returns usage, summary, options and details, as `pumice COMMAND --help` prints them.
std::string helpText(const Command &command);

/// Prints "pumice COMMAND: error: MESSAGE", and how to get help. Returns the exit status for wrong
/// usage.
int usageError(const Command &command, const Status &status);

/// Prints "pumice COMMAND: error: MESSAGE". Returns the exit status for a failure.
int failed(const Command &command, const Status &status);

} // namespace pumice::tools
