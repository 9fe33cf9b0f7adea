//===- Compile.cpp - the C API's way to the compiler library ----------------===//
#include "runtime/c-api/Handles.h"
#include "runtime/hal/Registry.h"
#include "support/CompileProgress.h"
#include "support/CompilerLibrary.h"

using namespace pumice;
using namespace pumice::capi;

namespace {

using compiler_interface::Text;

Text textOf(std::string_view text) { return {text.data(), text.size()}; }

/// Returns the environment of a device of this machine, without opening the device.
Result<std::string> liveTarget(std::string_view request) {
  std::vector<hal::DeviceInfo> devices = hal::Registry::global().devices();
  PUMICE_TRY(size_t index, hal::findDevice(devices, request));
  return hal::targetEnvironmentJson(devices[index]);
}

Result<std::vector<std::string>> targetsOf(const pumice_compile_options &options) {
  std::vector<std::string> targets;
  if (options.device_count && !options.devices)
    return invalid("options: device_count is " + std::to_string(options.device_count) +
                   ", but devices is NULL");
  if (options.target_count && !options.targets)
    return invalid("options: target_count is " + std::to_string(options.target_count) +
                   ", but targets is NULL");
  for (size_t i = 0; i < options.device_count; ++i) {
    std::string place = "options.devices[" + std::to_string(i) + "]";
    PUMICE_RETURN_IF_ERROR(check(options.devices[i], place));
    PUMICE_TRY(Ref<hal::Device> working, options.devices[i]->working());
    targets.push_back(working->targetEnvironment());
  }
  constexpr std::string_view live = "device:";
  for (size_t i = 0; i < options.target_count; ++i) {
    std::string place = "options.targets[" + std::to_string(i) + "]";
    if (!options.targets[i])
      return invalid(place + " is NULL; a target is needed, for example \"rdna3\"");
    std::string_view target = options.targets[i];
    if (!target.starts_with(live)) {
      targets.emplace_back(target);
      continue;
    }
    Result<std::string> found = liveTarget(target.substr(live.size()));
    if (!found.isOk())
      return Status(found.status()).at(place);
    targets.push_back(std::move(*found));
  }
  if (targets.empty())
    return invalid("options: there is no target; name devices, or targets");
  return targets;
}

/// Returns an error with one line for each option that is out of range.
Status checkChoices(const pumice_compile_options &options) {
  if (options.source_kind > PUMICE_SOURCE_SPIRV)
    return invalid("options: source_kind is " + std::to_string(options.source_kind) +
                   "; expected one of PUMICE_SOURCE_…");
  if (options.addressing > PUMICE_ADDRESSING_DESCRIPTORS)
    return invalid("options: addressing is " + std::to_string(options.addressing) +
                   "; expected one of PUMICE_ADDRESSING_…");
  if (options.index_bits != 0 && options.index_bits != 32 && options.index_bits != 64)
    return invalid("options: index_bits is " + std::to_string(options.index_bits) +
                   "; expected 32, 64, or 0 for the default");
  if (options.route > PUMICE_ROUTE_LLVM)
    return invalid("options: route is " + std::to_string(options.route) +
                   "; expected one of PUMICE_ROUTE_…");
  return Status::ok();
}

Status compile(const void *source, size_t bytes, const pumice_compile_options *options,
               pumice_blob **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "executable"));
  if (!source)
    return invalid("source is NULL; MLIR text or SPIR-V is needed");
  if (!options)
    return invalid("options is NULL; they name the targets");
  PUMICE_TRY(pumice_compile_options given, readStruct(options, "options"));
  PUMICE_RETURN_IF_ERROR(checkChoices(given));
  PUMICE_TRY(std::vector<std::string> targets, targetsOf(given));
  PUMICE_TRY(const compiler_interface::Interface *compiler, compilerLibrary());

  compiler_interface::Request request;
  request.source = {static_cast<const char *>(source), bytes};
  request.sourceName = textOf(given.source_name ? given.source_name : "kernel");
  request.kind = static_cast<compiler_interface::SourceKind>(given.source_kind);
  request.addressing = static_cast<compiler_interface::Addressing>(given.addressing);
  request.indexBits = given.index_bits ? given.index_bits : 32;
  request.nativeMatrices = given.native_matrices != 0;
  request.route = static_cast<compiler_interface::Route>(given.route);
  std::vector<Text> texts;
  for (const std::string &target : targets)
    texts.push_back(textOf(target));
  request.targets = texts.data();
  request.targetCount = texts.size();

  if (given.stage) {
    request.stage = [](void *user, Text name, Text text) {
      auto *options = static_cast<const pumice_compile_options *>(user);
      options->stage(options->stage_user, std::string(name.data, name.size).c_str(), text.data,
                     text.size);
    };
    request.stageUser = &given;
  }

  progress::Compilation shown({request.sourceName.data, request.sourceName.size}, "reading");
  watchProgress(request.progress);
  compiler_interface::Response response;
  compiler->compile(&request, &response);
  if (given.diagnostics && response.diagnostics.size)
    given.diagnostics(given.diagnostics_user, response.diagnostics.data, response.diagnostics.size);
  Status status;
  if (response.code == 0) {
    *place = makeBlob(std::string(response.executable.data, response.executable.size));
  } else {
    // If there are diagnostics, they are more useful than the one-line message.
    const Text &said = response.diagnostics.size ? response.diagnostics : response.message;
    std::string text(said.data, said.size);
    text.erase(text.find_last_not_of('\n') + 1);
    status = Status(static_cast<StatusCode>(response.code), std::move(text));
  }
  compiler->release(&response);
  return status;
}

