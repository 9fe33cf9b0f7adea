//===- Dump.cpp - every stage of a run as files -----------------------------===//
#include "tools/run/Dump.h"

#include "tools/run/Files.h"
#include "tools/run/SpirvTools.h"

#include <filesystem>

namespace pumice::run {
using json::quote;

namespace {
std::string number(uint64_t value) { return std::to_string(value); }

std::string list(const std::vector<std::string> &items, const std::string &indent) {
  std::string text;
  for (const std::string &item : items)
    text += (text.empty() ? "\n" : ",\n") + indent + "  " + item;
  return items.empty() ? "[]" : "[" + text + "\n" + indent + "]";
}

std::string triple(const std::array<uint32_t, 3> &values) {
  return "[" + number(values[0]) + ", " + number(values[1]) + ", " + number(values[2]) + "]";
}

std::string blockMembers(const executable::SpirvBlock &block) {
  std::vector<std::string> items;
  for (const executable::SpirvMember &member : block.members) {
    std::string counts, strides;
    for (const executable::SpirvDimension &dimension : member.dimensions) {
      counts += (counts.empty() ? "" : ", ") + number(dimension.count);
      strides += (strides.empty() ? "" : ", ") + number(dimension.stride);
    }
    items.push_back("{\"name\": " + quote(member.name) +
                    ", \"type\": " + quote(executable::typeName(member.scalar, member.bytes)) +
                    ", \"offset\": " + number(member.offset) + ", \"counts\": [" + counts +
                    "], \"strides\": [" + strides + "]}");
  }
  return list(items, "        ");
}

std::string entryJson(const executable::SpirvEntryPoint &entry) {
  std::vector<std::string> descriptors;
  for (const executable::SpirvDescriptor &descriptor : entry.descriptors)
    descriptors.push_back("{\"set\": " + number(descriptor.set) +
                          ", \"binding\": " + number(descriptor.binding) +
                          ", \"kind\": " + quote(toString(descriptor.kind)) +
                          ", \"count\": " + number(descriptor.count) +
                          ", \"access\": " + quote(toString(descriptor.access)) +
                          ", \"name\": " + quote(descriptor.block.name) +
                          ", \"bytes\": " + number(descriptor.block.bytes) +
                          ", \"runtimeStride\": " + number(descriptor.block.runtimeStride) +
                          ",\n       \"members\": " + blockMembers(descriptor.block) + "}");
  std::string text = "{\"name\": " + quote(entry.name) + ", \"model\": " + number(entry.model) +
                     ",\n     \"workgroupSize\": " + triple(entry.workgroupSize) +
                     ", \"readsNumWorkgroups\": " + (entry.readsNumWorkgroups ? "true" : "false") +
                     ",\n     \"descriptors\": " + list(descriptors, "    ");
  if (entry.hasPushConstants)
    text += ",\n     \"pushConstants\": {\"name\": " + quote(entry.pushConstants.name) +
            ", \"bytes\": " + number(entry.pushConstants.bytes) +
            ", \"members\": " + blockMembers(entry.pushConstants) + "}";
  return text + "}";
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

/// Of each buffer's contents at the end, in the folder of the dump.
std::vector<std::string> resultFiles(const LaunchSpec &spec, size_t number) {
  FileNames names;
  std::vector<std::string> files;
  for (const BufferSpec &buffer : spec.buffers)
    files.push_back("results-" + std::to_string(number) + "/" + names.take(buffer.name) + ".npy");
  return files;
}

std::string dispatchJson(const LaunchSpec &spec, const ResolvedDispatch &dispatch) {
  std::vector<std::string> bindings, constants, arguments, addresses;
  for (size_t i = 0; i < dispatch.slots.size(); ++i) {
    const ResolvedBinding &binding = dispatch.bindings[i];
    bindings.push_back("{\"set\": " + number(dispatch.slots[i].set) +
                       ", \"binding\": " + number(dispatch.slots[i].binding) +
                       ", \"element\": " + number(dispatch.slots[i].element) +
                       ", \"uniform\": " + (dispatch.slots[i].uniform ? "true" : "false") +
                       ", \"buffer\": " + quote(spec.buffers[binding.buffer].name) +
                       ", \"offset\": " + number(binding.offset) +
                       ", \"bytes\": " + number(binding.bytes) +
                       ", \"access\": " + quote(toString(dispatch.uses.at(binding.buffer))) + "}");
  }
  for (const hal::SpecializationConstant &constant : dispatch.constants)
    constants.push_back("{\"id\": " + number(constant.id) + ", \"bytes\": " +
                        number(constant.bytes) + ", \"bits\": " + number(constant.bits) + "}");
  for (const ResolvedAddress &address : dispatch.addresses)
    addresses.push_back("{\"at\": " + number(address.at) +
                        ", \"buffer\": " + quote(spec.buffers[address.buffer].name) +
                        ", \"offset\": " + number(address.offset) + "}");
  for (const ResolvedArgument &argument : dispatch.arguments) {
    std::string bytes;
    for (uint8_t byte : argument.scalar)
      bytes += (bytes.empty() ? "" : ", ") + number(byte);
    arguments.push_back(argument.buffer ? quote(spec.buffers[*argument.buffer].name)
                                        : "[" + bytes + "]");
  }
  std::string bytes;
  for (std::byte byte : dispatch.pushConstants)
    bytes += (bytes.empty() ? "" : ", ") + number(uint8_t(byte));
  std::string indent = "    ";
  std::string text = "{\"code\": " + quote(dispatch.code->file) + ", \"entry\": " +
                     quote(dispatch.symbol.empty() ? dispatch.entry : dispatch.symbol) +
                     ", \"groups\": " + triple(dispatch.groups) +
                     ",\n     \"specialization\": " + list(constants, indent);
  if (dispatch.code->executable)
    return text + ",\n     \"arguments\": " + list(arguments, indent) + "}";
  return text + ",\n     \"bindings\": " + list(bindings, indent) + ",\n     \"pushConstants\": [" +
         bytes + "],\n     \"addresses\": " + list(addresses, indent) + "}";
}
} // namespace

std::string reflectionJson(const executable::SpirvModule &module) {
  std::vector<std::string> entries, constants, extensions;
  for (const executable::SpirvEntryPoint &entry : module.entryPoints)
    entries.push_back(entryJson(entry));
  for (const executable::SpirvSpecConstant &constant : module.specConstants)
    constants.push_back(
        "{\"id\": " + number(constant.id) + ", \"name\": " + quote(constant.name) +
        ", \"type\": " + quote(executable::typeName(constant.scalar, constant.bytes)) +
        ", \"defaultBits\": " + number(constant.defaultBits) + "}");
  for (const std::string &extension : module.extensions)
    extensions.push_back(quote(extension));
  std::string capabilities;
  for (uint32_t capability : module.capabilities)
    capabilities += (capabilities.empty() ? "" : ", ") + number(capability);
  return "{\n  \"version\": \"" + number(module.versionMajor) + "." + number(module.versionMinor) +
         "\",\n  \"capabilities\": [" + capabilities +
         "],\n  \"extensions\": " + list(extensions, "  ") +
         ",\n  \"specializationConstants\": " + list(constants, "  ") +
         ",\n  \"entryPoints\": " + list(entries, "  ") + "\n}\n";
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
  std::vector<std::string> buffers, dispatches;
  std::vector<std::string> files = resultFiles(*launch.spec, number);
  for (const BufferSpec &buffer : launch.spec->buffers)
    buffers.push_back("{\"name\": " + quote(buffer.name) + ", \"file\": " +
                      quote(files[buffers.size()]) + ", \"type\": " + quote(typeName(buffer.type)) +
                      ", \"bytes\": " + std::to_string(buffer.initial.size()) +
                      ", \"memory\": " + (buffer.hostMemory ? "\"host\"" : "\"device\"") + "}");
  for (const ResolvedDispatch &dispatch : launch.dispatches)
    dispatches.push_back(dispatchJson(*launch.spec, dispatch));
  return writeText(std::filesystem::path(folder) / ("launch-" + std::to_string(number) + ".json"),
                   "{\n  \"name\": " + quote(launch.spec->name) +
                       ",\n  \"buffers\": " + list(buffers, "  ") +
                       ",\n  \"dispatches\": " + list(dispatches, "  ") + "\n}\n");
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
