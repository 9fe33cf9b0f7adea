//===- InspectJson.h - an executable's contents for programs ----------------===//
#pragma once

#include "executable/Executable.h"

#include <string>

namespace pumice::tools {

/// Returns everything except the code, with the format's own field names. Enumerations are given by
/// name. Values that the caller chooses ("?" in the text form) are null. Variants are numbered from
/// `firstVariant` on.
std::string inspectJson(const executable::Executable &contents, size_t firstVariant);

} // namespace pumice::tools
