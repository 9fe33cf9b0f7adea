//===- Errors.cpp - turns the C API's errors into Python's ------------------===//
#include "python/binding/Errors.h"

#include "python/binding/Text.h"

#include <charconv>
#include <string_view>

namespace nb = nanobind;

namespace pumice::python {
namespace {

struct ErrorClass {
  pumice_status code;
  const char *name;
};
constexpr ErrorClass errorClasses[] = {
    {PUMICE_INVALID_ARGUMENT, "InvalidArgumentError"}, {PUMICE_NOT_FOUND, "NotFoundError"},
    {PUMICE_UNSUPPORTED, "UnsupportedError"},          {PUMICE_DATA_CORRUPT, "CorruptDataError"},
    {PUMICE_RESOURCE_EXHAUSTED, "OutOfMemoryError"},   {PUMICE_DEVICE_LOST, "DeviceLostError"},
    {PUMICE_DEADLINE_EXCEEDED, "DeadlineError"},       {PUMICE_INTERNAL, "InternalError"},
    {PUMICE_INVALID_ACCESS, "InvalidAccessError"}};

nb::object base, compileError, ofCode[std::size(errorClasses)];

void set(const nb::object &made) {
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(made.ptr())), made.ptr());
}

/// The place that a diagnostic names.
struct Place {
  std::string_view file;
  int line = 0, column = 0;
};

/// Takes ":12" off the end of `text`.
bool takeNumber(std::string_view &text, int &number) {
  size_t colon = text.rfind(':');
  if (colon == text.npos)
    return false;
  const char *end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data() + colon + 1, end, number);
  text = text.substr(0, colon);
  return problem == std::errc() && stop == end;
}

/// Finds "kernel.mlir:3:7: error: …", which the compiler's diagnostics begin with, in the first
/// line. A source without lines has the place "kernel.spv: error: …", whose line is 0 here.
bool findPlace(const Error &error, Place &place) {
  std::string_view text = error.message;
  text.remove_prefix(
      std::min(text.size(), std::string_view(pumice_status_name(error.code)).size() + 2));
  text = text.substr(0, text.find('\n'));
  size_t end = text.find(": error: ");
  if (end == text.npos)
    return false;
  place.file = text = text.substr(0, end);
  if (takeNumber(text, place.column) && takeNumber(text, place.line))
    place.file = text;
  else
    place.line = 0;
  return true;
}

} // namespace

nb::dict bindErrors() {
  nb::module_ errors = nb::module_::import_("pumice.errors");
  base = errors.attr("Error");
  compileError = errors.attr("CompileError");
  nb::dict all;
  for (size_t i = 0; i < std::size(errorClasses); ++i) {
    ofCode[i] = errors.attr(errorClasses[i].name);
    all[pumice_status_name(errorClasses[i].code)] = ofCode[i];
  }
  return all;
}

nb::object makeError(const Error &error) {
  for (size_t i = 0; i < std::size(errorClasses); ++i)
    if (errorClasses[i].code == error.code)
      return ofCode[i](textOf(error.message));
  nb::object made = base(textOf(error.message)); // a newer runtime may have other codes
  made.attr("status") = pumice_status_name(error.code);
  return made;
}

void raise(const Error &error) { set(makeError(error)); }

void raise(const CompileFailure &error) {
  Place place;
  if (!findPlace(error, place))
    return raise(static_cast<const Error &>(error));
  nb::object made = compileError(textOf(error.message));
  made.attr("status") = pumice_status_name(error.code);
  if (place.line > 0) {
    made.attr("file") = textOf(std::string(place.file));
    made.attr("line") = place.line;
    made.attr("column") = place.column;
  }
  set(made);
}

} // namespace pumice::python
