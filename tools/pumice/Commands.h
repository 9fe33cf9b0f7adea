//===- Commands.h - the subcommands of pumice -------------------------------===//
// Each subcommand has a file. It takes its command line (argv[0] is its name), and returns the exit
// status. 0 means success, 1 failure, and 2 wrong usage. (`run` returns 1 only for results that
// differ from the expected ones.)
//===-------------------------------------------------------------------------===//
#pragma once

namespace pumice::tools {

int cacheCommand(int argc, char **argv);
int compileCommand(int argc, char **argv);
int completionCommand(int argc, char **argv);
int devicesCommand(int argc, char **argv);
int doctorCommand(int argc, char **argv);
int exportCommand(int argc, char **argv);
int operationsCommand(int argc, char **argv);
int inspectCommand(int argc, char **argv);
int mslCommand(int argc, char **argv);
int runCommand(int argc, char **argv);
int targetEnvCommand(int argc, char **argv);

} // namespace pumice::tools
