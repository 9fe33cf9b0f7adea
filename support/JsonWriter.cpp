//===- JsonWriter.cpp - values as JSON text ---------------------------------===//
#include "support/JsonWriter.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>

using namespace pumice;

/// Returns the length of the well-formed UTF-8 character at `at` in `text`, or 0 if there is none.
static size_t characterBytes(std::string_view text, size_t at) {
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
  // The sequence is overlong, or the code point is a surrogate or beyond U+10FFFF.
  uint8_t second = byte(at + 1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

/// Returns the control character at the start of well-formed text, or -1. This includes 0x80 to
/// 0x9f, because terminals act on them, too.
static int controlAt(std::string_view text) {
  auto first = static_cast<uint8_t>(text[0]);
  if (first < 0x20 || first == 0x7f)
    return first;
  auto second = static_cast<uint8_t>(text.size() > 1 ? text[1] : 0);
  return first == 0xc2 && second < 0xa0 ? second : -1;
}

std::string pumice::jsonString(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    size_t bytes = characterBytes(text, at);
    char c = text[at];
    if (bytes == 0) {
      out += "\xef\xbf\xbd"; // U+FFFD replaces invalid bytes
      bytes = 1;
    } else if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (int control = controlAt(text.substr(at)); control >= 0) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(control) & 0xff);
      out += escaped;
    } else {
      out += text.substr(at, bytes);
    }
    at += bytes;
  }
  return out + "\"";
}

void JsonWriter::startLine() {
  text += '\n';
  for (const Open &each : open)
    if (each.layout == Lines)
      text += "  ";
}

void JsonWriter::startItem() {
  if (std::exchange(afterKey, false) || open.empty())
    return;
  Open &in = open.back();
  if (!in.isEmpty)
    text += in.layout == Lines ? "," : ", ";
  if (in.layout == Lines)
    startLine();
  in.isEmpty = false;
}

JsonWriter &JsonWriter::begin(char bracket, char close, Layout layout) {
  startItem();
  text += bracket;
  open.push_back({close, layout});
  return *this;
}

JsonWriter &JsonWriter::end() {
  Open closed = open.back();
  open.pop_back();
  if (closed.layout == Lines && !closed.isEmpty)
    startLine();
  text += closed.close;
  return *this;
}

JsonWriter &JsonWriter::key(std::string_view name) {
  startItem();
  (text += jsonString(name)) += ": ";
  afterKey = true;
  return *this;
}

JsonWriter &JsonWriter::raw(std::string_view json) {
  startItem();
  text += json;
  return *this;
}

JsonWriter &JsonWriter::value(double number) {
  if (!std::isfinite(number))
    return null();
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.17g", number);
  return raw(digits);
}

std::string JsonWriter::take() { return std::exchange(text, {}); }
