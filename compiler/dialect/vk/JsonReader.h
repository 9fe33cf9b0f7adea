//===- JsonReader.h - reads JSON values, and names their place in errors ----===//
#pragma once

#include "compiler/target/Tables.h"

#include "llvm/Support/JSON.h"

namespace pumice::vk {

/// Returns an error at `path`; the message says what was expected there.
Status jsonError(const std::string &path, std::string_view message);

/// Returns the JSON text of a value, shortened for messages.
std::string shortText(const llvm::json::Value &value);

/// Reads a number from 0 to `largest`.
Result<uint64_t> readJsonNumber(const llvm::json::Value &value, uint64_t largest,
                                const std::string &path);

/// Reads a limit: a number or three sizes. With `flags`, also names of enumerants and arrays of
/// flag names.
Status readJsonLimit(const llvm::json::Value &value, const target::LimitInfo &info, bool flags,
                     target::Limits &limits, const std::string &path);

/// Reads "1.3.230", or VK_API_VERSION's number.
Status readJsonVersion(const llvm::json::Value &value, target::TargetEnv &env,
                       const std::string &path);

/// Reads the array cooperativeMatrixPropertiesKHR and similar ones, if `object` has them.
Status readJsonMatrices(const llvm::json::Object &object, target::TargetEnv &env);

/// Reads the form that toJson writes.
Result<target::TargetEnv> readEnvironmentJson(const llvm::json::Object &root);

/// Reads the output of `vulkaninfo`, and profiles.
Result<target::TargetEnv> readVulkanJson(const llvm::json::Object &root, std::string_view profile);

} // namespace pumice::vk
