//===- Resolve.cpp - checks a launch file against the code that it runs -----===//
#include "tools/run/Resolve.h"

#include "support/EnglishText.h"
#include "tools/run/Files.h"

#include <algorithm>
#include <cstring>

namespace pumice::run {

Result<std::shared_ptr<const Code>> CodeFiles::load(const std::string &file) {
  if (auto found = files.find(file); found != files.end())
    return found->second;
  auto code = std::make_shared<Code>();
  code->file = file;
  PUMICE_TRY(code->bytes, readFile(file, executable::mostFileBytes));
  constexpr uint8_t magic[] = {3, 2, 0x23, 7}, swapped[] = {7, 0x23, 2, 3};
  bool isSpirv =
      code->bytes.size() >= sizeof magic && (std::equal(magic, magic + 4, code->bytes.begin()) ||
                                             std::equal(swapped, swapped + 4, code->bytes.begin()));
  if (isSpirv) {
    PUMICE_TRY(code->module,
               executable::reflectSpirv(code->bytes, executable::FieldPath::input(file)));
    if (check)
      PUMICE_RETURN_IF_ERROR(check(*code));
  } else {
    Result<executable::Executable> contents = executable::read(code->bytes);
    if (!contents.isOk())
      return Status(contents.status().code(),
                    "'" + file +
                        "' is neither SPIR-V (it lacks the magic number) nor an "
                        "executable: " +
                        contents.status().message());
    code->executable = std::make_shared<const executable::Executable>(std::move(*contents));
    if (check)
      PUMICE_RETURN_IF_ERROR(check(*code));
  }
  return files[file] = std::move(code);
}

Result<size_t> findBuffer(const LaunchSpec &launch, const std::string &name, const Place &place) {
  std::vector<std::string_view> names;
  for (const BufferSpec &buffer : launch.buffers)
    names.push_back(buffer.name);
  auto found = std::ranges::find(names, name);
  if (found != names.end())
    return size_t(found - names.begin());
  return place.error("there is no buffer " + json::quote(name) + alternatives(name, names),
                     StatusCode::NotFound);
}

Result<size_t> findAddress(const LaunchSpec &launch, const std::string &name, uint64_t offset,
                           const ObjectPlace &place) {
  bool isArgument = place.members.contains("buffer");
  PUMICE_TRY(size_t found, findBuffer(launch, name, place.of(isArgument ? "buffer" : "address")));
  uint64_t bytes = launch.buffers[found].initial.size();
  if (offset > bytes)
    return place.of("offset").error("byte " + std::to_string(offset) + " is outside of buffer " +
                                    json::quote(name) + " of " + counted(bytes, "byte"));
  return found;
}

Status appendScalar(std::vector<uint8_t> &bytes, Type type, const Number &number,
                    const Place &place) {
  Status status = appendNumber(bytes, type, number);
  return status.isOk() ? status : place.error(status.message());
}

namespace {
/// Notes buffers with a slot that no module uses.
void noteUnused(ResolvedLaunch &launch) {
  for (size_t i = 0; i < launch.spec->buffers.size(); ++i) {
    const BufferSpec &buffer = launch.spec->buffers[i];
    bool used = !buffer.slot;
    for (const ResolvedDispatch &dispatch : launch.dispatches)
      used |= std::ranges::any_of(
          dispatch.bindings, [&](const ResolvedBinding &binding) { return binding.buffer == i; });
    if (!used)
      launch.notes.push_back(buffer.place.text() + ": no entry point that is run uses " +
                             buffer.slot->text());
  }
}

Status checkSlots(const LaunchSpec &spec) {
  std::map<Slot, const BufferSpec *> taken;
  for (const BufferSpec &buffer : spec.buffers)
    if (buffer.slot)
      if (auto [first, isNew] = taken.emplace(*buffer.slot, &buffer); !isNew)
        return buffer.place.of("binding").error(
            buffer.slot->text() + " is that of buffer " + json::quote(first->second->name) +
            " already; name it in a dispatch's bindings instead");
  for (const BufferSpec &buffer : spec.buffers)
    for (const AddressPatch &patch : buffer.addresses)
      if (Result<size_t> found = findAddress(spec, patch.buffer, patch.offset, patch.place);
          !found.isOk())
        return found.status();
  return Status::ok();
}
} // namespace

Result<ResolvedLaunch> resolve(const LaunchSpec &spec, CodeFiles &files) {
  ResolvedLaunch launch;
  launch.spec = &spec;
  PUMICE_RETURN_IF_ERROR(checkSlots(spec));
  for (const DispatchSpec &dispatch : spec.dispatches) {
    ResolvedDispatch &resolved = launch.dispatches.emplace_back();
    resolved.spec = &dispatch;
    Result<std::shared_ptr<const Code>> code = files.load(dispatch.file);
    if (!code.isOk())
      return dispatch.codeError(code.status().message(), code.status().code());
    resolved.code = *code;
    PUMICE_RETURN_IF_ERROR(resolved.code->executable ? resolveExecutable(spec, resolved)
                                                     : resolveModule(spec, resolved));
    if (!dispatch.name.empty())
      resolved.label = dispatch.name;
    else if (!dispatch.called.empty())
      resolved.label = dispatch.called + ":" + resolved.label;
    resolved.label = json::shown(resolved.label);
  }
  noteUnused(launch);
  return launch;
}

} // namespace pumice::run
