//===- Executables.cpp - the C API's executables and functions --------------===//
#include "runtime/c-api/Handles.h"
#include "support/EnglishText.h"
#include "support/Platform.h"

#include <algorithm>

using namespace pumice;
using namespace pumice::capi;

namespace {

Status load(pumice_device *device, std::span<const uint8_t> bytes, pumice_executable **place) {
  PUMICE_TRY(executable::Executable contents, executable::read(bytes));
  auto shared = std::make_shared<const executable::Executable>(std::move(contents));
  PUMICE_TRY(Ref<hal::Device> working, device->working());
  PUMICE_TRY(Ref<hal::Executable> loaded, hal::Executable::load(std::move(working), shared));
  *place = new pumice_executable(device, std::move(shared), std::move(loaded));
  return Status::ok();
}

Status loadBytes(pumice_device *device, const void *data, size_t bytes, pumice_executable **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "executable"));
  PUMICE_RETURN_IF_ERROR(check(device, "device"));
  if (!data)
    return invalid("data is NULL; the bytes of a .pumice file are needed");
  return load(device, {static_cast<const uint8_t *>(data), bytes}, place);
}

Status loadFile(pumice_device *device, const char *path, pumice_executable **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "executable"));
  PUMICE_RETURN_IF_ERROR(check(device, "device"));
  if (!path)
    return invalid("path is NULL; the name of a .pumice file is needed");
  PUMICE_TRY(std::string bytes, readFile(path, executable::mostFileBytes));
  Status status =
      load(device, {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, place);
  return status.isOk() ? Status::ok() : std::move(status).at("'" + std::string(path) + "'");
}

Status kernelNames(const void *data, size_t bytes, pumice_blob **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "names"));
  if (!data)
    return invalid("data is NULL; the bytes of a .pumice file are needed");
  PUMICE_TRY(executable::Executable contents,
             executable::read({static_cast<const uint8_t *>(data), bytes}));
  std::string names;
  for (const executable::EntryPoint &entry : contents.entryPoints)
    (names += entry.name) += '\0';
  *place = makeBlob(std::move(names));
  return Status::ok();
}

Result<const executable::EntryPoint *> entryPointAt(const pumice_executable *executable,
                                                    size_t index) {
  PUMICE_RETURN_IF_ERROR(check(executable, "executable"));
  const auto &all = executable->contents->entryPoints;
  if (index >= all.size())
    return Status(StatusCode::NotFound, "the executable has " + std::to_string(all.size()) +
                                            " entry points; none has index " +
                                            std::to_string(index));
  return &all[index];
}

Status entryPointInfo(const pumice_executable *executable, size_t index,
                      pumice_entry_point_info *place) {
  PUMICE_TRY(const executable::EntryPoint *entry, entryPointAt(executable, index));
  pumice_entry_point_info info = PUMICE_INIT(pumice_entry_point_info);
  info.name = entry->name.c_str();
  info.argument_count = static_cast<uint32_t>(entry->arguments.size());
  const auto &size = executable::workgroupSizeOf(*entry, executable->latest()->interface(index));
  std::ranges::copy(size, info.workgroup_size);
  info.workgroup_memory_bytes = entry->workgroupMemoryBytes;
  info.has_dynamic_memory = entry->dynamicWorkgroupMemory;
  // The executable's contents own this text.
  info.target = executable->latest()->variant(index).target.c_str();
  info.source_file = entry->location.file.c_str();
  info.source_line = entry->location.line;
  return writeStruct(place, info, "info");
}

Status argumentInfo(const pumice_executable *executable, size_t entryPoint, size_t index,
                    pumice_argument_info *place) {
  PUMICE_TRY(const executable::EntryPoint *entry, entryPointAt(executable, entryPoint));
  if (index >= entry->arguments.size())
    return Status(StatusCode::NotFound, "'" + entry->name + "' has " +
                                            counted(entry->arguments.size(), "argument") +
                                            "; none has index " + std::to_string(index));
  const executable::Argument &argument = entry->arguments[index];
  pumice_argument_info info = PUMICE_INIT(pumice_argument_info);
  info.name = argument.name.c_str();
  info.element = executable::toString(argument.element).data(); // names are literals
  info.kind = argument.kind == executable::ArgumentKind::Buffer ? PUMICE_ARGUMENT_BUFFER
                                                                : PUMICE_ARGUMENT_SCALAR;
  info.access = static_cast<pumice_access>(argument.access);
  info.element_bytes = argument.elementBytes;
  info.vector_width = argument.vectorWidth;
  info.alignment = argument.alignment;
  info.rank = static_cast<uint32_t>(argument.shape.size());
  info.shape = argument.shape.data();
  info.strides = argument.strides.data();
  info.offset = argument.offset;
  return writeStruct(place, info, "info");
}

static_assert(PUMICE_DYNAMIC == executable::dynamic);

