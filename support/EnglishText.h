//===- EnglishText.h - sentences made of parts ------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pumice {

/// "an acceleration structure", "a uniform buffer"; types as they are read aloud: "an i32", "an
/// f32", "a u32".
std::string withArticle(std::string_view noun);

/// "1 argument", "2 arguments".
std::string counted(uint64_t count, std::string_view noun);

/// "1 is", "2 are"; of a noun, "1 byte is", "2 bytes are".
std::string countedAre(uint64_t count, std::string_view noun = "");

} // namespace pumice