Status codeText(const void *executable, size_t bytes, uint32_t form, pumice_blob **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "text"));
  if (!executable)
    return invalid("executable is NULL; the bytes of a .pumice file are needed");
  if (form > PUMICE_TEXT_ASSEMBLY)
    return invalid("form is " + std::to_string(form) + "; expected one of PUMICE_TEXT_…");
  PUMICE_TRY(const compiler_interface::Interface *compiler, compilerLibrary());
  compiler_interface::Response response;
  compiler->explain({static_cast<const char *>(executable), bytes},
                    static_cast<compiler_interface::CodeForm>(form), &response);
  Status status;
  if (response.code == 0)
    *place = makeBlob(std::string(response.executable.data, response.executable.size));
  else
    status = Status(static_cast<StatusCode>(response.code),
                    std::string(response.message.data, response.message.size));
  compiler->release(&response);
  return status;
}

Status exportFiles(const char *plan, const pumice_bytes *executables, size_t count,
                   pumice_file_callback file, void *user) {
  if (!plan)
    return invalid("plan is NULL; expected JSON, such as {\"name\": \"softmax\"}");
  if (count && !executables)
    return invalid("executables is NULL, but executable_count is " + std::to_string(count));
  if (!file)
    return invalid("file is NULL; expected a function that takes the files");
  std::vector<Text> inputs;
  for (size_t i = 0; i < count; ++i) {
    if (!executables[i].data)
      return invalid("executables[" + std::to_string(i) +
                     "].data is NULL; the bytes of a .pumice file are needed");
    inputs.push_back({static_cast<const char *>(executables[i].data), executables[i].size});
  }
  PUMICE_TRY(const compiler_interface::Interface *compiler, compilerLibrary());
  struct Taker {
    pumice_file_callback file;
    void *user;
  } taker{file, user};
  auto take = [](void *to, Text name, Text bytes) {
    const auto *given = static_cast<const Taker *>(to);
    given->file(given->user, std::string(name.data, name.size).c_str(), bytes.data, bytes.size);
  };
  compiler_interface::Response response;
  compiler->exportFiles(textOf(plan), inputs.data(), inputs.size(), take, &taker, &response);
  Status status;
  if (response.code != 0)
    status = Status(static_cast<StatusCode>(response.code),
                    std::string(response.message.data, response.message.size));
  compiler->release(&response);
  return status;
}

} // namespace

pumice_status pumice_export(const char *plan, const pumice_bytes *executables,
                            size_t executable_count, pumice_file_callback file, void *user) {
  return answer(exportFiles(plan, executables, executable_count, file, user));
}

void pumice_show_progress(uint32_t on) { progress::show(on != 0); }

void pumice_begin_compilation(const char *kernel, const char *stage) {
  progress::begin(kernel ? kernel : "kernel", stage ? stage : "");
}

void pumice_end_compilation(void) { progress::end(); }

pumice_status pumice_code_text(const void *executable, size_t bytes, pumice_text_form form,
                               pumice_blob **text) {
  return answer(codeText(executable, bytes, form, text));
}

pumice_status pumice_compile(const void *source, size_t source_bytes,
                             const pumice_compile_options *options, pumice_blob **executable) {
  return answer(compile(source, source_bytes, options, executable));
}
