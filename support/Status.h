//===- Status.h - the result of a call that may fail ------------------------===//
// A Status says whether a call succeeded. A Result<T> contains a value, or the Status of a failure.
// Both have a code for programs and a message for people. The message names the place, the
// offending value and a solution. Neither of them throws. Ignoring one is a compile error.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pumice {

enum class StatusCode : uint8_t {
  Ok,
  InvalidArgument,   // the caller's value is wrong in any state of the program
  NotFound,          // something with this name does not exist
  Unsupported,       // valid, but not possible with this device, version or build
  DataCorrupt,       // the bytes are not what they claim to be
  ResourceExhausted, // no more memory, descriptors or address space
  DeviceLost,        // the device stopped answering; other devices keep working
  DeadlineExceeded,  // a wait ran out of time
  Internal,          // a bug of ours
  InvalidAccess,     // a kernel accessed memory that it must not access
};

/// Returns the code as it appears in messages, for example "invalid argument".
std::string_view toString(StatusCode code);

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : failure(std::make_unique<Failure>(code, std::move(message))) {
    assert(code != StatusCode::Ok && "a failure needs a failure code");
  }
  Status(const Status &other)
      : failure(other.failure ? std::make_unique<Failure>(*other.failure) : nullptr) {}
  Status(Status &&) noexcept = default;
  Status &operator=(Status other) noexcept {
    failure = std::move(other.failure);
    return *this;
  }
  static Status ok() { return {}; }

  bool isOk() const { return !failure; }
  StatusCode code() const { return failure ? failure->code : StatusCode::Ok; }
  const std::string &message() const;

  /// Returns a text such as "invalid argument: buffer 3 holds 12 bytes, 16 are needed", or "ok" for
  /// success.
  std::string toString() const;

  /// Returns the same failure, with `place` in front of its message. So the outermost place comes
  /// first.
  Status at(std::string_view place) &&;

private:
  struct Failure {
    Failure(StatusCode code, std::string text) : code(code), text(std::move(text)) {}
    StatusCode code;
    std::string text;
  };
  // Success is a null pointer, because a launch passes about twenty of these.
  std::unique_ptr<Failure> failure;
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status failure) : failure(std::move(failure)) {
    assert(!this->failure.isOk() && "a Result without a value needs a failure");
  }

  bool isOk() const { return held.has_value(); }
  const Status &status() const { return failure; }

  T &value() & { return checked(), *held; }
  const T &value() const & { return checked(), *held; }
  T &&value() && { return checked(), std::move(*held); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }

private:
  void checked() const { assert(held && "value() of a failed Result"); }

  std::optional<T> held;
  Status failure;
};

/// Returns from the enclosing function if `expr`, which is a Status, is a failure.
#define PUMICE_RETURN_IF_ERROR(expr)                                                               \
  do {                                                                                             \
    if (::pumice::Status pumiceStatus = (expr); !pumiceStatus.isOk())                              \
      return pumiceStatus;                                                                         \
  } while (false)

/// Declares or assigns `place` from `expr`, which is a Result, or returns its failure.
#define PUMICE_TRY(place, expr) PUMICE_TRY_NAMED(place, expr, PUMICE_TRY_JOIN(pumiceTry, __LINE__))
#define PUMICE_TRY_NAMED(place, expr, name)                                                        \
  auto name = (expr);                                                                              \
  if (!name.isOk())                                                                                \
    return name.status();                                                                          \
  place = std::move(name).value()
#define PUMICE_TRY_JOIN(a, b) PUMICE_TRY_JOINED(a, b)
#define PUMICE_TRY_JOINED(a, b) a##b

} // namespace pumice
