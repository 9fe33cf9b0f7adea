//===- Launcher.h - the header and the source of launchers ------------------===//
#pragma once

#include "compiler/export/CNames.h"
#include "compiler/export/Plan.h"

#include <map>

namespace pumice::exporting {

/// The identifiers of one kernel's launcher.
struct LauncherNames {
  std::string function;                // in C
  std::string method;                  // in C++
  std::vector<std::string> parameters; // one for each parameter
};

/// The identifiers of an export. Its files use these alone.
struct Names {
  std::string prefix;                   // the namespace, and the prefix of C functions
  std::string load, data, size;         // functions and objects of C
  std::vector<LauncherNames> launchers; // one for each kernel
};
Names namesOf(const Plan &plan);

/// Returns the header.
std::string headerText(const Plan &plan, const Names &names);
/// Returns the launchers' source.
std::string sourceText(const Plan &plan, const Names &names, const std::string &header);
/// Returns a source with the executable's bytes.
std::string dataText(const Plan &plan, const Names &names, const std::vector<uint8_t> &bytes);

/// Returns the parameters of a launcher's function, as both files write them.
std::string parameterList(const Kernel &kernel, const LauncherNames &names, Language language);
/// Returns the type of a scalar in C. Vectors of `f16` and `bf16` hold bits.
std::string scalarType(const Parameter &parameter);
/// Returns an expression in C, of type int64_t, and notes the helpers that it calls.
std::string expressionText(const Expression &expression, const Kernel &kernel,
                           const LauncherNames &names, std::set<std::string> &helpers);
/// Returns the definition of a helper of launchers.
std::string helperText(const std::string &name);
/// Returns the order in which helpers must be defined.
const std::vector<std::string> &helperOrder();

} // namespace pumice::exporting
