//===- EnglishText.h - sentences built from parts ---------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pumice {

/// Returns a noun with its article, such as "an acceleration structure" or "a uniform buffer".
/// Names of types are read letter by letter: "an i32", "an f32", "a u32".
std::string withArticle(std::string_view noun);

/// Returns a text such as "1 argument" or "2 arguments".
std::string counted(uint64_t count, std::string_view noun);

/// Returns "1 is", "2 are", or with a noun "1 byte is", "2 bytes are".
std::string countedAre(uint64_t count, std::string_view noun = "");

} // namespace pumice
