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

/// Deletes a DLPack tensor.
struct GiveBack {
  /// Calls the tensor's deleter, if it has one.
  template <typename Managed> void operator()(Managed *tensor) const {
    if (tensor->deleter)
      tensor->deleter(tensor);
  }
};
/// A DLPack tensor, whose destructor calls the tensor's deleter. To pass the tensor to another
/// library, use `release()` and a cast to DLManagedTensorVersioned.
using Tensor = std::unique_ptr<pumice_dl_managed_versioned, GiveBack>;
/// A tensor in the form of DLPack before 1.0. Other libraries call it DLManagedTensor.
using UnversionedTensor = std::unique_ptr<pumice_dl_managed, GiveBack>;

/// Describes where the elements of a tensor are in a buffer.
struct TensorLayout {
  pumice_dl_type type{PUMICE_DL_FLOAT, 32, 1}; // of an element; see `typeOf`
  std::vector<int64_t> shape;                  // the extents
  std::vector<int64_t> strides;                // in elements; empty: row-major without gaps
  uint64_t byteOffset = 0;                     // of the first element in the buffer

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

/// Memory that a device uses.
class Buffer : public Handle<pumice_buffer, pumice_buffer_retain, pumice_buffer_release> {
public:
  using Handle::Handle;
  /// Returns the size in bytes.
  uint64_t bytes() const { return pumice_buffer_bytes(get()); }
  /// Returns the address in the device's memory, or 0 if the device has no such addresses.
  uint64_t address() const { return pumice_buffer_address(get()); }
  /// Returns an error if the contents are lost. They are lost together with the device.
  Status health() const { return pumice_buffer_health(get()); }
  /// Returns the kind of memory.
  pumice_memory memory() const { return pumice_buffer_memory(get()); }
  /// Returns the address of the bytes, or null if the host cannot access the buffer.
  template <typename T = void> T *map() const { return static_cast<T *>(pumice_buffer_map(get())); }

