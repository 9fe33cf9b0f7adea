//===- pumice.hpp - the C API with C++'s lifetimes and errors ----------------===//
// Header only, C++17. pumice.h is the manual: what each call does stands there.
//
//   auto device = pumice::Device::open();
//   if (!device)
//     return fail(device.error().message);
//   pumice::Queue queue = device->createQueue().value();
//
// A call that can fail gives a Result (or a Status). `value()` of a failed one ends the program
// with its message; where PUMICE_THROW is defined before this header is included, it throws the
// Error. Objects are counted handles: copies name the same object, and the last one lets go of it.
//===-------------------------------------------------------------------------===//
#pragma once

#include "pumice/pumice.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pumice {
inline namespace cpp0 {

struct Error : std::exception {
  pumice_status code = PUMICE_OK;
  std::string message; // "invalid argument: …"

  const char *what() const noexcept override { return message.c_str(); }
  /// What the call before this one on this thread said.
  static Error last(pumice_status code) {
    Error error;
    error.code = code;
    error.message = std::string(pumice_status_name(code)) + ": " + pumice_last_error();
    return error;
  }
};

[[noreturn]] inline void failed(const Error &error) {
#ifdef PUMICE_THROW
  throw error;
#else
  std::fprintf(stderr, "pumice: %s\n", error.message.c_str());
  std::abort();
#endif
}

/// Of calls that have no result.
class [[nodiscard]] Status {
public:
  Status(pumice_status code) {
    if (code != PUMICE_OK)
      failure = Error::last(code);
  }
  explicit operator bool() const { return !failure; } // true: it went well
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

/// A counted handle.
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

/// The object that `call` makes.
template <typename T, typename C, typename Call> Result<T> made(Call call) {
  C *object = nullptr;
  if (pumice_status code = call(&object))
    return Error::last(code);
  return T(object);
}

class Buffer : public Handle<pumice_buffer, pumice_buffer_retain, pumice_buffer_release> {
public:
  using Handle::Handle;
  uint64_t bytes() const { return pumice_buffer_bytes(get()); }
  uint64_t address() const { return pumice_buffer_address(get()); }
  /// Null where the host does not see it.
  template <typename T = void> T *map() const { return static_cast<T *>(pumice_buffer_map(get())); }
};

/// One argument of a launch: a buffer, or any trivially copyable scalar, which must outlive the
/// launch call where it has more than 8 bytes.
class Argument : public pumice_argument {
public:
  Argument(const Buffer &of, uint64_t firstByte = 0, uint64_t byteCount = PUMICE_TO_END)
      : pumice_argument(pumice_argument_buffer(of.get())) {
    offset = firstByte;
    bytes = byteCount;
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>>
  Argument(const T &scalar) : pumice_argument(pumice_argument_scalar(&scalar, sizeof scalar)) {}
  Argument(const pumice_argument &argument) : pumice_argument(argument) {}
};
static_assert(sizeof(Argument) == sizeof(pumice_argument), "passed on as an array");

class Function : public Handle<pumice_function, pumice_function_retain, pumice_function_release> {
public:
  using Handle::Handle;
};

class Executable
    : public Handle<pumice_executable, pumice_executable_retain, pumice_executable_release> {
public:
  using Handle::Handle;
  Result<Function> function(const char *name = nullptr,
                            const pumice_function_options *options = nullptr) const {
    return made<Function, pumice_function>([&](pumice_function **place) {
      return pumice_executable_function(get(), name, options, place);
    });
  }
};

class Timeline : public Handle<pumice_timeline, pumice_timeline_retain, pumice_timeline_release> {
public:
  using Handle::Handle;
  Result<uint64_t> value() const {
    uint64_t reached = 0;
    if (pumice_status code = pumice_timeline_value(get(), &reached))
      return Error::last(code);
    return reached;
  }
  Status wait(uint64_t value, uint64_t timeout = PUMICE_FOREVER) const {
    return pumice_timeline_wait(get(), value, timeout);
  }
  Status signal(uint64_t value) const { return pumice_timeline_signal(get(), value); }
};

class Queue : public Handle<pumice_queue, pumice_queue_retain, pumice_queue_release> {
public:
  using Handle::Handle;
  Status upload(const Buffer &to, const void *from, uint64_t bytes, uint64_t offset = 0) const {
    return pumice_queue_upload(get(), to.get(), offset, from, bytes);
  }
  Status download(void *to, const Buffer &from, uint64_t bytes, uint64_t offset = 0) const {
    return pumice_queue_download(get(), to, from.get(), offset, bytes);
  }
  Status copy(const Buffer &to, const Buffer &from, uint64_t bytes, uint64_t toOffset = 0,
              uint64_t fromOffset = 0) const {
    return pumice_queue_copy(get(), to.get(), toOffset, from.get(), fromOffset, bytes);
  }
  Status fill(const Buffer &to, uint32_t pattern, uint64_t bytes = PUMICE_TO_END,
              uint64_t offset = 0) const {
    return pumice_queue_fill(get(), to.get(), offset, bytes, pattern, 4);
  }
  Status wait(const Timeline &timeline, uint64_t value) const {
    return pumice_queue_wait(get(), timeline.get(), value);
  }
  Status signal(const Timeline &timeline, uint64_t value) const {
    return pumice_queue_signal(get(), timeline.get(), value);
  }
  Status launch(const Function &function, const pumice_launch_options &options,
                const std::vector<Argument> &arguments) const {
    return pumice_launch(get(), function.get(), &options, arguments.data(), arguments.size());
  }
  template <typename... Arguments>
  Status launch(const Function &function, std::array<uint32_t, 3> groups,
                const Arguments &...arguments) const {
    const std::array<Argument, sizeof...(Arguments)> all{Argument(arguments)...};
    pumice_launch_options options = pumice_groups(groups[0], groups[1], groups[2]);
    return pumice_launch(get(), function.get(), &options, all.data(), all.size());
  }
  Status flush() const { return pumice_queue_flush(get()); }
  Status finish(uint64_t timeout = PUMICE_FOREVER) const {
    return pumice_queue_finish(get(), timeout);
  }
  /// Labels live no longer than the call of `look`, which gets each record in turn.
  template <typename Look> Status takeProfile(Look look) const {
    pumice_profile *profile = nullptr;
    pumice_status code = pumice_queue_take_profile(get(), &profile);
    for (size_t i = 0, count = profile ? pumice_profile_count(profile) : 0; i < count; ++i) {
      pumice_profile_record record = PUMICE_INIT(pumice_profile_record);
      if (pumice_profile_get(profile, i, &record) == PUMICE_OK)
        look(static_cast<const pumice_profile_record &>(record));
    }
    pumice_profile_release(profile);
    return code;
  }
};

class Device : public Handle<pumice_device, pumice_device_retain, pumice_device_release> {
public:
  using Handle::Handle;
  static Result<Device> open(const char *request = nullptr) {
    return made<Device, pumice_device>(
        [&](pumice_device **place) { return pumice_device_open(request, place); });
  }
  static Result<Device> openFor(const void *executable, size_t bytes,
                                const char *request = nullptr) {
    return made<Device, pumice_device>([&](pumice_device **place) {
      return pumice_device_open_for(executable, bytes, request, place);
    });
  }
  pumice_device_info info() const {
    pumice_device_info info = PUMICE_INIT(pumice_device_info);
    Status(pumice_device_get_info(get(), &info)).value();
    return info;
  }
  Status health() const { return pumice_device_health(get()); }
  Status setOption(const char *name, int64_t value) const {
    return pumice_device_set_option(get(), name, value);
  }
  Result<Buffer> createBuffer(uint64_t bytes, pumice_memory memory = PUMICE_MEMORY_DEVICE) const {
    return made<Buffer, pumice_buffer>(
        [&](pumice_buffer **place) { return pumice_buffer_create(get(), bytes, memory, place); });
  }
  /// The memory must outlive the buffer, and work that uses it.
  Result<Buffer> importHost(void *memory, uint64_t bytes) const {
    return made<Buffer, pumice_buffer>([&](pumice_buffer **place) {
      return pumice_buffer_import_host(get(), memory, bytes, nullptr, nullptr, place);
    });
  }
  Result<Executable> load(const void *data, size_t bytes) const {
    return made<Executable, pumice_executable>([&](pumice_executable **place) {
      return pumice_executable_load(get(), data, bytes, place);
    });
  }
  Result<Executable> loadFile(const char *path) const {
    return made<Executable, pumice_executable>(
        [&](pumice_executable **place) { return pumice_executable_load_file(get(), path, place); });
  }
  Result<Queue> createQueue(bool profiling = false) const {
    pumice_queue_options options = PUMICE_INIT(pumice_queue_options);
    options.profiling = profiling;
    return made<Queue, pumice_queue>(
        [&](pumice_queue **place) { return pumice_queue_create(get(), &options, place); });
  }
  Result<Timeline> createTimeline(uint64_t initial = 0) const {
    return made<Timeline, pumice_timeline>(
        [&](pumice_timeline **place) { return pumice_timeline_create(get(), initial, place); });
  }
};

/// The bytes of an executable for `device`; see pumice_compile for what else there is to choose.
inline Result<std::string> compile(const std::string &source, const Device &device,
                                   const char *sourceName = "kernel") {
  pumice_device *devices[] = {device.get()};
  pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
  options.source_name = sourceName;
  options.devices = devices;
  options.device_count = 1;
  pumice_blob *blob = nullptr;
  if (pumice_status code = pumice_compile(source.data(), source.size(), &options, &blob))
    return Error::last(code);
  std::string bytes(static_cast<const char *>(pumice_blob_data(blob)), pumice_blob_size(blob));
  pumice_blob_release(blob);
  return bytes;
}

} // namespace cpp0
} // namespace pumice
