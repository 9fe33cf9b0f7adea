//===- InspectJson.h - an executable's contents for programs ----------------===//
#pragma once

#include "executable/Executable.h"

#include <string>

namespace pumice::tools {

/// Everything but the code, with the format's own field names; enumerations by name, what the
/// caller chooses ("?" for people) as null. Variants are numbered from `firstVariant` on.
std::string inspectJson(const executable::Executable &contents, size_t firstVariant);

} // namespace pumice::tools
