//===- EnglishText.cpp - sentences made of parts ----------------------------===//
#include "support/EnglishText.h"

namespace pumice {

std::string withArticle(std::string_view noun) {
  bool isVowel = !noun.empty() && std::string_view("aeio").find(noun[0]) != std::string_view::npos;
  bool isFloat = noun.size() > 1 && noun[0] == 'f' && noun[1] >= '0' && noun[1] <= '9';
  return (isVowel || isFloat ? "an " : "a ") + std::string(noun);
}

std::string counted(uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string countedAre(uint64_t count, std::string_view noun) {
  return (noun.empty() ? std::to_string(count) : counted(count, noun)) +
         (count == 1 ? " is" : " are");
}

} // namespace pumice
