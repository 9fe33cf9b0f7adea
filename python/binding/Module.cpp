//===- Module.cpp - the C API, for python/pumice ----------------------------===//
// This file is thin: each object wraps a handle, and each method makes one call of the C API. The
// users' interface is in Python.
//===-------------------------------------------------------------------------===//
#define PUMICE_THROW
#include "python/binding/Arguments.h"
#include "python/binding/Errors.h"
#include "python/binding/HostSlack.h"
#include "python/binding/Text.h"
#include "python/binding/Threads.h"
#include "python/binding/TorchDevice.h"
#include "python/binding/TritonLaunch.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace nb = nanobind;
using namespace nb::literals;

namespace pumice::python {
namespace {

void translate(const std::exception_ptr &thrown, void *) {
  try {
    std::rethrow_exception(thrown);
  } catch (const CompileFailure &error) {
    raise(error);
  } catch (const Error &error) {
    raise(error);
  }
}

nb::dict describe(const pumice_device_info &info) {
  nb::dict all;
  all["id"] = info.id;
  all["driver"] = info.driver;
  all["name"] = info.name;
  all["vendor"] = info.vendor;
  all["driver_name"] = info.driver_name;
  all["driver_version"] = info.driver_version;
  constexpr const char *kinds[] = {"other", "integrated", "discrete", "virtual", "cpu"};
  all["kind"] = kinds[info.kind >= 0 && info.kind <= PUMICE_DEVICE_CPU ? info.kind : 0];
  all["version"] = nb::make_tuple(info.version_major, info.version_minor, info.version_patch);
  all["memory_bytes"] = info.memory_bytes;
  all["max_buffer_bytes"] = info.max_buffer_bytes;
  all["host_import_alignment"] = info.host_import_alignment;
  all["has_buffer_addresses"] = info.has_buffer_addresses != 0;
  all["max_workgroup_memory_bytes"] = info.max_workgroup_memory_bytes;
  all["max_workgroup_invocations"] = info.max_workgroup_invocations;
  all["subgroup_size"] = info.subgroup_size;
  return all;
}

nb::list listDevices() {
  pumice_device_list *list = nullptr;
  Status(pumice_list_devices(&list)).value();
  nb::list all;
  for (size_t i = 0; i < pumice_device_list_count(list); ++i) {
    pumice_device_info info = PUMICE_INIT(pumice_device_info);
    if (pumice_device_list_info(list, i, &info) == PUMICE_OK)
      all.append(describe(info));
  }
  pumice_device_list_release(list);
  return all;
}

std::string takeText(pumice_blob *blob) {
  std::string text(static_cast<const char *>(pumice_blob_data(blob)), pumice_blob_size(blob));
  pumice_blob_release(blob);
  return text;
}

void letGo(void *owner) {
  if (!Py_IsInitialized())
    return; // the process ends
  WithPython locked;
  Py_DECREF(static_cast<PyObject *>(owner));
}

/// Imports the memory of another object, which lives as long as the buffer.
Buffer importMemory(const Device &device, uint64_t address, uint64_t bytes, nb::object owner) {
  pumice_buffer *buffer = nullptr;
  Status status = pumice_buffer_import_host(device.get(), reinterpret_cast<void *>(address), bytes,
                                            letGo, owner.ptr(), &buffer);
  status.value();
  owner.release(); // `letGo` releases it
  return Buffer(buffer);
}

struct ElementType {
  const char *name;
  pumice_dl_type type;
};
/// NumPy lacks the types from bfloat16 on. DLPack's codes of floats of 8 bits are consecutive.
constexpr uint8_t float8 = 7;
constexpr ElementType elementTypes[] = {
    {"bool", {PUMICE_DL_BOOL, 8, 1}},        {"int8", {PUMICE_DL_INT, 8, 1}},
    {"int16", {PUMICE_DL_INT, 16, 1}},       {"int32", {PUMICE_DL_INT, 32, 1}},
    {"int64", {PUMICE_DL_INT, 64, 1}},       {"uint8", {PUMICE_DL_UINT, 8, 1}},
    {"uint16", {PUMICE_DL_UINT, 16, 1}},     {"uint32", {PUMICE_DL_UINT, 32, 1}},
    {"uint64", {PUMICE_DL_UINT, 64, 1}},     {"float16", {PUMICE_DL_FLOAT, 16, 1}},
    {"float32", {PUMICE_DL_FLOAT, 32, 1}},   {"float64", {PUMICE_DL_FLOAT, 64, 1}},
    {"bfloat16", {PUMICE_DL_BFLOAT, 16, 1}}, {"float8_e4m3fn", {float8 + 3, 8, 1}},
    {"float8_e4m3fnuz", {float8 + 4, 8, 1}}, {"float8_e5m2", {float8 + 5, 8, 1}},
    {"float8_e5m2fnuz", {float8 + 6, 8, 1}}};

/// Makes NumPy read a capsule's elements as integers of the same size if it lacks their type.
/// Returns the type's name, or "" for types that NumPy has. Also returns whether the capsule says
/// if the memory may be written, as it does from DLPack 1.0 on.
std::pair<std::string, bool> readAsBits(nb::object capsule) {
  pumice_dl_type *type = nullptr;
  bool isVersioned = PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned");
  if (isVersioned)
    type = &static_cast<pumice_dl_managed_versioned *>(
                PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"))
                ->tensor.type;
  else if (PyCapsule_IsValid(capsule.ptr(), "dltensor"))
    type = &static_cast<pumice_dl_managed *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"))
                ->tensor.type;
  for (const ElementType &known : elementTypes)
    if (type && type->code == known.type.code && type->bits == known.type.bits &&
        (type->code == PUMICE_DL_BFLOAT || type->code > float8)) {
      type->code = PUMICE_DL_UINT;
      return {known.name, isVersioned};
    }
  return {"", isVersioned};
}

/// Makes a capsule by DLPack's protocol: the consumer of the tensor renames the capsule.
template <typename Managed, auto make>
nb::object capsuleOf(const Buffer &buffer, const pumice_tensor_layout &layout, const char *name) {
  Managed *tensor = nullptr;
  Status(make(buffer.get(), &layout, &tensor)).value();
  PyObject *capsule = PyCapsule_New(tensor, name, [](PyObject *object) {
    for (const char *unused : {"dltensor", "dltensor_versioned"})
      if (PyCapsule_IsValid(object, unused)) {
        auto *held = static_cast<Managed *>(PyCapsule_GetPointer(object, unused));
        held->deleter(held);
      }
  });
  return nb::steal(capsule);
}

nb::object toDlpack(const Buffer &buffer, uint64_t offset, const std::vector<int64_t> &shape,
                    const std::string &element, bool versioned) {
  pumice_tensor_layout layout = PUMICE_INIT(pumice_tensor_layout);
  layout.byte_offset = offset;
  layout.rank = static_cast<int32_t>(shape.size());
  layout.shape = shape.data();
  for (const ElementType &known : elementTypes)
    if (element == known.name)
      layout.type = known.type;
  if (versioned)
    return capsuleOf<pumice_dl_managed_versioned, pumice_buffer_to_dlpack_versioned>(
        buffer, layout, "dltensor_versioned");
  return capsuleOf<pumice_dl_managed, pumice_buffer_to_dlpack>(buffer, layout, "dltensor");
}

nb::dict describe(const Executable &executable, size_t entryPoint, size_t index) {
  pumice_argument_info info = PUMICE_INIT(pumice_argument_info);
  Status(pumice_executable_argument(executable.get(), entryPoint, index, &info)).value();
  constexpr const char *accesses[] = {"none", "read", "write", "read_write"};
  nb::dict all;
  all["name"] = textOf(info.name);
  all["element"] = info.element;
  all["kind"] = info.kind == PUMICE_ARGUMENT_BUFFER ? "buffer" : "scalar";
  all["access"] = accesses[info.access & 3];
  all["vector_width"] = info.vector_width;
  all["rank"] = info.rank;
  return all;
}

nb::list describe(const Executable &executable) {
  nb::list all;
  for (size_t i = 0; i < pumice_executable_entry_point_count(executable.get()); ++i) {
    pumice_entry_point_info info = PUMICE_INIT(pumice_entry_point_info);
    Status(pumice_executable_entry_point(executable.get(), i, &info)).value();
    nb::list arguments;
    for (size_t k = 0; k < info.argument_count; ++k)
      arguments.append(describe(executable, i, k));
    nb::dict one;
    one["name"] = textOf(info.name);
    one["workgroup_size"] =
        nb::make_tuple(info.workgroup_size[0], info.workgroup_size[1], info.workgroup_size[2]);
    one["workgroup_memory_bytes"] = info.workgroup_memory_bytes;
    one["target"] = info.target;
    one["source"] = nb::make_tuple(textOf(info.source_file), info.source_line);
    one["arguments"] = std::move(arguments);
    all.append(std::move(one));
  }
  return all;
}

Kernel makeKernel(const Executable &executable, const std::string &name,
                  std::array<uint32_t, 3> workgroupSize, uint32_t dynamicMemoryBytes,
                  const std::map<uint32_t, std::pair<uint32_t, uint64_t>> &constants) {
  return Kernel(executable, name, [=] {
    pumice_function_options options = PUMICE_INIT(pumice_function_options);
    std::copy(workgroupSize.begin(), workgroupSize.end(), options.workgroup_size);
    options.dynamic_memory_bytes = dynamicMemoryBytes;
    std::vector<pumice_constant> values;
    for (const auto &[id, value] : constants)
      values.push_back({id, value.first, value.second});
    options.constants = values.data();
    options.constant_count = values.size();
    WithoutPython others;
    return executable.function(name.c_str(), &options).value();
  });
}

/// Makes a kernel that the function at `entry` launches. A parameter is (name, element, is a
/// buffer, is written, is unsigned).
Kernel makeExportedKernel(const Executable &executable, const std::string &name,
                          nb::list parameters, uint64_t entry) {
  std::vector<Kernel::Parameter> all;
  for (nb::handle one : parameters) {
    Kernel::Parameter made;
    made.name = nb::cast<std::string>(one[0]);
    made.element = nb::cast<std::string>(one[1]);
    made.isBuffer = nb::cast<bool>(one[2]);
    made.isWritten = nb::cast<bool>(one[3]);
    made.isUnsigned = nb::cast<bool>(one[4]);
    all.push_back(std::move(made));
  }
  return Kernel(executable, name, std::move(all), reinterpret_cast<Kernel::Exported>(entry));
}

uint64_t nanoseconds(std::optional<double> seconds) {
  if (!seconds || !(*seconds < 1e9))
    return PUMICE_FOREVER;
  return static_cast<uint64_t>(std::max(*seconds, 0.0) * 1e9);
}

nb::list takeProfile(const Queue &queue) {
  constexpr const char *kinds[] = {"launch", "copy", "fill", "upload", "download"};
  nb::list all;
  WithoutPython others;
  queue
      .takeProfile([&](const pumice_profile_record &record) {
        WithPython locked;
        nb::dict one;
        one["kind"] = kinds[record.kind >= 0 && record.kind <= PUMICE_PROFILE_DOWNLOAD
                                ? record.kind
                                : PUMICE_PROFILE_LAUNCH];
        one["label"] = record.label;
        one["begin"] = record.device_begin;
        one["end"] = record.device_end;
        one["host"] = record.host_nanoseconds;
        one["bytes"] = record.bytes;
        all.append(std::move(one));
      })
      .value();
  return all;
}

nb::bytes compileSource(nb::bytes source, const std::string &name,
                        const std::vector<std::string> &targets, const std::vector<Device> &devices,
                        uint32_t addressing, uint32_t indexBits, nb::object stages,
                        uint32_t route) {
  std::vector<const char *> names;
  for (const std::string &target : targets)
    names.push_back(target.c_str());
  std::vector<pumice_device *> handles;
  for (const Device &device : devices)
    handles.push_back(device.get());
  pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
  options.source_name = name.c_str();
  options.addressing = static_cast<pumice_addressing>(addressing);
  options.index_bits = indexBits;
  options.route = static_cast<pumice_route>(route);
  options.devices = handles.data();
  options.device_count = handles.size();
  options.targets = names.data();
  options.target_count = names.size();
  std::map<std::string, std::string> seen;
  if (!stages.is_none()) {
    options.stage = [](void *user, const char *stage, const char *text, size_t size) {
      (*static_cast<decltype(seen) *>(user))[stage].append(text, size);
    };
    options.stage_user = &seen;
  }
  pumice_blob *blob = nullptr;
  pumice_status status;
  {
    const char *text = source.c_str();
    size_t bytes = source.size();
    WithoutPython others;
    status = pumice_compile(text, bytes, &options, &blob);
  }
  Status result(status); // before Python code runs, which may call the C API
  for (const auto &[stage, text] : seen)
    stages[stage.c_str()] = textOf(text);
  if (!result)
    throw CompileFailure(result.error());
  std::string made = takeText(blob);
  return nb::bytes(made.data(), made.size());
}

nb::object codeText(nb::bytes executable, uint32_t form) {
  pumice_blob *text = nullptr;
  {
    const char *data = executable.c_str();
    size_t bytes = executable.size();
    WithoutPython others;
    Status(pumice_code_text(data, bytes, static_cast<pumice_text_form>(form), &text)).value();
  }
  return textOf(takeText(text));
}

nb::list kernelNames(nb::bytes executable) {
  nb::list names;
  Result<std::vector<std::string>> found =
      pumice::kernelNames({executable.c_str(), executable.size()});
  for (const std::string &name : found.value())
    names.append(textOf(name));
  return names;
}

/// Returns the name and the bytes of each file of an export.
nb::list exportAll(const std::string &plan, const std::vector<nb::bytes> &executables) {
  std::vector<std::string> inputs;
  for (const nb::bytes &one : executables)
    inputs.emplace_back(one.c_str(), one.size());
  auto files = [&] {
    WithoutPython others;
    return exportFiles(plan, inputs);
  }();
  nb::list all;
  for (const ExportedFile &file : files.value())
    all.append(nb::make_tuple(file.name, nb::bytes(file.bytes.data(), file.bytes.size())));
  return all;
}

/// Returns the file that the function's code was loaded from.
std::string fileOf(const void *function) {
#ifdef _WIN32
  char name[1024];
  HMODULE module = nullptr;
  constexpr DWORD how =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExA(how, static_cast<const char *>(function), &module))
    return "";
  std::string file(name, GetModuleFileNameA(module, name, sizeof name));
  std::ranges::replace(file, '\\', '/');
  return file;
#else
  Dl_info about;
  return dladdr(function, &about) && about.dli_fname ? about.dli_fname : "";
#endif
}

/// Returns the files of this binding, of the runtime, and of the compiler. The compiler's file is
/// found as the runtime finds it.
nb::list libraries() {
  nb::list all;
  all.append(fileOf(reinterpret_cast<const void *>(&fileOf)));
  std::string runtime = fileOf(reinterpret_cast<const void *>(&pumice_version));
  all.append(runtime);
  const char *named = std::getenv("PUMICE_COMPILER_LIBRARY");
  all.append(named && *named ? std::string(named)
                             : runtime.substr(0, runtime.rfind('/') + 1) + "libpumice-compiler.so");
  return all;
}

void defineDevice(nb::module_ &m) {
  nb::class_<Buffer>(m, "Buffer")
      .def_prop_ro("bytes", &Buffer::bytes)
      .def_prop_ro("address", &Buffer::address)
      .def_prop_ro("host_address",
                   [](const Buffer &buffer) { return reinterpret_cast<uint64_t>(buffer.map()); })
      .def("health", [](const Buffer &buffer) { buffer.health().value(); })
      .def("to_dlpack", toDlpack, "offset"_a, "shape"_a, "element"_a, "versioned"_a);
  nb::class_<Device>(m, "Device")
      .def_static(
          "open",
          [](std::optional<std::string> request) {
            WithoutPython others;
            return Device::open(request ? request->c_str() : nullptr).value();
          },
          "request"_a.none())
      .def_prop_ro("handle",
                   [](const Device &device) { return reinterpret_cast<uint64_t>(device.get()); })
      .def("info", [](const Device &device) { return describe(device.info()); })
      .def("target",
           [](const Device &device) {
             pumice_blob *json = nullptr;
             Status(pumice_device_target(device.get(), &json)).value();
             return takeText(json);
           })
      .def("health", [](const Device &device) { device.health().value(); })
      .def("set_option", [](const Device &device, const std::string &name,
                            int64_t value) { device.setOption(name.c_str(), value).value(); })
      .def(
          "create_buffer",
          [](const Device &device, uint64_t bytes, bool ofTheHost) {
            return device.createBuffer(bytes, ofTheHost ? PUMICE_MEMORY_HOST : PUMICE_MEMORY_DEVICE)
                .value();
          },
          "bytes"_a, "of_the_host"_a = false)
      .def("import_memory", importMemory, "address"_a, "bytes"_a, "owner"_a)
      .def("load", [](const Device &device,
                      nb::bytes data) { return device.load(data.c_str(), data.size()).value(); })
      .def(
          "create_queue",
          [](const Device &device, bool profiling) {
            WithoutPython others; // a lost device is opened again
            return device.createQueue(profiling).value();
          },
          "profiling"_a = false);
}

/// Defines executables, kernels and queues. Calls of queues let other threads hold Python's lock: a
/// kernel's output waits for the lock when a queue's work ends.
void defineWork(nb::module_ &m) {
  nb::class_<Executable>(m, "Executable")
      .def("entry_points", [](const Executable &executable) { return describe(executable); })
      .def("kernel", makeKernel, "name"_a, "workgroup_size"_a, "dynamic_memory_bytes"_a,
           "constants"_a);
  nb::class_<Kernel>(m, "Kernel")
      .def_ro("name", &Kernel::name)
      .def_prop_ro("parameters", [](const Kernel &kernel) {
        nb::list all;
        for (const Kernel::Parameter &parameter : kernel.parameters)
          all.append(nb::make_tuple(parameter.name, parameter.isBuffer, parameter.isWritten));
        return all;
      });
  nb::class_<Queue>(m, "Queue")
      .def(
          "upload",
          [](const Queue &queue, const Buffer &to, uint64_t offset, uint64_t from, uint64_t bytes) {
            queue.upload(to, reinterpret_cast<const void *>(from), bytes, offset).value();
          },
          nb::call_guard<WithoutPython>())
      .def(
          "download",
          [](const Queue &queue, uint64_t to, const Buffer &from, uint64_t offset, uint64_t bytes) {
            queue.download(reinterpret_cast<void *>(to), from, bytes, offset).value();
          },
          nb::call_guard<WithoutPython>())
      .def("copy",
           [](const Queue &queue, const Buffer &to, uint64_t toOffset, const Buffer &from,
              uint64_t fromOffset, uint64_t bytes) {
             WithoutPython others;
             queue.copy(to, from, bytes, toOffset, fromOffset).value();
           })
      .def("fill",
           [](const Queue &queue, const Buffer &to, uint64_t offset, uint64_t bytes,
              uint32_t pattern, uint32_t patternBytes) {
             WithoutPython others;
             Status(pumice_queue_fill(queue.get(), to.get(), offset, bytes, pattern, patternBytes))
                 .value();
           })
      .def("launch", launch, "kernel"_a, "groups"_a, "arguments"_a, "print"_a.none())
      .def(
          "flush", [](const Queue &queue) { queue.flush().value(); },
          nb::call_guard<WithoutPython>())
      .def(
          "finish",
          [](const Queue &queue, std::optional<double> timeout) {
            uint64_t longest = nanoseconds(timeout);
            WithoutPython others;
            queue.finish(longest).value();
          },
          "timeout"_a.none())
      .def("health", [](const Queue &queue) { queue.health().value(); })
      .def("take_profile", takeProfile);
}

} // namespace
} // namespace pumice::python

