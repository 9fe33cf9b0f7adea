//===- Dump.h - writes every stage of a run to files ------------------------===//
//   DIR/code/NAME.spv, .spvasm, .reflection.json    each module.
//   DIR/code/NAME.executable.txt                    each executable.
//   DIR/launch-N.json                               launch N with everything resolved.
//   DIR/results-N/BUFFER.npy                        the buffers' contents at the end.
//                                                     launch-N.json names the file of each buffer.
//===-------------------------------------------------------------------------===//
#pragma once

#include "tools/run/Execute.h"

namespace pumice::run {

Status dumpCode(const CodeFiles &files, const std::string &folder);
Status dumpLaunch(const ResolvedLaunch &launch, size_t number, const std::string &folder);
Status dumpResults(const ResolvedLaunch &launch, const ExecuteResult &result, size_t number,
                   const std::string &folder);

/// Returns the result of reflection as JSON.
std::string reflectionJson(const executable::SpirvModule &module);

} // namespace pumice::run
