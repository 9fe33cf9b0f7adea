//===- EnglishText.h - sentences built from parts -------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pumice {

/// Returns, for example, "an acceleration structure" or "a uniform buffer". Types are read aloud:
/// "an i32", "an f32", "a u32".
std::string withArticle(std::string_view noun);

/// Returns "1 argument", "2 arguments", and so on.
std::string counted(uint64_t count, std::string_view noun);

/// Returns "1 is", "2 are", or with a noun "1 byte is", "2 bytes are".
std::string countedAre(uint64_t count, std::string_view noun = "");

} // namespace pumice