  /// Makes a tensor over the memory of the buffer. The tensor keeps that memory alive.
  Result<Tensor> toTensor(const TensorLayout &layout) const {
    return tensor<Tensor>(layout, pumice_buffer_to_dlpack_versioned);
  }
  /// Does the same, in the form of DLPack before 1.0.
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
  /// Makes an argument from a buffer, or from a range of it.
  Argument(const Buffer &of, uint64_t firstByte = 0, uint64_t byteCount = PUMICE_TO_END)
      : pumice_argument(pumice_argument_buffer(of.get())) {
    offset = firstByte;
    bytes = byteCount;
  }
  /// Makes an argument from a number.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>>
  Argument(const T &scalar) : pumice_argument(pumice_argument_scalar(&scalar, sizeof scalar)) {}
  /// Makes an argument from a vector, element by element.
  template <typename T, size_t width>
  Argument(const std::array<T, width> &vector)
      : pumice_argument(pumice_argument_scalar(vector.data(), sizeof vector)) {}
  /// Takes an argument of the C API, for example a buffer with a shape and strides.
  Argument(const pumice_argument &argument) : pumice_argument(argument) {}
};
static_assert(sizeof(Argument) == sizeof(pumice_argument), "passed on as an array");

/// An argument that is a buffer or a range of one, as exported launchers take it.
class BufferArgument : public Argument {
public:
  /// Makes an argument from a buffer, or from a range of it.
  BufferArgument(const Buffer &of, uint64_t firstByte = 0, uint64_t byteCount = PUMICE_TO_END)
      : Argument(of, firstByte, byteCount) {}
};

/// A kernel that is ready to launch on a device.
class Function : public Handle<pumice_function, pumice_function_retain, pumice_function_release> {
public:
  using Handle::Handle;
};

/// A function that a thread of the library is making. Copies refer to the same function.
class PendingFunction {
public:
  /// Takes over the caller's reference.
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
  std::array<uint32_t, 3> workgroupSize{}; // if the entry point leaves it open
  uint32_t dynamicMemoryBytes = 0;         // if it has dynamic workgroup memory
  std::vector<pumice_constant> constants;  // the code's other specialization constants
  bool robustAccess = false;               // see pumice_function_options
};

/// The kernels of a .pumice file, on a device.
class Executable
    : public Handle<pumice_executable, pumice_executable_retain, pumice_executable_release> {
public:
  using Handle::Handle;
  /// Makes the kernel `name` ready. It may be null if the executable has one kernel.
  Result<Function> function(const char *name = nullptr,
                            const pumice_function_options *options = nullptr) const {
    return made<Function, pumice_function>([&](pumice_function **place) {
      return pumice_executable_function(get(), name, options, place);
    });
  }
  /// Does the same, with options of this header.
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
  /// Returns the number of kernels.
  size_t entryPointCount() const { return pumice_executable_entry_point_count(get()); }
  /// Describes a kernel. Pointers in the result are valid as long as the executable exists.
  Result<pumice_entry_point_info> entryPoint(size_t index) const {
    return told<pumice_entry_point_info>([&](pumice_entry_point_info *info) {
      return pumice_executable_entry_point(get(), index, info);
    });
  }
  /// Describes an argument of a kernel. Its pointers are valid as long as the executable exists.
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

/// A counter that only grows. Queues and the host advance it and wait for it.
class Timeline : public Handle<pumice_timeline, pumice_timeline_retain, pumice_timeline_release> {
public:
  using Handle::Handle;
  /// Returns the value that the timeline has reached.
  Result<uint64_t> value() const {
    uint64_t reached = 0;
    if (pumice_status code = pumice_timeline_value(get(), &reached))
      return Error::last(code);
    return reached;
  }
  /// Waits until the timeline has reached the value. The timeout is in nanoseconds.
  Status wait(uint64_t value, uint64_t timeout = PUMICE_FOREVER) const {
    return pumice_timeline_wait(get(), value, timeout);
  }
  /// Sets the value from the host. It must be greater than the current value.
  Status signal(uint64_t value) const { return pumice_timeline_signal(get(), value); }
};

/// Work of a queue that can run again. The manual is section 16 of pumice.h.
class Graph : public Handle<pumice_graph, pumice_graph_retain, pumice_graph_release> {
public:
  using Handle::Handle;
  /// Returns the number of launches, copies and fills.
  size_t size() const { return pumice_graph_size(get()); }
};

/// Runs operations on a device in order. The manual is section 10 of pumice.h.
class Queue : public Handle<pumice_queue, pumice_queue_retain, pumice_queue_release> {
public:
  using Handle::Handle;
  /// Returns an error if the queue no longer accepts work. Queues are lost together with the
  /// device.
  Status health() const { return pumice_queue_health(get()); }
  /// Copies from the host. The call reads `from` before it returns.
  Status upload(const Buffer &to, const void *from, uint64_t bytes, uint64_t offset = 0) const {
    return pumice_queue_upload(get(), to.get(), offset, from, bytes);
  }
  /// Copies to the host. `to` must live until a later wait has succeeded (pumice_queue_download).
  Status download(void *to, const Buffer &from, uint64_t bytes, uint64_t offset = 0) const {
    return pumice_queue_download(get(), to, from.get(), offset, bytes);
  }
  /// Copies between buffers, or within one if the two ranges do not overlap.
  Status copy(const Buffer &to, const Buffer &from, uint64_t bytes, uint64_t toOffset = 0,
              uint64_t fromOffset = 0) const {
    return pumice_queue_copy(get(), to.get(), toOffset, from.get(), fromOffset, bytes);
  }
  /// Fills the range with the low `patternBytes` bytes (1, 2 or 4) of `pattern`, repeated.
  Status fill(const Buffer &to, uint32_t pattern, uint64_t bytes = PUMICE_TO_END,
              uint64_t offset = 0, uint32_t patternBytes = 4) const {
    return pumice_queue_fill(get(), to.get(), offset, bytes, pattern, patternBytes);
  }
  /// Makes later work of the queue wait until the timeline has reached the value.
  Status wait(const Timeline &timeline, uint64_t value) const {
    return pumice_queue_wait(get(), timeline.get(), value);
  }
  /// Sets the timeline to the value when all earlier work of the queue is done.
  Status signal(const Timeline &timeline, uint64_t value) const {
    return pumice_queue_signal(get(), timeline.get(), value);
  }
  /// Launches a kernel with options, such as those of `printTo`.
  Status launch(const Function &function, const pumice_launch_options &options,
                const std::vector<Argument> &arguments) const {
    return pumice_launch_sized(get(), function.get(), &options, arguments.data(), arguments.size(),
                               sizeof(Argument));
  }
  /// Launches `groups` workgroups of a kernel. An argument may be all that makes an Argument.
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
  /// Calls `done` as `onDone` does, and passes the time at which all earlier work was done, in
  /// nanoseconds (pumice_queue_on_time).
  Status onTime(std::function<void(const Status &, uint64_t)> done) const {
    using Done = std::function<void(const Status &, uint64_t)>;
    auto held = std::make_unique<Done>(std::move(done));
    Status status = pumice_queue_on_time(
        get(),
        [](void *user, pumice_status code, const char *message, uint64_t nanoseconds) {
          std::unique_ptr<Done> call(static_cast<Done *>(user));
          (*call)(code == PUMICE_OK ? Status(code) : Status(Error::of(code, message)), nanoseconds);
        },
        held.get());
    if (status)
      (void)held.release(); // owned by the callback, which may have run
    return status;
  }
  /// Sends the recorded work to the device.
  Status flush() const { return pumice_queue_flush(get()); }
  /// Lets the recorded work begin soon, without a submission for each launch. Call it after each
  /// launch if more may follow, and nobody waits yet.
  Status letBegin() const { return pumice_queue_let_begin(get()); }
  /// Waits until all work is done. Returns the first failure since the last call.
  Status finish(uint64_t timeout = PUMICE_FOREVER) const {
    return pumice_queue_finish(get(), timeout);
  }
  /// Captures work, instead of running it, until `endCapture`.
  Status beginCapture() const { return pumice_queue_begin_capture(get()); }
  /// Returns the captured work. If a call of the capture failed, returns its error.
  Result<Graph> endCapture() const {
    return made<Graph, pumice_graph>(
        [&](pumice_graph **place) { return pumice_queue_end_capture(get(), place); });
  }
  /// Runs a graph after the queue's earlier work.
  Status replay(const Graph &graph) const { return pumice_queue_replay(get(), graph.get()); }
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
  /// Lists the devices.
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
  /// Returns the number of devices.
  size_t size() const { return infos.size(); }
  /// Returns the description of a device. The index must be less than the number of devices.
  const pumice_device_info &operator[](size_t index) const { return infos[index]; }
  auto begin() const { return infos.begin(); } // the first description
  auto end() const { return infos.end(); }     // the place behind the last description
  /// Returns why built-in drivers have no devices here, or an empty text if all drivers started.
  const char *failures() const { return pumice_device_list_failures(object.get()); }

private:
  DeviceList() = default;
  std::shared_ptr<pumice_device_list> object;
  std::vector<pumice_device_info> infos;
};

/// An open device. All other objects are made from it.
class Device : public Handle<pumice_device, pumice_device_retain, pumice_device_release> {
public:
  using Handle::Handle;
  /// Opens the device that `request` names (pumice_device_open), or the best one.
  static Result<Device> open(const char *request = nullptr) {
    return made<Device, pumice_device>(
        [&](pumice_device **place) { return pumice_device_open(request, place); });
  }
  /// Does the same. If no device is named, opens the best one that can run the whole executable.
  static Result<Device> openFor(const void *executable, size_t bytes,
                                const char *request = nullptr) {
    return made<Device, pumice_device>([&](pumice_device **place) {
      return pumice_device_open_for(executable, bytes, request, place);
    });
  }
  /// Describes the device. The strings live as long as the device.
  pumice_device_info info() const {
    return told<pumice_device_info>(
               [&](pumice_device_info *place) { return pumice_device_get_info(get(), place); })
        .value();
  }
  /// Returns an error if the device is lost (pumice_device_health).
  Status health() const { return pumice_device_health(get()); }
  /// Sets an option of the driver, for later work (pumice_device_set_option).
  Status setOption(const char *name, int64_t value) const {
    return pumice_device_set_option(get(), name, value);
  }
  /// Returns the target environment of the device as JSON text. `compile` accepts it, even on
  /// machines without the device.
  Result<std::string> target() const {
    return bytesOf([&](pumice_blob **place) { return pumice_device_target(get(), place); });
  }
  /// Makes a buffer, whose contents are undefined.
  Result<Buffer> createBuffer(uint64_t bytes, pumice_memory memory = PUMICE_MEMORY_DEVICE) const {
    return made<Buffer, pumice_buffer>(
        [&](pumice_buffer **place) { return pumice_buffer_create(get(), bytes, memory, place); });
  }
  /// Uses memory of the host in place. It must outlive the buffer and all work that uses it. When
  /// these are gone, `release`, if given, is called on any thread. If this function fails, it is
  /// not called.
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
  /// Does the same for the form of DLPack before 1.0.
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
  /// Loads an executable from memory. Copies the bytes.
  Result<Executable> load(const void *data, size_t bytes) const {
    return made<Executable, pumice_executable>([&](pumice_executable **place) {
      return pumice_executable_load(get(), data, bytes, place);
    });
  }
  /// Loads an executable from a file.
  Result<Executable> loadFile(const char *path) const {
    return made<Executable, pumice_executable>(
        [&](pumice_executable **place) { return pumice_executable_load_file(get(), path, place); });
  }
  /// Makes a queue. With `profiling`, it measures each operation (`Queue::takeProfile`).
  Result<Queue> createQueue(bool profiling = false) const {
    pumice_queue_options options = PUMICE_INIT(pumice_queue_options);
    options.profiling = profiling;
    return made<Queue, pumice_queue>(
        [&](pumice_queue **place) { return pumice_queue_create(get(), &options, place); });
  }
  /// Makes a timeline that starts at `initial`.
  Result<Timeline> createTimeline(uint64_t initial = 0) const {
    return made<Timeline, pumice_timeline>(
        [&](pumice_timeline **place) { return pumice_timeline_create(get(), initial, place); });
  }
};

/// Options of `compile`.
struct CompileOptions {
  std::string sourceName = "kernel"; // for diagnostics and the executable
  std::vector<Device> devices;       // the targets include these devices
  std::vector<std::string> targets;  // and these: "rdna3", a device's `target`, a file
  pumice_source_kind sourceKind = PUMICE_SOURCE_AUTO;    // AUTO recognizes SPIR-V
  pumice_addressing addressing = PUMICE_ADDRESSING_AUTO; // how kernels reach buffers
  uint32_t indexBits = 32;                               // width of MLIR's index type: 32 or 64
  bool nativeMatrices = false;                       // reject matrix operations that a target lacks
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

/// A file that `exportFiles` makes.
struct ExportedFile {
  std::string name;  // without a folder
  std::string bytes; // the contents
};

/// Returns executables as sources in C or C++ (pumice_export). `plan` is JSON.
inline Result<std::vector<ExportedFile>> exportFiles(const std::string &plan,
                                                     const std::vector<std::string> &executables) {
  std::vector<pumice_bytes> inputs;
  for (const std::string &one : executables)
    inputs.push_back({one.data(), one.size()});
  std::vector<ExportedFile> files;
  auto take = [](void *user, const char *name, const void *data, size_t bytes) {
    static_cast<std::vector<ExportedFile> *>(user)->push_back(
        {name, std::string(static_cast<const char *>(data), bytes)});
  };
  if (pumice_status code = pumice_export(plan.c_str(), inputs.data(), inputs.size(), take, &files))
    return Error::last(code);
  return files;
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
  /// Begins to show `stage` of the kernel.
  ShownCompilation(const char *kernel, const char *stage) {
    pumice_begin_compilation(kernel, stage);
  }
  /// Ends it.
  ~ShownCompilation() { pumice_end_compilation(); }
  ShownCompilation(const ShownCompilation &) = delete;
  ShownCompilation &operator=(const ShownCompilation &) = delete;
};

} // namespace PUMICE_CPP_NAMESPACE
} // namespace pumice