NB_MODULE(_native, m) {
  using namespace pumice::python;
  nb::set_leak_warnings(false); // Triton keeps its drivers and kernels until the process ends
  m.attr("error_classes") = bindErrors();
  nb::register_exception_translator(translate, nullptr);
  m.def("version", pumice_version);
  m.def("libraries", libraries);
  m.def("list_devices", listDevices);
  m.def("compile", compileSource, "source"_a, "name"_a, "targets"_a, "devices"_a, "addressing"_a,
        "index_bits"_a, "stages"_a.none(), "route"_a);
  m.def("show_progress", [](bool on) { pumice_show_progress(on); }, "on"_a);
  m.def(
      "begin_compilation",
      [](const char *kernel, const char *stage) { pumice_begin_compilation(kernel, stage); },
      "kernel"_a, "stage"_a);
  m.def("end_compilation", [] { pumice_end_compilation(); });
  m.def("read_as_bits", readAsBits, "capsule"_a);
  m.def("note_loss", Kernel::noteLoss);
  m.def("make_readable", makeReadable, "address"_a, "bytes"_a);
  m.def("code_text", codeText, "executable"_a, "form"_a);
  m.def("export", exportAll, "plan"_a, "executables"_a);
  m.def("kernel_names", kernelNames, "executable"_a);
  m.def("exported_kernel", makeExportedKernel, "executable"_a, "name"_a, "parameters"_a, "entry"_a);
  defineDevice(m);
  defineWork(m);
  defineTriton(m);
  defineTorchDevice(m);
}
