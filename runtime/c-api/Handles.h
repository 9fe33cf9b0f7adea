//===- Handles.h - the objects behind the C API's opaque handles ------------===//
// A handle is a reference-counted wrapper around one object of the HAL. Its first field is its
// kind. So NULL, a handle of the wrong kind, and most released handles are reported instead of
// used.
//===-------------------------------------------------------------------------===//
#pragma once

#include "include/pumice/pumice.h"
#include "runtime/c-api/Errors.h"
#include "runtime/hal/Executable.h"
#include "runtime/hal/Graph.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace pumice::capi {

/// The values are arbitrary numbers that other memory is unlikely to contain by chance.
enum class Kind : uint32_t {
  Released = 0xdead9001,
  DeviceList = 0x50756d10,
  Device,
  Buffer,
  Executable,
  Function,
  Queue,
  Timeline,
  Profile,
  Blob,
  VulkanWishes,
  PendingFunction,
  Graph,
};

struct Handle {
  explicit Handle(Kind kind) : kind(kind) {}
  // Atomic, so that the compiler keeps the store that precedes destruction.
  std::atomic<Kind> kind;
  std::atomic<uint32_t> references{1};
};

template <Kind ownKind> struct HandleOf : Handle {
  static constexpr Kind expected = ownKind;
  HandleOf() : Handle(ownKind) {}
};

/// Returns the word for handles of this kind in errors, such as "buffer".
std::string_view nounOf(Kind kind);

/// Returns InvalidArgument unless `handle` is alive and has the `expected` kind. `what` is the name
/// of the parameter.
Status checkKind(const Handle *handle, Kind expected, std::string_view what);

template <typename T> Status check(const T *handle, std::string_view what) {
  if (handle && handle->kind.load(std::memory_order_relaxed) == T::expected) [[likely]]
    return Status::ok();
  return checkKind(handle, T::expected, what);
}

/// Adds a reference. If the handle is invalid, leaves it unchanged, and keeps the error for
/// pumice_last_error.
template <typename T> void retainHandle(T *handle) {
  if (!handle)
    return;
  if (Status status = check(handle, nounOf(T::expected)); !status.isOk())
    return static_cast<void>(answer(std::move(status)));
  handle->references.fetch_add(1, std::memory_order_relaxed);
}

template <typename T> void releaseHandle(T *handle) {
  if (!handle)
    return;
  if (Status status = check(handle, nounOf(T::expected)); !status.isOk())
    return static_cast<void>(answer(std::move(status)));
  if (handle->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  handle->kind.store(Kind::Released, std::memory_order_relaxed);
  delete handle;
}

/// Returns the existing handle of the device, with another reference, or else a new handle. A
/// device that the application lent (`isLent`) is never reopened.
pumice_device *handleOf(Ref<hal::Device> device, bool isLent = false);

/// Makes a function with checked options. This runs the device's compiler. The caller owns the
/// handle.
Result<pumice_function *> makeFunction(pumice_executable *executable, std::string name,
                                       hal::FunctionOptions options);
/// Converts the options. Errors: InvalidArgument, with the name of the option.
Result<hal::FunctionOptions> functionOptions(const pumice_function_options *options);

/// Returns bytes, such as a text, in a blob for the caller.
pumice_blob *makeBlob(std::string bytes);

/// Converts a part of a buffer to the form of the HAL. Errors: InvalidArgument, which names `what`.
Result<hal::BufferRange> rangeOf(const pumice_buffer *buffer, uint64_t offset, uint64_t bytes,
                                 std::string_view what);

/// Converts nanoseconds. A time that does not fit becomes forever.
hal::Timeout timeoutOf(uint64_t nanoseconds);

} // namespace pumice::capi

struct pumice_device_list : pumice::capi::HandleOf<pumice::capi::Kind::DeviceList> {
  std::vector<pumice::hal::DeviceInfo> devices;
  std::string failures;
};

/// A device has at most one handle, so that callers can compare devices by their handles (see
/// `handleOf`). The handle outlives the loss of the device. Afterwards, objects are made on the
/// reopened device, which is the handle's next generation.
struct pumice_device : pumice::capi::HandleOf<pumice::capi::Kind::Device> {
  pumice_device(pumice::Ref<pumice::hal::Device> opened, bool isLent);
  ~pumice_device();

