//===- TargetEnvironmentJson.cpp - a device as the compiler takes targets ---===//
// The form is docs/targets.md's: members sorted by name, two blanks for each level.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/DeviceInfo.h"

#include <cstdio>

namespace pumice::hal {
namespace {

/// How many bytes of `text` from `at` on are one well-formed UTF-8 character; 0: none.
size_t characterBytes(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(i < text.size() ? text[i] : 0); };
  uint8_t first = byte(at);
  if (first < 0x80)
    return 1;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80)
      return 0;
  // Too long a form, a surrogate, or beyond the last character.
  uint8_t second = byte(at + 1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

/// Names come from drivers and may hold anything.
std::string inQuotes(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    size_t bytes = characterBytes(text, at);
    char c = text[at];
    if (bytes == 0) {
      out += "\xef\xbf\xbd"; // U+FFFD: no character
      bytes = 1;
    } else if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (static_cast<uint8_t>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += text.substr(at, bytes);
    }
    at += bytes;
  }
  return out + "\"";
}

/// Items one a line, between brackets that stand `indent` deep.
template <typename Items, typename Print>
std::string listed(const Items &items, char open, char close, const std::string &indent,
                   Print print) {
  std::string out(1, open);
  bool first = true;
  for (const auto &item : items) {
    out += (first ? "\n" : ",\n") + indent + "  " + print(item);
    first = false;
  }
  return out + (first ? "" : "\n" + indent) + close;
}

} // namespace

std::string targetEnvironmentJson(const DeviceInfo &info) {
  auto name = [](const auto &text) { return inQuotes(text); };
  std::vector<std::pair<std::string, std::string>> members;
  if (!info.architecture.empty())
    members.emplace_back("architecture", inQuotes(info.architecture));
  if (info.fragmentMaps && !info.fragmentMaps->empty())
    members.emplace_back("cooperativeMatrixFragments",
                         listed(*info.fragmentMaps, '[', ']', "  ", name));
  if (!info.cooperativeMatrices.empty())
    members.emplace_back("cooperativeMatrixPropertiesKHR",
                         listed(info.cooperativeMatrices, '[', ']', "  ", name));
  if (!info.name.empty())
    members.emplace_back("deviceName", inQuotes(info.name));
  members.emplace_back("extensions", listed(info.extensions, '[', ']', "  ", name));
  members.emplace_back("features", listed(info.features, '[', ']', "  ", name));
  members.emplace_back("limits", listed(info.namedLimits, '{', '}', "  ", [](const auto &limit) {
                         auto number = [](int64_t value) { return std::to_string(value); };
                         return inQuotes(limit.first) + ": " +
                                (limit.second.size() == 1
                                     ? number(limit.second[0])
                                     : listed(limit.second, '[', ']', "    ", number));
                       }));
  members.emplace_back("pumiceTargetEnv", "1");
  members.emplace_back("version", inQuotes(std::to_string(info.versionMajor) + "." +
                                           std::to_string(info.versionMinor) + "." +
                                           std::to_string(info.versionPatch)));
  if (!info.workarounds.empty())
    members.emplace_back("workarounds", listed(info.workarounds, '[', ']', "  ", name));
  return listed(members, '{', '}', "",
                [](const auto &member) { return inQuotes(member.first) + ": " + member.second; });
}

} // namespace pumice::hal
