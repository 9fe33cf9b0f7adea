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

struct Error : std::exception {
  pumice_status code = PUMICE_OK;
  std::string message; // "invalid argument: …"

  const char *what() const noexcept override { return message.c_str(); }
  static Error of(pumice_status code, const char *said) {
    Error error;
    error.code = code;
    error.message = std::string(pumice_status_name(code)) + ": " + said;
    return error;
  }
  /// Returns the message of the last call that failed on this thread.
  static Error last(pumice_status code) { return of(code, pumice_last_error()); }
};

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
  Status(pumice_status code) {
    if (code != PUMICE_OK)
      failure = Error::last(code);
  }
  Status(Error error) : failure(std::move(error)) {}
  explicit operator bool() const { return !failure; } // true: success
  const Error &error() const { return *failure; }
  void value() const {
    if (failure)
      failed(*failure);
  }

private:
  std::optional<Error> failure;
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T made) : held(std::move(made)) {}
  Result(Error error) : failure(std::move(error)) {}
  explicit operator bool() const { return held.has_value(); }
  const Error &error() const { return failure; }
  T &value() & { return checked(), *held; }
  const T &value() const & { return checked(), *held; }
  T &&value() && { return checked(), std::move(*held); }
  T *operator->() { return &value(); }
  T &operator*() & { return value(); }

private:
  void checked() const {
    if (!held)
      failed(failure);
  }
  std::optional<T> held;
  Error failure;
};

/// A handle that counts references.
template <typename C, void (*retain)(C *), void (*release)(C *)> class Handle {
public:
  Handle() = default;
  explicit Handle(C *adopted) : object(adopted) {} // takes over the caller's reference
  Handle(const Handle &other) : object(other.object) { retain(object); }
  Handle(Handle &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Handle &operator=(Handle other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Handle() { release(object); }
  C *get() const { return object; }
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
