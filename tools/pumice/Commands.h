//===- Commands.h - the subcommands of pumice, a file each ------------------===//
// Each takes its own command line (argv[0] is its name) and returns the exit status: 0 when it did
// what was asked, 1 when that failed, 2 when it was asked wrongly. (`run` keeps 1 for results that
// are not as expected.)
//===-------------------------------------------------------------------------===//
#pragma once

namespace pumice::tools {

int cacheCommand(int argc, char **argv);
int compileCommand(int argc, char **argv);
int completionCommand(int argc, char **argv);
int devicesCommand(int argc, char **argv);
int doctorCommand(int argc, char **argv);
int operationsCommand(int argc, char **argv);
int inspectCommand(int argc, char **argv);
int mslCommand(int argc, char **argv);
int runCommand(int argc, char **argv);
int targetEnvCommand(int argc, char **argv);

} // namespace pumice::tools
