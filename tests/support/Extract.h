//===- Extract.h - the variants of an executable as files -------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string>

namespace pumice::tests {

/// Writes each variant's code as FOLDER/N.spv (or .bin), and FOLDER/variants.json: a list of
/// {"file", "kind", "target", "targetEnv", "entryPoints": [...], "subgroupSize"}.
Status extractVariants(const std::string &executable, const std::string &folder);

} // namespace pumice::tests
