//===- CompletionCommand.cpp - pumice completion ----------------------------===//
// The scripts ask `pumice --help` and `pumice COMMAND --help` for names, so they never go out of
// date. If a command takes one of several words, its usage line lists them: [list|clear|path]. If
// an option does, the help has a line such as: KIND is one of spirv, mlir.
//===-------------------------------------------------------------------------===//
#include "tools/arguments/Arguments.h"
#include "tools/pumice/Commands.h"

#include <cstdio>

using namespace pumice;
using namespace pumice::tools;

namespace {

const Command command{
    "completion",
    "bash|zsh|fish",
    "Print a script that completes commands, options and targets in a shell",
    "examples:\n"
    "  source <(pumice completion bash)                 # in ~/.bashrc\n"
    "  source <(pumice completion zsh)                  # in ~/.zshrc, after compinit\n"
    "  pumice completion fish | source                  # in ~/.config/fish/config.fish",
    {},
    1,
    1};

constexpr const char *bash = R"sh(# Completion of pumice for bash: source <(pumice completion bash)
_pumice_values() { # lists the words that option $2 of command $1 takes
  local help name
  help=$(pumice "$1" --help 2>/dev/null)
  name=$(sed -n "s/^  $2 \([A-Z]*\) .*/\1/p" <<<"$help")
  [ -n "$name" ] && sed -n "s/^$name is one of //p" <<<"$help" | sed 's/[,.]//g; s/=[A-Z]*/=/g'
}
_pumice() {
  # Bash breaks words at colons, which names of devices contain. So this splits the line at spaces.
  local line=${COMP_LINE:0:COMP_POINT} words= typed number current before prefix
  read -ra typed <<<"$line"
  case $line in *[[:space:]]) typed+=('') ;; esac
  number=$((${#typed[@]} - 1)) current=${typed[number]} before=${typed[number-1]}
  if [ "$number" -eq 1 ]; then
    words=$(pumice --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
  elif [ "$before" = --target ]; then
    words="device $(pumice target-env --list 2>/dev/null | sed -n 's/^\([a-z][^ ]*\) .*/\1/p')"
    case $current in device:*)
      words=$(pumice devices 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/device:\1/p') ;;
    esac
  elif [ "$before" = --device ]; then
    words=$(pumice devices 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/\1/p')
  elif [ "$before" = -O ]; then
    words='0 1 2 3'
  elif [ "${current#-}" != "$current" ]; then
    words=$(pumice "${typed[1]}" --help 2>/dev/null | sed -n 's/^  \(-[A-Za-z-]*\) .*/\1/p')
  elif [ "${before#--}" != "$before" ]; then
    words=$(_pumice_values "${typed[1]}" "$before")
  elif [ "$number" -eq 2 ]; then
    words=$(pumice "${typed[1]}" --help 2>/dev/null |
      sed -n '1s/^usage: pumice [a-z-]* \[*\([a-z]*|[a-z|]*\)\]* .*/\1/p' | tr '|' ' ')
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case $COMP_WORDBREAKS in
    *:*) prefix=${current%"${current##*:}"} # bash replaces only what follows the last colon
         COMPREPLY=("${COMPREPLY[@]#"$prefix"}") ;;
  esac
}
complete -o default -F _pumice pumice
)sh";

constexpr const char *zsh = R"sh(#compdef pumice
# Completion of pumice for zsh: source <(pumice completion zsh)
_pumice_values() { # lists the words that option $2 of command $1 takes
  local help name
  help=$(pumice $1 --help 2>/dev/null)
  name=$(sed -n "s/^  $2 \([A-Z]*\) .*/\1/p" <<<$help)
  [[ -n $name ]] && sed -n "s/^$name is one of //p" <<<$help | sed 's/[,.]//g; s/=[A-Z]*/=/g'
}
_pumice() {
  local -a found
  if (( CURRENT == 2 )); then
    found=(${(f)"$(pumice --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *\(.*\)/\1:\2/p')"})
    _describe 'command' found
  elif [[ $words[CURRENT-1] == --target ]]; then
    if [[ $words[CURRENT] == device:* ]]; then
      found=(${(f)"$(pumice devices 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/device:\1/p')"})
    else
      found=(device ${(f)"$(pumice target-env --list 2>/dev/null | sed -n 's/^\([a-z][^ ]*\) .*/\1/p')"})
    fi
    compadd -a found
  elif [[ $words[CURRENT-1] == --device ]]; then
    found=(${(f)"$(pumice devices 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/\1/p')"})
    compadd -a found
  elif [[ $words[CURRENT-1] == -O ]]; then
    compadd 0 1 2 3
  elif [[ $words[CURRENT] == -* ]]; then
    found=(${(f)"$(pumice $words[2] --help 2>/dev/null | sed -n 's/^  \(-[A-Za-z-]*\) .*/\1/p')"})
    compadd -a found
  elif [[ $words[CURRENT-1] == --* ]]; then
    found=($(_pumice_values $words[2] $words[CURRENT-1]))
    if (( $#found )); then compadd -a found; else _files; fi
  else
    (( CURRENT == 3 )) && found=(${(s:|:)"$(pumice $words[2] --help 2>/dev/null |
      sed -n '1s/^usage: pumice [a-z-]* \[*\([a-z]*|[a-z|]*\)\]* .*/\1/p')"})
    if (( $#found )); then compadd -a found; else _files; fi
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _pumice "$@"; else compdef _pumice pumice; fi
)sh";

constexpr const char *fish = R"sh(# Completion of pumice for fish: pumice completion fish | source
function __pumice_options
  set -l words (commandline -opc)
  pumice $words[2] --help 2>/dev/null | sed -n 's/^  \(-[A-Za-z-]*\) .*/\1/p'
end
function __pumice_actions
  set -l words (commandline -opc)
  test (count $words) -eq 2; or return
  pumice $words[2] --help 2>/dev/null |
    sed -n '1s/^usage: pumice [a-z-]* \[*\([a-z]*|[a-z|]*\)\]* .*/\1/p' | string split '|'
end
function __pumice_values
  set -l words (commandline -opc)
  string match -q -- '--*' "$words[-1]"; or return
  set -l name (pumice $words[2] --help 2>/dev/null | sed -n "s/^  $words[-1] \([A-Z]*\) .*/\1/p")
  test -n "$name"; or return
  pumice $words[2] --help 2>/dev/null | sed -n "s/^$name is one of //p" |
    sed 's/[,.]//g; s/=[A-Z]*/=/g' | string split ' '
end
function __pumice_targets
  if string match -q 'device:*' -- (commandline -ct)
    pumice devices 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/device:\1/p'
  else
    echo device
    pumice target-env --list 2>/dev/null | sed -n 's/^\([a-z][^ ]*\) .*/\1/p'
  end
end
function __pumice_after
  set -l words (commandline -opc)
  test "$words[-1]" = $argv[1]
end
complete -c pumice -e
complete -c pumice -n __fish_use_subcommand -f -a "(pumice --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *\(.*\)/\1\t\2/p')"
complete -c pumice -n '__pumice_actions >/dev/null' -f -a '(__pumice_actions)'
complete -c pumice -n '__pumice_after --target' -f -a '(__pumice_targets)'
complete -c pumice -n '__pumice_values >/dev/null; and test -n "$(__pumice_values)"' -f -a '(__pumice_values)'
complete -c pumice -n '__pumice_after --device' -f -a "(pumice devices 2>/dev/null | sed -n 's/^\([a-z]*:[0-9]*\) .*/\1/p')"
complete -c pumice -n '__pumice_after -O' -f -a '0 1 2 3'
complete -c pumice -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -a '(__pumice_options)'
)sh";

} // namespace

int tools::completionCommand(int argc, char **argv) {
  Result<Arguments> arguments = Arguments::parse(command, argc, argv);
  if (!arguments.isOk())
    return usageError(command, arguments.status());
  if (arguments->wantsHelp()) {
    std::fputs(helpText(command).c_str(), stdout);
    return 0;
  }
  const std::string &shell = arguments->positional()[0];
  const char *script = shell == "bash"   ? bash
                       : shell == "zsh"  ? zsh
                       : shell == "fish" ? fish
                                         : nullptr;
  if (!script)
    return usageError(command, Status(StatusCode::InvalidArgument,
                                      "expected bash, zsh or fish, got '" + shell + "'"));
  std::fputs(script, stdout);
  return 0;
}
