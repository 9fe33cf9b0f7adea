//===- pumice.hpp - the C API with C++'s lifetimes and errors ---------------===//
// This layer only consists of headers, in C++17. pumice.h is the manual, and describes each call.
//
//   auto device = pumice::Device::open();
//   if (!device)
//     return fail(device.error().message);
//   pumice::Queue queue = device->createQueue().value();
//
// A call that can fail returns a Result or a Status. `value()` of a failed result ends the program
// with the message. If PUMICE_THROW is defined before this header is included, `value()` throws the
// Error instead. Objects are reference-counted handles: copies refer to the same object, and the
// last copy releases it. Callbacks may be any callable objects. They live until they have been
// called.
//===-------------------------------------------------------------------------===//
#pragma once

#include "parts/base.hpp"
#include "pumice.h"

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pumice {
inline namespace PUMICE_CPP_NAMESPACE {

/// Returns the version of the library, which may be newer than that of this header.
inline const char *version() { return pumice_version(); }
/// Returns whether the library has the ABI that this header expects.
inline bool hasSameAbi() { return pumice_abi_version() == PUMICE_ABI_VERSION; }

/// A DLPack tensor, whose destructor calls the tensor's deleter. To pass the tensor to another
/// library, use `release()` and a cast to DLManagedTensorVersioned (or to DLManagedTensor, before
/// 1.0).
struct GiveBack {
  template <typename Managed> void operator()(Managed *tensor) const {
    if (tensor->deleter)
      tensor->deleter(tensor);
  }
};
using Tensor = std::unique_ptr<pumice_dl_managed_versioned, GiveBack>;
using UnversionedTensor = std::unique_ptr<pumice_dl_managed, GiveBack>;

/// Describes where the elements of a tensor are in a buffer.
struct TensorLayout {
  pumice_dl_type type{PUMICE_DL_FLOAT, 32, 1};
  std::vector<int64_t> shape;
  std::vector<int64_t> strides; // in elements; empty: row-major without gaps
  uint64_t byteOffset = 0;

  /// Returns the DLPack type of a C++ arithmetic type.
  template <typename T> static constexpr pumice_dl_type typeOf() {
    static_assert(std::is_arithmetic_v<T>);
    constexpr auto code = std::is_same_v<T, bool>       ? PUMICE_DL_BOOL
                          : std::is_floating_point_v<T> ? PUMICE_DL_FLOAT
                          : std::is_signed_v<T>         ? PUMICE_DL_INT
                                                        : PUMICE_DL_UINT;
    return {static_cast<uint8_t>(code), static_cast<uint8_t>(8 * sizeof(T)), 1};
  }
};

class Buffer : public Handle<pumice_buffer, pumice_buffer_retain, pumice_buffer_release> {
public:
  using Handle::Handle;
  uint64_t bytes() const { return pumice_buffer_bytes(get()); }
  uint64_t address() const { return pumice_buffer_address(get()); }
  /// Returns an error if the contents are lost. They are lost together with the device.
  Status health() const { return pumice_buffer_health(get()); }
  pumice_memory memory() const { return pumice_buffer_memory(get()); }
  /// Returns the address of the bytes, or null if the host cannot access the buffer.
  template <typename T = void> T *map() const { return static_cast<T *>(pumice_buffer_map(get())); }

  /// Makes a tensor over the memory of the buffer. The tensor keeps that memory alive.
  Result<Tensor> toTensor(const TensorLayout &layout) const {
    return tensor<Tensor>(layout, pumice_buffer_to_dlpack_versioned);
  }
  Result<UnversionedTensor> toUnversionedTensor(const TensorLayout &layout) const {
    return tensor<UnversionedTensor>(layout, pumice_buffer_to_dlpack);
  }

private:
  template <typename T, typename Call>
  Result<T> tensor(const TensorLayout &layout, Call call) const {
    if (!layout.strides.empty() && layout.strides.size() != layout.shape.size())
      return Error::of(PUMICE_INVALID_ARGUMENT, "a tensor has one stride for each extent, or none");
    pumice_tensor_layout plain = PUMICE_INIT(pumice_tensor_layout);
    plain.byte_offset = layout.byteOffset;
    plain.type = layout.type;
    plain.rank = static_cast<int32_t>(layout.shape.size());
    plain.shape = layout.shape.data();
    plain.strides = layout.strides.empty() ? nullptr : layout.strides.data();
    typename T::pointer raw = nullptr;
    if (pumice_status code = call(get(), &plain, &raw))
      return Error::last(code);
    return T(raw);
  }
};

/// One argument of a launch: a buffer, a scalar, or an array for a vector. If an array has more
/// than 8 bytes, it must outlive the launch call.
class Argument : public pumice_argument {
public:
  Argument(const Buffer &of, uint64_t firstByte = 0, uint64_t byteCount = PUMICE_TO_END)
      : pumice_argument(pumice_argument_buffer(of.get())) {
    offset = firstByte;
    bytes = byteCount;
  }
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>>
  Argument(const T &scalar) : pumice_argument(pumice_argument_scalar(&scalar, sizeof scalar)) {}
  template <typename T, size_t width>
  Argument(const std::array<T, width> &vector)
      : pumice_argument(pumice_argument_scalar(vector.data(), sizeof vector)) {}
  Argument(const pumice_argument &argument) : pumice_argument(argument) {}
};
static_assert(sizeof(Argument) == sizeof(pumice_argument), "passed on as an array");

class Function : public Handle<pumice_function, pumice_function_retain, pumice_function_release> {
public:
  using Handle::Handle;
};

/// A function that a thread of the library is making. Copies refer to the same function.
class PendingFunction {
public:
  explicit PendingFunction(pumice_pending_function *adopted)
      : object(adopted, pumice_pending_function_release) {}
  /// Waits until the function has been made, and returns it, or the error.
  Result<Function> wait(uint64_t timeout = PUMICE_FOREVER) const {
    return made<Function, pumice_function>([&](pumice_function **place) {
      return pumice_pending_function_wait(object.get(), timeout, place);
    });
  }

private:
  std::shared_ptr<pumice_pending_function> object;
};

/// Options that the compiler of the device needs.
struct FunctionOptions {
  std::array<uint32_t, 3> workgroupSize{};
  uint32_t dynamicMemoryBytes = 0;
  std::vector<pumice_constant> constants;
  bool robustAccess = false;
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
  Result<Function> function(const char *name, const FunctionOptions &options) const {
    pumice_function_options plain = plainOf(options);
    return function(name, &plain);
  }
  /// Starts making a function, and returns at once.
  Result<PendingFunction> beginFunction(const char *name = nullptr,
                                        const FunctionOptions &options = {}) const {
    pumice_function_options plain = plainOf(options);
    return made<PendingFunction, pumice_pending_function>([&](pumice_pending_function **place) {
      return pumice_executable_begin_function(get(), name, &plain, place);
    });
  }
  /// Pointers in the results are valid as long as the executable exists.
  size_t entryPointCount() const { return pumice_executable_entry_point_count(get()); }
  Result<pumice_entry_point_info> entryPoint(size_t index) const {
    return told<pumice_entry_point_info>([&](pumice_entry_point_info *info) {
      return pumice_executable_entry_point(get(), index, info);
    });
  }
  Result<pumice_argument_info> argument(size_t entryPoint, size_t index) const {
    return told<pumice_argument_info>([&](pumice_argument_info *info) {
      return pumice_executable_argument(get(), entryPoint, index, info);
    });
  }

private:
  static pumice_function_options plainOf(const FunctionOptions &options) {
    pumice_function_options plain = PUMICE_INIT(pumice_function_options);
    for (size_t d = 0; d < 3; ++d)
      plain.workgroup_size[d] = options.workgroupSize[d];
    plain.dynamic_memory_bytes = options.dynamicMemoryBytes;
    plain.constants = options.constants.data();
    plain.constant_count = options.constants.size();
    plain.robust_access = options.robustAccess;
    return plain;
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
  /// Returns an error if the queue no longer accepts work. Queues are lost together with the
  /// device.
  Status health() const { return pumice_queue_health(get()); }
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
              uint64_t offset = 0, uint32_t patternBytes = 4) const {
    return pumice_queue_fill(get(), to.get(), offset, bytes, pattern, patternBytes);
  }
  Status wait(const Timeline &timeline, uint64_t value) const {
    return pumice_queue_wait(get(), timeline.get(), value);
  }
  Status signal(const Timeline &timeline, uint64_t value) const {
    return pumice_queue_signal(get(), timeline.get(), value);
  }
  Status launch(const Function &function, const pumice_launch_options &options,
                const std::vector<Argument> &arguments) const {
    return pumice_launch_sized(get(), function.get(), &options, arguments.data(), arguments.size(),
                               sizeof(Argument));
  }
  template <typename... Arguments>
  Status launch(const Function &function, std::array<uint32_t, 3> groups,
                const Arguments &...arguments) const {
    const std::array<Argument, sizeof...(Arguments)> all{Argument(arguments)...};
    pumice_launch_options options = pumice_groups(groups[0], groups[1], groups[2]);
    return pumice_launch(get(), function.get(), &options, all.data(), all.size());
  }
  /// Calls `done`, on any thread, when all earlier work of the queue is done or has failed. If this
  /// function fails, `done` is not called. `done` must not call the queue.
  Status onDone(std::function<void(const Status &)> done) const {
    using Done = std::function<void(const Status &)>;
    auto held = std::make_unique<Done>(std::move(done));
    Status status = pumice_queue_on_done(
        get(),
        [](void *user, pumice_status code, const char *message) {
          std::unique_ptr<Done> call(static_cast<Done *>(user));
          (*call)(code == PUMICE_OK ? Status(code) : Status(Error::of(code, message)));
        },
        held.get());
    if (status)
      (void)held.release(); // owned by the callback, which may have run
    return status;
  }
  Status flush() const { return pumice_queue_flush(get()); }
  Status finish(uint64_t timeout = PUMICE_FOREVER) const {
    return pumice_queue_finish(get(), timeout);
  }
  /// Passes each record to `look` in turn. Labels are valid only during that call.
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

/// Returns `options` for a launch that passes its output to `sink`, as pieces of text. `sink` must
/// live until the launch is done.
template <typename Sink> pumice_launch_options printTo(Sink &sink, pumice_launch_options options) {
  options.print = [](void *user, const char *text, size_t bytes) {
    (*static_cast<Sink *>(user))(std::string_view(text, bytes));
  };
  options.print_user = &sink;
  return options;
}

/// Describes all devices of all drivers, with the best driver first, at the time of the call. It
/// does not open devices. Its strings are valid as long as the list or a copy of it exists.
class DeviceList {
public:
  static Result<DeviceList> make() {
    pumice_device_list *raw = nullptr;
    if (pumice_status code = pumice_list_devices(&raw))
      return Error::last(code);
    DeviceList list;
    list.object.reset(raw, pumice_device_list_release);
    for (size_t i = 0, count = pumice_device_list_count(raw); i < count; ++i) {
      auto info = told<pumice_device_info>(
          [&](pumice_device_info *place) { return pumice_device_list_info(raw, i, place); });
      if (!info)
        return info.error();
      list.infos.push_back(*info);
    }
    return list;
  }
  size_t size() const { return infos.size(); }
  const pumice_device_info &operator[](size_t index) const { return infos[index]; }
  auto begin() const { return infos.begin(); }
  auto end() const { return infos.end(); }
  /// Returns why built-in drivers have no devices here, or an empty text if all drivers started.
  const char *failures() const { return pumice_device_list_failures(object.get()); }

private:
  DeviceList() = default;
  std::shared_ptr<pumice_device_list> object;
  std::vector<pumice_device_info> infos;
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
    return told<pumice_device_info>(
               [&](pumice_device_info *place) { return pumice_device_get_info(get(), place); })
        .value();
  }
  Status health() const { return pumice_device_health(get()); }
  Status setOption(const char *name, int64_t value) const {
    return pumice_device_set_option(get(), name, value);
  }
  /// Returns the target environment of the device as JSON text. `compile` accepts it, even on
  /// machines without the device.
  Result<std::string> target() const {
    return bytesOf([&](pumice_blob **place) { return pumice_device_target(get(), place); });
  }
  Result<Buffer> createBuffer(uint64_t bytes, pumice_memory memory = PUMICE_MEMORY_DEVICE) const {
    return made<Buffer, pumice_buffer>(
        [&](pumice_buffer **place) { return pumice_buffer_create(get(), bytes, memory, place); });
  }
  /// The memory must outlive the buffer and all work that uses it. When these are gone, `release`,
  /// if given, is called on any thread. If this function fails, it is not called.
  Result<Buffer> importHost(void *memory, uint64_t bytes,
                            std::function<void()> release = nullptr) const {
    using Release = std::function<void()>;
    std::unique_ptr<Release> held(release ? new Release(std::move(release)) : nullptr);
    pumice_release_callback call = [](void *user) {
      std::unique_ptr<Release> last(static_cast<Release *>(user));
      (*last)();
    };
    auto buffer = made<Buffer, pumice_buffer>([&](pumice_buffer **place) {
      return pumice_buffer_import_host(get(), memory, bytes, held ? call : nullptr, held.get(),
                                       place);
    });
    if (buffer)
      (void)held.release(); // owned by the callback
    return buffer;
  }
  /// Makes a buffer over the elements of another library's tensor, in place. If this succeeds, the
  /// tensor's deleter is called when the buffer, and all work that uses it, are gone.
  Result<Buffer> importTensor(pumice_dl_managed_versioned *tensor) const {
    return made<Buffer, pumice_buffer>([&](pumice_buffer **place) {
      return pumice_buffer_from_dlpack_versioned(get(), tensor, place);
    });
  }
  Result<Buffer> importTensor(pumice_dl_managed *tensor) const {
    return made<Buffer, pumice_buffer>(
        [&](pumice_buffer **place) { return pumice_buffer_from_dlpack(get(), tensor, place); });
  }
  /// Does the same. If this fails, `tensor` keeps the tensor.
  template <typename Managed>
  Result<Buffer> importTensor(std::unique_ptr<Managed, GiveBack> &&tensor) const {
    Result<Buffer> buffer = importTensor(tensor.get());
    if (buffer)
      (void)tensor.release();
    return buffer;
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

struct CompileOptions {
  std::string sourceName = "kernel"; // for diagnostics and the executable
  std::vector<Device> devices;       // the targets include these devices
  std::vector<std::string> targets;  // and these: "rdna3", a device's `target`, a file
  pumice_source_kind sourceKind = PUMICE_SOURCE_AUTO;
  pumice_addressing addressing = PUMICE_ADDRESSING_AUTO;
  uint32_t indexBits = 32;
  bool nativeMatrices = false;
  std::function<void(std::string_view)> diagnostics; // receives warnings and errors
  /// Receives the name and text of a stage (see pumice_stage_callback).
  std::function<void(std::string_view, std::string_view)> stage;
  pumice_route route = PUMICE_ROUTE_SPIRV; // for OpenCL targets
};

/// Returns the bytes of an executable with code for every target.
inline Result<std::string> compile(const std::string &source, const CompileOptions &options) {
  std::vector<pumice_device *> devices;
  for (const Device &device : options.devices)
    devices.push_back(device.get());
  std::vector<const char *> targets;
  for (const std::string &target : options.targets)
    targets.push_back(target.c_str());
  auto diagnostics = options.diagnostics;
  pumice_compile_options plain = PUMICE_INIT(pumice_compile_options);
  if (diagnostics) {
    plain.diagnostics = [](void *user, const char *text, size_t bytes) {
      (*static_cast<decltype(diagnostics) *>(user))(std::string_view(text, bytes));
    };
    plain.diagnostics_user = &diagnostics;
  }
  auto stage = options.stage;
  if (stage) {
    plain.stage = [](void *user, const char *name, const char *text, size_t bytes) {
      (*static_cast<decltype(stage) *>(user))(name, std::string_view(text, bytes));
    };
    plain.stage_user = &stage;
  }
  plain.source_name = options.sourceName.c_str();
  plain.source_kind = options.sourceKind;
  plain.addressing = options.addressing;
  plain.index_bits = options.indexBits;
  plain.native_matrices = options.nativeMatrices;
  plain.route = options.route;
  plain.devices = devices.data();
  plain.device_count = devices.size();
  plain.targets = targets.data();
  plain.target_count = targets.size();
  return bytesOf([&](pumice_blob **place) {
    return pumice_compile(source.data(), source.size(), &plain, place);
  });
}

/// Compiles for one device.
inline Result<std::string> compile(const std::string &source, const Device &device,
                                   const char *sourceName = "kernel") {
  CompileOptions options;
  options.sourceName = sourceName;
  options.devices = {device};
  return compile(source, options);
}

/// Returns the code in an executable as text, in the form PUMICE_TEXT_SPIRV, _LLVM_IR or _ASSEMBLY.
inline Result<std::string> codeText(const std::string &executable,
                                    pumice_text_form form = PUMICE_TEXT_SPIRV) {
  return bytesOf([&](pumice_blob **place) {
    return pumice_code_text(executable.data(), executable.size(), form, place);
  });
}

/// Returns the names of the kernels in an executable, without a device.
inline Result<std::vector<std::string>> kernelNames(const std::string &executable) {
  Result<std::string> all = bytesOf([&](pumice_blob **place) {
    return pumice_executable_names(executable.data(), executable.size(), place);
  });
  if (!all)
    return all.error();
  std::vector<std::string> names;
  for (size_t at = 0; at < all->size(); at += names.back().size() + 1)
    names.emplace_back(all->c_str() + at);
  return names;
}

/// Passes messages that no call returns to `log`, on any thread. A null function ends this. `log`
/// lives until then.
inline void setLog(std::function<void(pumice_log_level, std::string_view)> log) {
  static std::mutex mutex;
  static auto *current =
      new std::shared_ptr<decltype(log)>; // not destroyed; threads may log while the process ends
  std::lock_guard lock(mutex);
  auto next = log ? std::make_shared<decltype(log)>(std::move(log)) : nullptr;
  pumice_log_callback call = [](void *user, pumice_log_level level, const char *text,
                                size_t bytes) {
    (*static_cast<decltype(log) *>(user))(level, std::string_view(text, bytes));
  };
  pumice_set_log_callback(next ? call : nullptr, next.get());
  *current = next;
}

/// Makes the CPU device allocate memory with functions of the program. Must be called before the
/// first device is opened.
inline Status setHostAllocator(const pumice_host_allocator &allocator) {
  return pumice_set_host_allocator(&allocator);
}

/// Shows long compilations on the terminal, or stops showing them.
inline void showProgress(bool on) { pumice_show_progress(on); }

/// Shows a front end's work for a kernel in the progress line, as long as this object exists.
class ShownCompilation {
public:
  ShownCompilation(const char *kernel, const char *stage) {
    pumice_begin_compilation(kernel, stage);
  }
  ~ShownCompilation() { pumice_end_compilation(); }
  ShownCompilation(const ShownCompilation &) = delete;
  ShownCompilation &operator=(const ShownCompilation &) = delete;
};

} // namespace PUMICE_CPP_NAMESPACE
} // namespace pumice
