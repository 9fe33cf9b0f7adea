//===- JsonReader.cpp - typed values from JSON, with precise errors ---------===//
#include "tools/run/JsonReader.h"
#include "support/NearestName.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace pumice::run {

std::string Place::text() const {
  std::string where = file;
  if (line)
    where += ":" + std::to_string(line) + ":" + std::to_string(column);
  return where.empty() ? path : where + ": " + path;
}

Status Place::error(const std::string &message, StatusCode code) const {
  return Status(code, text() + ": " + message);
}

static std::string memberPath(const std::string &object, std::string_view name) {
  bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return object + (plain ? "." + std::string(name) : "[" + json::quote(name) + "]");
}

Place ObjectPlace::of(std::string_view key) const {
  if (auto found = members.find(key); found != members.end())
    return found->second;
  if (!isObject)
    return *this;
  return Place{file, memberPath(path, key), line, column};
}

std::string Node::path() const {
  if (!parent)
    return "$";
  if (index != noItem)
    return parent->path() + "[" + std::to_string(index) + "]";
  return memberPath(parent->path(), name);
}

Place Reader::place(const Node &node) const {
  return {file, node.path(), node.nearest().line, node.nearest().column};
}

ObjectPlace Reader::objectPlace(const Node &node) const {
  ObjectPlace found{place(node), {}, node.is(json::Kind::Object)};
  if (node.is(json::Kind::Object))
    for (const json::Member &member : node.value().members)
      found.members.emplace(member.name, place(node.member(member.name)));
  return found;
}

void Reader::fail(const Node &node, const std::string &message) {
  if (status.isOk())
    status = place(node).error(message);
}

void Reader::expected(const Node &node, const std::string &what) {
  fail(node,
       "expected " + what +
           (node ? "; found " + json::describe(node.value()) : std::string("; it is missing")));
}

bool Reader::isObject(const Node &node, Keys known, std::string_view what) {
  if (!node.is(json::Kind::Object)) {
    expected(node, std::string(what));
    return false;
  }
  for (const json::Member &member : node.value().members) {
    if (std::ranges::find(known, member.name) != known.end())
      continue;
    fail(node.member(member.name),
         "unknown key " + json::quote(member.name) + alternatives(member.name, known));
    return false;
  }
  return true;
}

bool Reader::isList(const Node &node, std::string_view what) {
  if (!node.is(json::Kind::List))
    expected(node, std::string(what));
  return node.is(json::Kind::List);
}

std::string Reader::text(const Node &object, std::string_view key, std::string otherwise) {
  Node node = object.member(key);
  if (!node)
    return otherwise;
  if (!node.is(json::Kind::String))
    expected(node, "a string");
  else if (node.value().text.empty())
    expected(node, "a non-empty string, or no " + std::string(key));
  return node.value().text;
}

bool Reader::flag(const Node &object, std::string_view key, bool otherwise) {
  Node node = object.member(key);
  if (!node)
    return otherwise;
  if (!node.is(json::Kind::Boolean))
    expected(node, "true or false");
  return node.value().flag;
}

uint64_t Reader::integer(const Node &object, std::string_view key, uint64_t otherwise,
                         uint64_t most, uint64_t least) {
  Node node = object.member(key);
  return node ? wholeNumber(node, most, least).value_or(otherwise) : otherwise;
}

double Reader::amount(const Node &object, std::string_view key, double most) {
  Node node = object.member(key);
  if (!node)
    return 0;
  double found = node.is(json::Kind::Number) ? std::strtod(node.value().text.c_str(), nullptr) : -1;
  if (found >= 0 && found <= most)
    return found;
  char text[32];
  std::snprintf(text, sizeof text, "%g", most);
  bool limited = most < std::numeric_limits<double>::max();
  expected(node, limited ? "a number from 0 to " + std::string(text) : "a number, not negative");
  return 0;
}

std::optional<uint64_t> Reader::wholeNumber(const Node &node, uint64_t most, uint64_t least) {
  uint64_t found = 0;
  if (node.is(json::Kind::Number)) {
    std::string text = json::wholeText(node.value());
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
    if (error == std::errc() && end == text.data() + text.size() && found >= least && found <= most)
      return found;
  }
  expected(node, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::optional<int64_t> Reader::signedNumber(const Node &node) {
  int64_t found = 0;
  if (node.is(json::Kind::Number)) {
    std::string text = json::wholeText(node.value());
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
    if (error == std::errc() && end == text.data() + text.size())
      return found;
  }
  expected(node, "a whole number that fits i64");
  return std::nullopt;
}

std::string alternatives(std::string_view word, Keys known, std::string listing) {
  if (listing.empty())
    listing = known.empty() ? "none" : join(known);
  std::string_view near = nearestName(word, known);
  return near.empty() ? "; there are " + listing
                      : "; did you mean " + json::quote(near) + "? There are " + listing;
}

std::string join(Keys words) {
  std::string all;
  for (std::string_view word : words)
    all += (all.empty() ? "" : ", ") + json::shown(word);
  return all;
}

} // namespace pumice::run
