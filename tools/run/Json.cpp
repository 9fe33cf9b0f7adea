//===- Json.cpp - JSON with the place of every value ------------------------===//
#include "tools/run/Json.h"

#include "support/JsonWriter.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_set>

namespace pumice::run::json {
namespace {
constexpr unsigned maxDepth = 64;

class Parser {
public:
  explicit Parser(std::string_view text) : rest(text) {}

  Result<Value> run() {
    Value value;
    PUMICE_RETURN_IF_ERROR(parseValue(value, 0));
    skipSpace();
    if (!rest.empty())
      return wrong("more text after the end of the JSON value");
    return value;
  }

private:
  void skipSpace() {
    while (!rest.empty() &&
           (rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r'))
      advance(1);
  }
  void advance(size_t count) {
    for (; count; --count, rest.remove_prefix(1)) {
      ++column;
      if (rest[0] == '\n')
        ++line, column = 1;
    }
  }
  bool take(std::string_view token) {
    if (!rest.starts_with(token))
      return false;
    advance(token.size());
    return true;
  }
  Status wrong(const std::string &what) const {
    std::string found = rest.empty() ? "the end of the file" : "";
    if (rest.starts_with("//") || rest.starts_with("/*"))
      found = "a comment, which JSON does not allow";
    else if (!rest.empty())
      found = quote(rest.substr(0, 1));
    return Status(StatusCode::InvalidArgument, std::to_string(line) + ":" + std::to_string(column) +
                                                   ": " + what + "; found " + found);
  }

  Status parseValue(Value &value, unsigned depth) {
    skipSpace();
    value.line = line;
    value.column = column;
    if (depth > maxDepth)
      return wrong("nested deeper than " + std::to_string(maxDepth) + " levels");
    if (rest.starts_with('{'))
      return parseObject(value, depth);
    if (rest.starts_with('['))
      return parseList(value, depth);
    if (rest.starts_with('"')) {
      value.kind = Kind::String;
      return parseString(value.text);
    }
    bool yes = take("true");
    if (yes || take("false")) {
      value.kind = Kind::Boolean;
      value.flag = yes;
      return Status::ok();
    }
    if (take("null"))
      return Status::ok();
    return parseNumber(value);
  }

  Status parseObject(Value &value, unsigned depth) {
    value.kind = Kind::Object;
    std::unordered_set<std::string> names;
    advance(1);
    for (skipSpace(); !take("}"); skipSpace()) {
      if (!value.members.empty() && !take(","))
        return wrong("expected ',' or '}' in the object");
      skipSpace();
      if (!rest.starts_with('"'))
        return wrong("expected a key between quotes");
      Parser before = *this;
      Member &member = value.members.emplace_back();
      PUMICE_RETURN_IF_ERROR(parseString(member.name));
      if (!names.insert(member.name).second)
        return before.wrong("the key " + quote(member.name) + " occurs twice");
      skipSpace();
      if (!take(":"))
        return wrong("expected ':' after the key " + quote(member.name));
      PUMICE_RETURN_IF_ERROR(parseValue(member.value, depth + 1));
    }
    return Status::ok();
  }

  Status parseList(Value &value, unsigned depth) {
    value.kind = Kind::List;
    advance(1);
    for (skipSpace(); !take("]"); skipSpace()) {
      if (!value.items.empty() && !take(","))
        return wrong("expected ',' or ']' in the list");
      PUMICE_RETURN_IF_ERROR(parseValue(value.items.emplace_back(), depth + 1));
    }
    return Status::ok();
  }

  size_t digits(size_t at) const {
    while (at < rest.size() && rest[at] >= '0' && rest[at] <= '9')
      ++at;
    return at;
  }

  Status parseNumber(Value &value) {
    size_t first = rest.starts_with('-'), end = digits(first);
    bool good = end > first && (rest[first] != '0' || end == first + 1);
    if (good && end < rest.size() && rest[end] == '.') {
      size_t fraction = end + 1;
      end = digits(fraction);
      good = end > fraction;
    }
    if (good && end < rest.size() && (rest[end] == 'e' || rest[end] == 'E')) {
      size_t exponent = end + 1;
      if (exponent < rest.size() && (rest[exponent] == '+' || rest[exponent] == '-'))
        ++exponent;
      end = digits(exponent);
      good = end > exponent;
    }
    if (!good)
      return wrong("expected a value: a number, a string between quotes, true, false, null, a "
                   "list or an object");
    value.kind = Kind::Number;
    value.text = rest.substr(0, end);
    advance(end);
    return Status::ok();
  }

  Status parseString(std::string &out) {
    advance(1);
    while (!take("\"")) {
      if (rest.empty() || static_cast<unsigned char>(rest[0]) < 0x20)
        return wrong("the string is not closed on its line");
      if (take("\\")) {
        PUMICE_RETURN_IF_ERROR(parseEscape(out));
      } else {
        out += rest[0];
        advance(1);
      }
    }
    return Status::ok();
  }

  Status parseEscape(std::string &out) {
    constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    size_t index = rest.empty() ? letters.npos : letters.find(rest[0]);
    if (index != letters.npos) {
      out += meanings[index];
      advance(1);
      return Status::ok();
    }
    uint32_t point = 0, low = 0;
    if (!parseUnicode(point))
      return wrong("expected an escape: one of \" \\ / b f n r t, or u and four hexadecimal "
                   "digits");
    if (point >= 0xd800 && point < 0xdc00) {
      if (!take("\\") || !parseUnicode(low) || low < 0xdc00 || low > 0xdfff)
        return wrong("half of a surrogate pair is missing");
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    }
    appendUtf8(out, point);
    return Status::ok();
  }

  bool parseUnicode(uint32_t &point) {
    if (rest.size() < 5 || rest[0] != 'u')
      return false;
    for (size_t i = 1; i < 5; ++i) {
      char c = rest[i];
      uint32_t digit = c >= '0' && c <= '9'   ? uint32_t(c - '0')
                       : c >= 'a' && c <= 'f' ? uint32_t(c - 'a' + 10)
                       : c >= 'A' && c <= 'F' ? uint32_t(c - 'A' + 10)
                                              : 16;
      if (digit == 16)
        return false;
      point = point * 16 + digit;
    }
    advance(5);
    return true;
  }

  static void appendUtf8(std::string &out, uint32_t point) {
    if (point < 0x80) {
      out += char(point);
      return;
    }
    unsigned more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    constexpr uint32_t leads[] = {0, 0xc0, 0xe0, 0xf0};
    out += char(leads[more] | point >> 6 * more);
    while (more--)
      out += char(0x80 | (point >> 6 * more & 0x3f));
  }

  std::string_view rest;
  uint32_t line = 1, column = 1;
};
} // namespace

const Value *Value::find(std::string_view name) const {
  for (const Member &member : members)
    if (member.name == name)
      return &member.value;
  return nullptr;
}

Result<Value> parse(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3); // a byte order mark
  return Parser(text).run();
}

std::string wholeText(const Value &number) {
  std::string_view rest = number.text;
  std::string sign(rest.starts_with('-') ? "-" : "");
  rest.remove_prefix(sign.size());
  size_t e = std::min(rest.find_first_of("eE"), rest.size());
  size_t dot = std::min(rest.find('.'), e);
  std::string digits(rest.substr(0, dot));
  if (dot < e)
    digits += rest.substr(dot + 1, e - dot - 1);
  constexpr long mostDigits = 400; // more than any of our types has
  long exponent = e < rest.size() ? std::strtol(rest.data() + e + 1, nullptr, 10) : 0;
  if (digits.find_first_not_of('0') == digits.npos)
    return "0"; // of either sign
  if (exponent < -mostDigits || exponent > mostDigits)
    return number.text;
  long whole = static_cast<long>(dot) + exponent; // digits in front of the point
  for (long i = std::max(whole, 0L); i < static_cast<long>(digits.size()); ++i)
    if (digits[size_t(i)] != '0')
      return number.text;
  if (whole <= 0)
    return number.text;
  digits.resize(size_t(whole), '0');
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return sign + digits;
}

std::string describe(const Value &value) {
  switch (value.kind) {
  case Kind::Null:
    return "null";
  case Kind::Boolean:
    return value.flag ? "true" : "false";
  case Kind::Number:
    return value.text;
  case Kind::String:
    return quote(value.text);
  case Kind::List:
    return "a list of " + std::to_string(value.items.size());
  case Kind::Object:
    break;
  }
  return "an object";
}

/// Returns the length in bytes of the control character that `text` begins with, and its code
/// point.
static size_t controlAt(std::string_view text, unsigned &point) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  point = byte(0);
  if (point < 0x20 || point == 0x7f)
    return 1;
  bool isC1 = point == 0xc2 && text.size() > 1 && byte(1) >= 0x80 && byte(1) < 0xa0; // UTF-8
  point = isC1 ? byte(1) : point;
  return isC1 ? 2 : 0;
}

std::string quote(std::string_view text) { return jsonString(text); }

std::string shown(std::string_view name) {
  unsigned point;
  for (size_t i = 0; i < name.size(); ++i)
    if (controlAt(name.substr(i), point))
      return quote(name);
  return std::string(name);
}

} // namespace pumice::run::json
