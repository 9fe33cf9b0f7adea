//===- base.hpp - a part of pumice.hpp: results and handles -----------------===//
#pragma once

#include "base.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// A program may contain both kinds of error handling, because each kind has its own types.
#ifdef PUMICE_THROW
#define PUMICE_CPP_NAMESPACE cpp0_throwing
#else
#define PUMICE_CPP_NAMESPACE cpp0
#endif

namespace pumice {
inline namespace PUMICE_CPP_NAMESPACE {

/// Why a call failed.
struct Error : std::exception {
  pumice_status code = PUMICE_OK; // the kind of the failure
  std::string message;            // "invalid argument: …"

  /// Returns the message.
  const char *what() const noexcept override { return message.c_str(); }
  /// Returns an error whose message is the name of the status, then `said`.
  static Error of(pumice_status code, const char *said) {
    Error error;
    error.code = code;
    error.message = std::string(pumice_status_name(code)) + ": " + said;
    return error;
  }
  /// Returns the message of the last call that failed on this thread.
  static Error last(pumice_status code) { return of(code, pumice_last_error()); }
};

/// Throws the error if PUMICE_THROW is defined. Otherwise, prints it and ends the program.
[[noreturn]] inline void failed(const Error &error) {
#ifdef PUMICE_THROW
  throw error;
#else
  std::fprintf(stderr, "pumice: %s\n", error.message.c_str());
  std::abort();
#endif
}

/// The result of a call that returns no value.
class [[nodiscard]] Status {
public:
  /// Takes the status of a call, with the message of this thread's last failure.
  Status(pumice_status code) {
    if (code != PUMICE_OK)
      failure = Error::last(code);
  }
  /// Makes a failure.
  Status(Error error) : failure(std::move(error)) {}
  /// Returns whether the call succeeded.
  explicit operator bool() const { return !failure; }
  /// Returns the error. The status must be a failure.
  const Error &error() const { return *failure; }
  /// Throws the error or ends the program (see `failed`) if the call failed.
  void value() const {
    if (failure)
      failed(*failure);
  }

  /// Makes a failure that also is this thread's last one (pumice_fail).
  static Status fail(pumice_status code, const char *message) { return pumice_fail(code, message); }

private:
  std::optional<Error> failure;
};

/// The value that a call returns, or the error if it failed.
template <typename T> class [[nodiscard]] Result {
public:
  /// Makes a success.
  Result(T made) : held(std::move(made)) {}
  /// Makes a failure.
  Result(Error error) : failure(std::move(error)) {}
  /// Returns whether the call succeeded.
  explicit operator bool() const { return held.has_value(); }
  /// Returns the error. Its code is PUMICE_OK if the call succeeded.
  const Error &error() const { return failure; }
  /// Returns the value. Throws the error or ends the program (see `failed`) if the call failed.
  T &value() & { return checked(), *held; }
  /// Does the same for a constant result.
  const T &value() const & { return checked(), *held; }
  /// Does the same for a temporary result, whose value may be moved.
  T &&value() && { return checked(), std::move(*held); }
  /// Accesses a member of the value, with the same check.
  T *operator->() { return &value(); }
  /// Returns the value, with the same check.
  T &operator*() & { return value(); }

private:
  void checked() const {
    if (!held)
      failed(failure);
  }
  std::optional<T> held;
  Error failure;
};

/// A handle that counts references. Copies refer to the same object; the last one releases it.
template <typename C, void (*retain)(C *), void (*release)(C *)> class Handle {
public:
  /// Makes a handle that refers to no object.
  Handle() = default;
  /// Takes over the caller's reference.
  explicit Handle(C *adopted) : object(adopted) {}
  /// Adds a reference.
  Handle(const Handle &other) : object(other.object) { retain(object); }
  /// Takes over the reference of `other`, which then refers to no object.
  Handle(Handle &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  /// Releases the current object, and refers to that of `other`.
  Handle &operator=(Handle other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  /// Removes a reference.
  ~Handle() { release(object); }
  /// Returns the handle for calls of the C API. The reference stays with this object.
  C *get() const { return object; }
  /// Returns whether this refers to an object.
  explicit operator bool() const { return object != nullptr; }

private:
  C *object = nullptr;
};

/// Returns the object that `call` creates.
template <typename T, typename C, typename Call> Result<T> made(Call call) {
  C *object = nullptr;
  if (pumice_status code = call(&object))
    return Error::last(code);
  return T(object);
}

/// Returns the structure that `call` fills in.
template <typename Info, typename Call> Result<Info> told(Call call) {
  Info info{};
  info.struct_size = sizeof(Info);
  if (pumice_status code = call(&info))
    return Error::last(code);
  return info;
}

/// Returns the bytes that `call` creates.
template <typename Call> Result<std::string> bytesOf(Call call) {
  pumice_blob *blob = nullptr;
  if (pumice_status code = call(&blob))
    return Error::last(code);
  std::string bytes(static_cast<const char *>(pumice_blob_data(blob)), pumice_blob_size(blob));
  pumice_blob_release(blob);
  return bytes;
}

} // namespace PUMICE_CPP_NAMESPACE
} // namespace pumice