  /// Returns the latest generation of the device, which may be lost.
  pumice::Ref<pumice::hal::Device> latest() const;
  /// Returns the latest generation, which is reopened first if it is lost. Errors: DeviceLost, also
  /// if reopening fails.
  pumice::Result<pumice::Ref<pumice::hal::Device>> working() const;
  /// Replaces the device by a generation that a caller has reopened.
  void replace(pumice::Ref<pumice::hal::Device> opened) const;
  /// Sets an option of this generation and of all later ones.
  pumice::Status setOption(const std::string &name, int64_t value);

  const pumice::hal::DeviceInfo info; // the same for all generations
  /// Whether the application lent the device. Such a device has only one generation.
  const bool isLent;

private:
  // After a loss, the device behind the handle is replaced, but the handle stays the same.
  mutable std::mutex mutex; // guards the members below
  mutable pumice::Ref<pumice::hal::Device> object;
  std::map<std::string, int64_t> options;
  mutable std::mutex reopening;
};

/// A part of a buffer of the HAL: `bytes` bytes, from byte `base` on. Imported memory may start
/// inside a page.
struct pumice_buffer : pumice::capi::HandleOf<pumice::capi::Kind::Buffer> {
  /// Makes the handle of a new buffer, in the memory that the buffer reserves for it.
  static pumice_buffer *inside(pumice::Ref<pumice::hal::Buffer> object, uint64_t base,
                               uint64_t bytes);
  /// Makes another handle of a buffer. `atRelease` runs when that handle is released.
  pumice_buffer(pumice::Ref<pumice::hal::Buffer> object, uint64_t base, uint64_t bytes,
                std::function<void()> atRelease = {});
  ~pumice_buffer();
  static void operator delete(pumice_buffer *handle, std::destroying_delete_t);

  pumice::Ref<pumice::hal::Buffer> object;
  uint64_t base, bytes;

private:
  /// Allocated only if it is set, because few buffers have one.
  std::unique_ptr<std::function<void()>> atRelease;
};

/// An executable. It is loaded again for each generation of the device that uses it.
struct pumice_executable : pumice::capi::HandleOf<pumice::capi::Kind::Executable> {
  pumice_executable(pumice_device *device,
                    std::shared_ptr<const pumice::executable::Executable> contents,
                    pumice::Ref<pumice::hal::Executable> loaded);
  ~pumice_executable();

  /// Returns the executable, loaded on a generation of its device.
  pumice::Result<pumice::Ref<pumice::hal::Executable>> on(pumice::Ref<pumice::hal::Device> device);
  pumice::Ref<pumice::hal::Executable> latest() const;

  pumice_device *const device; // holds a reference
  const std::shared_ptr<const pumice::executable::Executable> contents;

private:
  mutable std::mutex mutex;
  pumice::Ref<pumice::hal::Executable> object;
};

/// A function. It is made and compiled again for each generation of the device that launches it.
struct pumice_function : pumice::capi::HandleOf<pumice::capi::Kind::Function> {
  pumice_function(pumice_executable *executable, std::string name,
                  pumice::hal::FunctionOptions options, pumice::Ref<pumice::hal::Function> made);
  ~pumice_function();

  /// Returns the function of the last launch, without locking. Returns null if `queue` belongs to
  /// another device.
  pumice::hal::Function *known(const pumice::hal::Queue &queue) const {
    pumice::hal::Function *last = latest.load(std::memory_order_acquire);
    return &last->device() == &queue.device() ? last : nullptr;
  }
  /// Returns the function for launches on `queue`. Makes it first if the queue belongs to another
  /// generation of the device.
  [[gnu::cold]] pumice::Result<pumice::hal::Function *> makeFor(pumice::hal::Queue &queue);

private:
  pumice_executable *const executable; // holds a reference
  const std::string name;
  const pumice::hal::FunctionOptions options;
  std::atomic<pumice::hal::Function *> latest;
  std::mutex mutex;
  // All functions that were made. They stay alive, because other threads may be launching an older
  // one.
  std::vector<pumice::Ref<pumice::hal::Function>> made;
};

struct pumice_queue : pumice::capi::HandleOf<pumice::capi::Kind::Queue> {
  pumice::Ref<pumice::hal::Queue> object;
};

struct pumice_timeline : pumice::capi::HandleOf<pumice::capi::Kind::Timeline> {
  pumice::Ref<pumice::hal::Timeline> object;
};

struct pumice_profile : pumice::capi::HandleOf<pumice::capi::Kind::Profile> {
  std::vector<pumice::hal::ProfileRecord> records;
};

struct pumice_graph : pumice::capi::HandleOf<pumice::capi::Kind::Graph> {
  pumice::Ref<pumice::hal::Graph> object;
};

struct pumice_blob : pumice::capi::HandleOf<pumice::capi::Kind::Blob> {
  std::string bytes;
};
