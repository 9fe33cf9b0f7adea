//===- Arguments.h - command lines of the pumice subcommands ----------------===//
// A command declares its options once; parsing, the help text and the errors follow from that.
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
  std::string value;    // what the help calls its value: "TARGET"; empty for a flag
  std::string help;     // one line
  bool repeats = false; // may be given several times
};

struct Command {
  std::string name;      // "compile"
  std::string arguments; // positional ones, as the usage line shows them: "INPUT.mlir"
  std::string summary;   // one line, no full stop
  std::string details;   // paragraphs and examples under the options
  std::vector<Option> options;
  size_t minPositional = 0, maxPositional = 0;
};

class Arguments {
public:
  /// Understands `--name value`, `--name=value`, and `--` before positional arguments that begin
  /// with a dash. An unknown option names the nearest known one.
  static Result<Arguments> parse(const Command &command, int argc, char **argv);

  bool has(std::string_view name) const { return given.contains(std::string(name)); }
  /// The last value given, or `otherwise`.
  std::string value(std::string_view name, std::string_view otherwise = "") const;
  std::vector<std::string> values(std::string_view name) const;
  const std::vector<std::string> &positional() const { return positionals; }
  bool wantsHelp() const { return has("--help"); }

private:
  std::map<std::string, std::vector<std::string>> given;
  std::vector<std::string> positionals;
};

/// Usage, summary, options and details, as `pumice COMMAND --help` prints them.
std::string helpText(const Command &command);

/// Prints "pumice COMMAND: error: MESSAGE" and where help is; the exit status for wrong usage.
int usageError(const Command &command, const Status &status);

/// Prints "pumice COMMAND: error: MESSAGE"; the exit status for work that failed.
int failed(const Command &command, const Status &status);

} // namespace pumice::tools
