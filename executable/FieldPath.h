//===- FieldPath.h - the name of a place in an executable -------------------===//
// The path of a field, for errors: "variants[1].interfaces[0].fields[3].offset". A path is a chain
// of nodes on the stack, from the field outwards. Its text is made only if there is an error.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <string>
#include <string_view>
#include <type_traits>

namespace pumice::executable {

class FieldPath {
public:
  /// The path of the executable itself. Its fields have no prefix.
  FieldPath() = default;
  /// Returns the path of an input that is not an executable, such as a SPIR-V file. Without a name,
  /// errors have no prefix, and the caller adds the place.
  static FieldPath input(std::string_view name = {}) {
    FieldPath path(nullptr, name, noIndex);
    path.isExecutable = false;
    return path;
  }

  // A child points to its parent, which must outlive it. So only a path with a name (an lvalue) can
  // have children.
  FieldPath field(std::string_view name) const & { return FieldPath(this, name, noIndex); }
  FieldPath element(std::string_view name, size_t index) const & {
    return FieldPath(this, name, index);
  }
  /// Returns the path of an element of this field: "variants" becomes "variants[2]". The result
  /// does not point to this path, and may outlive it.
  FieldPath at(size_t element) const { return FieldPath(parent, name, element); }
  FieldPath field(std::string_view name) const && = delete;
  FieldPath element(std::string_view name, size_t index) const && = delete;

  /// Returns the path as text, such as "variants[1].code". The text of the executable itself is
  /// empty.
  std::string text() const {
    if (!parent)
      return std::string(name);
    std::string prefix = parent->text();
    if (!prefix.empty())
      prefix += '.';
    prefix += name;
    return index == noIndex ? prefix : prefix + '[' + std::to_string(index) + ']';
  }

  /// Returns the beginning of an error, such as "variants[1].code: ". For the executable itself,
  /// this is "executable: ".
  std::string prefix() const {
    std::string place = text();
    if (place.empty())
      return !parent && isExecutable ? "executable: " : "";
    return place + ": ";
  }

private:
  static constexpr size_t noIndex = SIZE_MAX;
  FieldPath(const FieldPath *parent, std::string_view name, size_t index)
      : parent(parent), name(name), index(index) {}

  const FieldPath *parent = nullptr;
  std::string_view name;
  size_t index = noIndex;
  bool isExecutable = true; // if this has no parent
};

namespace detail {
inline void append(std::string &out, std::string_view part) { out += part; }
template <typename T>
  requires std::is_integral_v<T>
void append(std::string &out, T part) {
  out += std::to_string(part);
}
} // namespace detail

/// Concatenates strings and numbers.
template <typename... Parts> std::string concat(const Parts &...parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

/// Makes an error that names the field, such as "variants[1].code: the SPIR-V module is
/// big-endian".
template <typename... Parts> Status corrupt(const FieldPath &path, const Parts &...parts) {
  return Status(StatusCode::DataCorrupt, concat(path.prefix(), parts...));
}

} // namespace pumice::executable
