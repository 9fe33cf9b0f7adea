//===- JsonReader.h - reads typed values from JSON, with precise errors -----===//
// A Node is a value and the path to it. The Reader keeps the first error, so the reading code needs
// no checks. It looks at `status` once, at the end.
//===-------------------------------------------------------------------------===//
#pragma once

#include "tools/run/Json.h"

#include <limits>
#include <map>
#include <optional>
#include <span>

namespace pumice::run {

/// A place in the file, for errors: "launch.json:3:14: $.buffers.x.type".
struct Place {
  std::string file, path;
  uint32_t line = 0, column = 0;

  std::string text() const;
  /// Returns InvalidArgument, or another code, with this place in front.
  Status error(const std::string &message, StatusCode code = StatusCode::InvalidArgument) const;
};

/// The place of an object, and of its members. For a value that is not an object, it is only its
/// own place.
struct ObjectPlace : Place {
  std::map<std::string, Place, std::less<>> members;
  bool isObject = false;

  /// Returns the place where `key` is or would be, or that of the value itself if it is not an
  /// object.
  Place of(std::string_view key) const;
};

/// Lives on the stack. A child points to its parent.
class Node {
public:
  explicit Node(const json::Value &root) : held(&root) {}
  /// Returns the member `name`, or a node without a value if it is missing.
  Node member(std::string_view name) const & { return Node(held->find(name), this, name, noItem); }
  Node item(size_t index) const & { return Node(&held->items[index], this, {}, index); }
  Node member(std::string_view name) const && = delete;
  Node item(size_t index) const && = delete;

  explicit operator bool() const { return held != nullptr; }
  const json::Value &value() const { return *held; }
  bool is(json::Kind kind) const { return held && held->kind == kind; }
  /// Returns the value, or that of the nearest enclosing node that has one.
  const json::Value &nearest() const { return held ? *held : parent->nearest(); }
  /// Returns, for example, "$.dispatches[1].groups".
  std::string path() const;

private:
  Node(const json::Value *held, const Node *parent, std::string_view name, size_t index)
      : held(held), parent(parent), name(name), index(index) {}

  static constexpr size_t noItem = SIZE_MAX;

  const json::Value *held;
  const Node *parent = nullptr;
  std::string_view name; // for a member: its name
  size_t index = noItem; // for an item: its index
};

using Keys = std::span<const std::string_view>;

class Reader {
public:
  explicit Reader(std::string file) : file(std::move(file)) {}
  Status status;

  /// Returns the path of a node. For a missing value, the line and column are those of the place
  /// where it belongs.
  Place place(const Node &node) const;
  ObjectPlace objectPlace(const Node &node) const;
  void fail(const Node &node, const std::string &message);
  /// Reports "expected `what`; found 7".
  void expected(const Node &node, const std::string &what);

  /// Returns whether it is an object with no other keys. The error suggests the most similar key.
  bool isObject(const Node &node, Keys known, std::string_view what);
  bool isList(const Node &node, std::string_view what);

  // Read members of an object. They return `otherwise` if the member is missing. A null counts as
  // missing.
  std::string text(const Node &object, std::string_view key, std::string otherwise = "");
  bool flag(const Node &object, std::string_view key, bool otherwise = false);
  uint64_t integer(const Node &object, std::string_view key, uint64_t otherwise = 0,
                   uint64_t most = UINT64_MAX, uint64_t least = 0);
  // Must not be negative. The result is 0 if the member is missing.
  double amount(const Node &object, std::string_view key,
                double most = std::numeric_limits<double>::max());

  // Reads the value itself. 64.0 and 6.4e1 are whole numbers, too.
  std::optional<uint64_t> wholeNumber(const Node &node, uint64_t most = UINT64_MAX,
                                      uint64_t least = 0);
  std::optional<int64_t> signedNumber(const Node &node);

private:
  std::string file;
};

/// Returns the end of an error about an unknown `word`: "; did you mean "x"? There are LISTING".
/// Leaves out the question if none of `known` is similar. LISTING defaults to `known`.
std::string alternatives(std::string_view word, Keys known, std::string listing = "");

/// Returns "a, b, c".
std::string join(Keys words);

} // namespace pumice::run
