//===- Dump.cpp - every stage of a run as files -----------------------------===//
#include "tools/run/Dump.h"

#include "support/JsonWriter.h"
#include "tools/run/Files.h"
#include "tools/run/SpirvTools.h"

#include <filesystem>

namespace pumice::run {

namespace {
constexpr JsonWriter::Layout inlined = JsonWriter::Inline;

void writeMembers(JsonWriter &json, const executable::SpirvBlock &block) {
  json.key("members").beginArray();
  for (const executable::SpirvMember &member : block.members) {
    json.beginObject(inlined).member("name", member.name);
    json.member("type", executable::typeName(member.scalar, member.bytes));
    json.member("offset", member.offset).key("counts").beginArray(inlined);
    for (const executable::SpirvDimension &dimension : member.dimensions)
      json.value(dimension.count);
    json.end().key("strides").beginArray(inlined);
    for (const executable::SpirvDimension &dimension : member.dimensions)
      json.value(dimension.stride);
    json.end().end();
  }
  json.end();
}

void writeEntryPoint(JsonWriter &json, const executable::SpirvEntryPoint &entry) {
  json.beginObject().member("name", entry.name).member("model", entry.model);
  writeNumbers(json.key("workgroupSize"), entry.workgroupSize);
  json.member("readsNumWorkgroups", entry.readsNumWorkgroups).key("descriptors").beginArray();
  for (const executable::SpirvDescriptor &descriptor : entry.descriptors) {
    json.beginObject(inlined).member("set", descriptor.set).member("binding", descriptor.binding);
    json.member("kind", toString(descriptor.kind)).member("count", descriptor.count);
    json.member("access", toString(descriptor.access)).member("name", descriptor.block.name);
    json.member("bytes", descriptor.block.bytes);
    json.member("runtimeStride", descriptor.block.runtimeStride);
    writeMembers(json, descriptor.block);
    json.end();
  }
  json.end();
  if (entry.hasPushConstants) {
    json.key("pushConstants").beginObject(inlined).member("name", entry.pushConstants.name);
    json.member("bytes", entry.pushConstants.bytes);
    writeMembers(json, entry.pushConstants);
    json.end();
  }
  json.end();
}

Status makeFolder(const std::filesystem::path &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Status(StatusCode::InvalidArgument,
                  "cannot make the folder '" + folder.string() + "': " + error.message());
  return Status::ok();
}

Status writeText(const std::filesystem::path &file, const std::string &text) {
  return writeFile(file.string(), {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

/// Returns the file name for each buffer's final contents, in the folder of the dump.
std::vector<std::string> resultFiles(const LaunchSpec &spec, size_t number) {
  FileNames names;
  std::vector<std::string> files;
  for (const BufferSpec &buffer : spec.buffers)
    files.push_back("results-" + std::to_string(number) + "/" + names.take(buffer.name) + ".npy");
  return files;
}

void writeArguments(JsonWriter &json, const LaunchSpec &spec, const ResolvedDispatch &dispatch) {
  json.key("arguments").beginArray();
  for (const ResolvedArgument &argument : dispatch.arguments)
    if (argument.buffer)
      json.value(spec.buffers[*argument.buffer].name);
    else
      writeNumbers(json, argument.scalar);
  json.end();
}

void writeBindings(JsonWriter &json, const LaunchSpec &spec, const ResolvedDispatch &dispatch) {
  json.key("bindings").beginArray();
  for (size_t i = 0; i < dispatch.slots.size(); ++i) {
    const ResolvedBinding &binding = dispatch.bindings[i];
    json.beginObject(inlined).member("set", dispatch.slots[i].set);
    json.member("binding", dispatch.slots[i].binding).member("element", dispatch.slots[i].element);
    json.member("uniform", dispatch.slots[i].uniform);
    json.member("buffer", spec.buffers[binding.buffer].name).member("offset", binding.offset);
    json.member("bytes", binding.bytes);
    json.member("access", toString(dispatch.uses.at(binding.buffer))).end();
  }
  json.end().key("pushConstants").beginArray(inlined);
  for (std::byte byte : dispatch.pushConstants)
    json.value(uint8_t(byte));
  json.end().key("addresses").beginArray();
  for (const ResolvedAddress &address : dispatch.addresses) {
    json.beginObject(inlined).member("at", address.at);
    json.member("buffer", spec.buffers[address.buffer].name).member("offset", address.offset).end();
  }
  json.end();
}

void writeDispatch(JsonWriter &json, const LaunchSpec &spec, const ResolvedDispatch &dispatch) {
  json.beginObject().member("code", dispatch.code->file);
  json.member("entry", dispatch.symbol.empty() ? dispatch.entry : dispatch.symbol);
  writeNumbers(json.key("groups"), dispatch.groups);
  json.key("specialization").beginArray();
  for (const hal::SpecializationConstant &constant : dispatch.constants)
    json.beginObject(inlined)
        .member("id", constant.id)
        .member("bytes", constant.bytes)
        .member("bits", constant.bits)
        .end();
  json.end();
  if (dispatch.code->executable)
    writeArguments(json, spec, dispatch);
  else
    writeBindings(json, spec, dispatch);
  json.end();
}
} // namespace

std::string reflectionJson(const executable::SpirvModule &module) {
  JsonWriter json;
  json.beginObject().member("version", std::to_string(module.versionMajor) + "." +
                                           std::to_string(module.versionMinor));
  writeNumbers(json.key("capabilities"), module.capabilities);
  json.key("extensions").beginArray();
  for (const std::string &extension : module.extensions)
    json.value(extension);
  json.end().key("specializationConstants").beginArray();
  for (const executable::SpirvSpecConstant &constant : module.specConstants) {
    json.beginObject(inlined).member("id", constant.id).member("name", constant.name);
    json.member("type", executable::typeName(constant.scalar, constant.bytes));
    json.member("defaultBits", constant.defaultBits).end();
  }
  json.end().key("entryPoints").beginArray();
  for (const executable::SpirvEntryPoint &entry : module.entryPoints)
    writeEntryPoint(json, entry);
  return json.end().end().take() + "\n";
}

Status dumpCode(const CodeFiles &files, const std::string &folder) {
  std::filesystem::path code = std::filesystem::path(folder) / "code";
  PUMICE_RETURN_IF_ERROR(makeFolder(code));
  FileNames names;
  for (const auto &[file, loaded] : files.loaded()) {
    std::string stem = std::filesystem::path(file).stem().string();
    std::string base = (code / names.take(std::move(stem))).string();
    if (loaded->executable) {
      PUMICE_RETURN_IF_ERROR(
          writeText(base + ".executable.txt", executable::describe(*loaded->executable)));
      continue;
    }
    PUMICE_RETURN_IF_ERROR(writeFile(base + ".spv", loaded->bytes));
    PUMICE_RETURN_IF_ERROR(writeText(base + ".reflection.json", reflectionJson(loaded->module)));
    Result<std::string> assembly = disassemble(loaded->bytes);
    PUMICE_RETURN_IF_ERROR(writeText(
        base + ".spvasm", assembly.isOk() ? *assembly : "; " + assembly.status().message() + "\n"));
  }
  return Status::ok();
}

Status dumpLaunch(const ResolvedLaunch &launch, size_t number, const std::string &folder) {
  PUMICE_RETURN_IF_ERROR(makeFolder(folder));
  std::vector<std::string> files = resultFiles(*launch.spec, number);
  JsonWriter json;
  json.beginObject().member("name", launch.spec->name).key("buffers").beginArray();
  for (size_t i = 0; i < launch.spec->buffers.size(); ++i) {
    const BufferSpec &buffer = launch.spec->buffers[i];
    json.beginObject(inlined).member("name", buffer.name).member("file", files[i]);
    json.member("type", typeName(buffer.type)).member("bytes", buffer.initial.size());
    json.member("memory", buffer.hostMemory ? "host" : "device").end();
  }
  json.end().key("dispatches").beginArray();
  for (const ResolvedDispatch &dispatch : launch.dispatches)
    writeDispatch(json, *launch.spec, dispatch);
  return writeText(std::filesystem::path(folder) / ("launch-" + std::to_string(number) + ".json"),
                   json.end().end().take() + "\n");
}

Status dumpResults(const ResolvedLaunch &launch, const ExecuteResult &result, size_t number,
                   const std::string &folder) {
  std::filesystem::path results =
      std::filesystem::path(folder) / ("results-" + std::to_string(number));
  PUMICE_RETURN_IF_ERROR(makeFolder(results));
  std::vector<std::string> files = resultFiles(*launch.spec, number);
  for (size_t i = 0; i < launch.spec->buffers.size(); ++i) {
    const BufferSpec &buffer = launch.spec->buffers[i];
    std::filesystem::path file = std::filesystem::path(folder) / files[i];
    PUMICE_RETURN_IF_ERROR(
        writeFile(file.string(), numpyFile(buffer.type, buffer.shape, result.contents[i])));
  }
  return Status::ok();
}

} // namespace pumice::run
