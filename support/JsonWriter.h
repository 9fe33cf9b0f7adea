//===- JsonWriter.h - writes values as JSON text ----------------------------===//
//   JsonWriter json;
//   json.beginObject().member("name", "add").key("sizes").beginArray(JsonWriter::Inline);
//   json.value(4).value(8).end().end();
//   json.take();                      // {
//                                     //   "name": "add",
//                                     //   "sizes": [4, 8]
//                                     // }
//===-------------------------------------------------------------------------===//
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace pumice {

/// Returns `text` as a JSON string, in quotes. Bytes that are not UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);

/// Appends one value after another. The caller must open and close objects and arrays correctly.
class JsonWriter {
public:
  /// With Lines, each item of an object or array is on its own line. With Inline, all of them are
  /// on one line.
  enum Layout { Lines, Inline };

  JsonWriter &beginObject(Layout layout = Lines) { return begin('{', '}', layout); }
  JsonWriter &beginArray(Layout layout = Lines) { return begin('[', ']', layout); }
  /// Closes the innermost object or array.
  JsonWriter &end();

  /// Writes the name of the next value, in an object.
  JsonWriter &key(std::string_view name);

  JsonWriter &value(std::string_view text) { return raw(jsonString(text)); }
  JsonWriter &value(const char *text) { return value(std::string_view(text)); }
  JsonWriter &value(bool flag) { return raw(flag ? "true" : "false"); }
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  JsonWriter &value(Number number) {
    return raw(std::to_string(number));
  }
  /// Writes up to 17 digits, so that no bit is lost. Numbers that JSON lacks become null.
  JsonWriter &value(double number);
  JsonWriter &null() { return raw("null"); }
  /// Writes text that is already JSON, such as a number with a certain number of digits.
  JsonWriter &raw(std::string_view json);

  JsonWriter &member(std::string_view name, const auto &held) { return key(name).value(held); }
  /// Writes an array, in which `write` writes each item.
  template <typename Items, typename Write>
  JsonWriter &list(std::string_view name, const Items &items, Write write) {
    key(name).beginArray();
    for (const auto &item : items)
      write(item);
    return end();
  }
  /// Writes an array of values, each on its own line.
  JsonWriter &list(std::string_view name, const auto &values) {
    return list(name, values, [this](const auto &item) { this->value(item); });
  }

  /// Returns the text of a complete value. The writer then starts the next one.
  std::string take();

private:
  struct Open {
    char close;
    Layout layout;
    bool isEmpty = true;
  };

  JsonWriter &begin(char open, char close, Layout layout);
  void startItem();
  void startLine();

  std::string text;
  std::vector<Open> open;
  bool afterKey = false;
};

/// Writes an array of integers on one line: [1, 2, 3].
JsonWriter &writeNumbers(JsonWriter &json, const auto &numbers) {
  json.beginArray(JsonWriter::Inline);
  for (auto number : numbers)
    json.value(number);
  return json.end();
}

} // namespace pumice
