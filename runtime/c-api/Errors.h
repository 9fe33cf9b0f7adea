//===- Errors.h - errors of the C API, and structures that can grow ---------===//
#pragma once

#include "include/pumice/pumice.h"
#include "support/Status.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace pumice::capi {

/// Returns the code of a status. Keeps the message of a failure for pumice_last_error. Success
/// costs nothing.
pumice_status keep(Status &&failure);
inline pumice_status answer(Status &&status) {
  return status.isOk() ? PUMICE_OK : keep(std::move(status));
}

[[gnu::cold]] inline Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

/// Sets a result's place to zero, so that callers never see what it contained before.
template <typename T> Status clear(T *place, std::string_view what) {
  if (!place)
    return invalid(std::string(what) + " is NULL; expected a place for the result");
  *place = T();
  return Status::ok();
}

/// The offset at which the last field of a structure ends. PUMICE_LAST_FIELD defines it for each
/// structure that has `struct_size`.
template <typename T> inline constexpr size_t endOfFields = 0;
#define PUMICE_LAST_FIELD(type, field)                                                             \
  template <>                                                                                      \
  inline constexpr size_t pumice::capi::endOfFields<type> =                                        \
      offsetof(type, field) + sizeof(type::field)

/// Returns whether the size of a structure would change if a field was added at its end. Older
/// libraries detect such a field only by the size. 32-bit systems lay out structures differently.
template <typename T> constexpr bool endsWithItsLastField() {
  return sizeof(void *) != 8 || endOfFields<T> == sizeof(T);
}

/// Rejects a structure of `size` bytes at `given` if any byte beyond the first `known` bytes is
/// nonzero.
Status checkSize(const void *given, size_t size, size_t known, std::string_view what);
/// Rejects a structure whose field `reserved` is not zero.
Status checkReserved(uint64_t reserved, std::string_view what);

/// Returns the caller's structure in the form that this library knows. Fields that an older
/// structure lacks are zero. NULL means all zeros.
template <typename T> Result<T> readStruct(const T *given, std::string_view what) {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(endsWithItsLastField<T>(), "add a field `reserved`, and see PUMICE_LAST_FIELD");
  T known{};
  if (!given)
    return known;
  PUMICE_RETURN_IF_ERROR(checkSize(given, given->struct_size, sizeof(T), what));
  std::memcpy(&known, given, std::min(given->struct_size, sizeof(T)));
  if constexpr (requires { known.reserved; })
    PUMICE_RETURN_IF_ERROR(checkReserved(known.reserved, what));
  return known;
}

/// Fills the caller's structure, as far as its size allows. Fields that this library does not know
/// become zero.
template <typename T> Status writeStruct(T *place, T contents, std::string_view what) {
  static_assert(endsWithItsLastField<T>(), "add a field `reserved`, and see PUMICE_LAST_FIELD");
  if (!place)
    return invalid(std::string(what) + " is NULL; expected a place for the result");
  size_t size = place->struct_size;
  PUMICE_RETURN_IF_ERROR(checkSize(nullptr, size, sizeof(T), what));
  contents.struct_size = size;
  std::memcpy(place, &contents, std::min(size, sizeof(T)));
  if (size > sizeof(T))
    std::memset(reinterpret_cast<char *>(place) + sizeof(T), 0, size - sizeof(T));
  return Status::ok();
}

} // namespace pumice::capi

PUMICE_LAST_FIELD(pumice_host_allocator, release);
PUMICE_LAST_FIELD(pumice_device_info, max_subgroup_size);
PUMICE_LAST_FIELD(pumice_tensor_layout, strides);
PUMICE_LAST_FIELD(pumice_entry_point_info, reserved);
PUMICE_LAST_FIELD(pumice_argument_info, offset);
PUMICE_LAST_FIELD(pumice_function_options, reserved);
PUMICE_LAST_FIELD(pumice_queue_options, reserved);
PUMICE_LAST_FIELD(pumice_argument, reserved);
PUMICE_LAST_FIELD(pumice_launch_options, memory_user);
PUMICE_LAST_FIELD(pumice_profile_record, bytes);
PUMICE_LAST_FIELD(pumice_compile_options, reserved);