Status functionOf(pumice_executable *executable, const char *name,
                  const pumice_function_options *options, pumice_function **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "function"));
  PUMICE_RETURN_IF_ERROR(check(executable, "executable"));
  PUMICE_TRY(hal::FunctionOptions chosen, functionOptions(options));
  PUMICE_TRY(*place, makeFunction(executable, name ? name : "", std::move(chosen)));
  return Status::ok();
}

} // namespace

Result<hal::FunctionOptions> capi::functionOptions(const pumice_function_options *options) {
  PUMICE_TRY(pumice_function_options given, readStruct(options, "options"));
  hal::FunctionOptions chosen;
  for (int i = 0; i < 3; ++i)
    chosen.workgroupSize[i] = given.workgroup_size[i];
  chosen.dynamicMemoryBytes = given.dynamic_memory_bytes;
  if (given.robust_access > 1)
    return invalid("options: robust_access is " + std::to_string(given.robust_access) +
                   "; expected 0 or 1");
  chosen.robustAccess = given.robust_access != 0;
  if (given.constant_count && !given.constants)
    return invalid("options: " + std::to_string(given.constant_count) +
                   " constants, but constants is NULL");
  for (size_t i = 0; i < given.constant_count; ++i)
    chosen.constants.push_back(
        {given.constants[i].id, given.constants[i].bytes, given.constants[i].bits});
  return chosen;
}

Result<pumice_function *> capi::makeFunction(pumice_executable *executable, std::string name,
                                             hal::FunctionOptions options) {
  PUMICE_TRY(Ref<hal::Device> working, executable->device->working());
  PUMICE_TRY(Ref<hal::Executable> loaded, executable->on(std::move(working)));
  PUMICE_TRY(Ref<hal::Function> made, loaded->function(name, options));
  return new pumice_function(executable, std::move(name), std::move(options), std::move(made));
}

pumice_executable::pumice_executable(pumice_device *device,
                                     std::shared_ptr<const executable::Executable> contents,
                                     Ref<hal::Executable> loaded)
    : device(device), contents(std::move(contents)), object(std::move(loaded)) {
  retainHandle(device);
}

pumice_executable::~pumice_executable() { releaseHandle(device); }

Ref<hal::Executable> pumice_executable::latest() const {
  std::lock_guard lock(mutex);
  return object;
}

Result<Ref<hal::Executable>> pumice_executable::on(Ref<hal::Device> generation) {
  Ref<hal::Executable> known = latest();
  if (&known->device() == generation.get())
    return known;
  PUMICE_TRY(Ref<hal::Executable> loaded, hal::Executable::load(std::move(generation), contents));
  std::lock_guard lock(mutex);
  if (&object->device() != &loaded->device()) // unless another thread has just made the object
    object = loaded;
  return object;
}

pumice_function::pumice_function(pumice_executable *executable, std::string name,
                                 hal::FunctionOptions options, Ref<hal::Function> function)
    : executable(executable), name(std::move(name)), options(std::move(options)),
      latest(function.get()) {
  made.push_back(std::move(function));
  retainHandle(executable);
}

pumice_function::~pumice_function() { releaseHandle(executable); }

Result<hal::Function *> pumice_function::makeFor(hal::Queue &queue) {
  // If the queue belongs to a lost generation, returns the error of that device. If it belongs to
  // another device, the launch rejects it.
  PUMICE_RETURN_IF_ERROR(queue.device().health());
  if (queue.device().info().id != executable->device->info.id)
    return latest.load(std::memory_order_acquire);
  PUMICE_TRY(Ref<hal::Executable> loaded, executable->on(Ref<hal::Device>(&queue.device())));
  PUMICE_TRY(Ref<hal::Function> function, loaded->function(name, options));
  std::lock_guard lock(mutex);
  if (&latest.load(std::memory_order_relaxed)->device() != &function->device()) {
    latest.store(function.get(), std::memory_order_release);
    made.push_back(function);
  }
  return function.get();
}

pumice_status pumice_executable_load(pumice_device *device, const void *data, size_t bytes,
                                     pumice_executable **executable) {
  return answer(loadBytes(device, data, bytes, executable));
}

pumice_status pumice_executable_load_file(pumice_device *device, const char *path,
                                          pumice_executable **executable) {
  return answer(loadFile(device, path, executable));
}

pumice_status pumice_executable_names(const void *data, size_t bytes, pumice_blob **names) {
  return answer(kernelNames(data, bytes, names));
}

size_t pumice_executable_entry_point_count(const pumice_executable *executable) {
  return check(executable, "executable").isOk() ? executable->contents->entryPoints.size() : 0;
}

pumice_status pumice_executable_entry_point(const pumice_executable *executable, size_t index,
                                            pumice_entry_point_info *info) {
  return answer(entryPointInfo(executable, index, info));
}

pumice_status pumice_executable_argument(const pumice_executable *executable, size_t entry_point,
                                         size_t argument, pumice_argument_info *info) {
  return answer(argumentInfo(executable, entry_point, argument, info));
}

pumice_status pumice_executable_function(pumice_executable *executable, const char *name,
                                         const pumice_function_options *options,
                                         pumice_function **function) {
  return answer(functionOf(executable, name, options, function));
}
