//===- ResolveExecutable.cpp - resolves a dispatch of a .pumice file --------===//
// Only the form of the launch file is checked here. The runtime checks ranges, shapes and the
// variant's requirements.
//===-------------------------------------------------------------------------===//
#include "support/EnglishText.h"
#include "tools/run/Resolve.h"

#include <algorithm>

namespace pumice::run {
using namespace executable;

namespace {
Status refuseOthers(const DispatchSpec &spec) {
  const char *key = !spec.bindings.empty()        ? "bindings"
                    : !spec.pushConstants.empty() ? "push_constants"
                    : spec.subgroupSize           ? "subgroup_size"
                    : spec.fullSubgroups          ? "full_subgroups"
                                                  : nullptr;
  if (!key)
    return Status::ok();
  return spec.place.of(key).error(std::string(key) + " belongs to SPIR-V; '" + spec.file +
                                  "' is an executable, which knows its own and takes arguments");
}

Result<const EntryPoint *> chooseEntry(const DispatchSpec &spec, const Executable &contents) {
  std::vector<std::string_view> names;
  for (const EntryPoint &entry : contents.entryPoints)
    names.push_back(entry.name);
  if (spec.entry.empty() && names.size() == 1)
    return &contents.entryPoints[0];
  auto found = std::ranges::find(contents.entryPoints, spec.entry, &EntryPoint::name);
  if (found != contents.entryPoints.end())
    return &*found;
  return spec.place.of("entry").error(
      spec.entry.empty()
          ? "'" + spec.file + "' has several entry points; name one by entry: " + join(names)
          : "'" + spec.file + "' has no entry point " + json::quote(spec.entry) + "; it has " +
                join(names),
      StatusCode::NotFound);
}

std::optional<Type> scalarType(const Argument &argument) {
  switch (argument.element) {
  case ElementType::i4:
  case ElementType::i8:
    return Type::i8;
  case ElementType::index:
    return argument.elementBytes == 8 ? Type::i64 : Type::i32;
  case ElementType::f8:
  case ElementType::opaque:
    return std::nullopt;
  default: {
    Result<Type> type = parseType(toString(argument.element));
    return type.isOk() ? std::optional(*type) : std::nullopt;
  }
  }
}

/// Resolves a pointer to workgroup memory: the number of bytes of the pointers before it.
Status resolveLocal(const EntryPoint &entry, const Argument &argument, ResolvedDispatch &dispatch,
                    ResolvedArgument &resolved, const std::string &what) {
  const ArgumentSpec &spec = *resolved.spec;
  bool fits = argument.kind == ArgumentKind::Scalar && argument.element == ElementType::i64 &&
              argument.vectorWidth == 1;
  if (!entry.dynamicWorkgroupMemory || !fits)
    return spec.place.error(what + " does not point to workgroup memory" +
                            (fits && !entry.dynamicWorkgroupMemory
                                 ? ", or the kernel never uses it: then give a number, such as 0"
                                 : ""));
  constexpr uint64_t alignment = 64; // the alignment of the memory itself
  uint64_t at = dispatch.dynamicMemoryBytes;
  uint64_t end = (at + *spec.local + alignment - 1) / alignment * alignment;
  if (end > UINT32_MAX)
    return spec.place.of("local").error(what + ": with those before it " + std::to_string(end) +
                                        " bytes of workgroup memory; up to 4 GiB are counted");
  auto bytes = reinterpret_cast<const uint8_t *>(&at);
  resolved.scalar.assign(bytes, bytes + sizeof at);
  dispatch.dynamicMemoryBytes = uint32_t(end);
  return Status::ok();
}

/// Resolves an argument by the values of `spec` from `next` on.
Status resolveArgument(const LaunchSpec &launch, const Argument &argument, const ArgumentSpec &spec,
                       size_t &next, ResolvedArgument &resolved, const std::string &what) {
  bool isLast = next == spec.values.size();
  if (argument.kind == ArgumentKind::Buffer) {
    if (!isLast && !spec.values[next].buffer.empty()) { // a pointer in a structure
      const Scalar &value = spec.values[next++];
      resolved.offset = static_cast<int64_t>(value.offset);
      PUMICE_TRY(resolved.buffer, findBuffer(launch, value.buffer, value.place.of("address")));
      return Status::ok();
    }
    if (spec.buffer.empty())
      return spec.place.error(what + " is a buffer of " + std::string(toString(argument.element)) +
                              "; give the name of a buffer");
    resolved.offset = spec.offset;
    PUMICE_TRY(resolved.buffer, findBuffer(launch, spec.buffer, spec.place.of("buffer")));
    return Status::ok();
  }
  if (!spec.buffer.empty())
    return spec.place.error(what + " is a scalar of " + std::string(toString(argument.element)) +
                            "; found the name " + json::quote(spec.buffer));
  std::optional<Type> type = scalarType(argument);
  if (!type)
    return spec.place.error(what + " is of type " + std::string(toString(argument.element)) +
                                ", whose values cannot be written here",
                            StatusCode::Unsupported);
  if (spec.values.size() - next < argument.vectorWidth)
    return spec.place.error(what + " takes " + counted(argument.vectorWidth, "number") +
                            "; found " + std::to_string(spec.values.size() - next));
  for (uint32_t i = 0; i < argument.vectorWidth; ++i) {
    const Scalar &value = spec.values[next++];
    if (!value.buffer.empty())
      return value.place.error("executables take buffers, not their addresses");
    PUMICE_RETURN_IF_ERROR(appendScalar(resolved.scalar, *type, value.number, value.place));
  }
  return Status::ok();
}

Status wrongCount(const EntryPoint &entry, const DispatchSpec &spec) {
  return spec.place.of("arguments")
      .error("'" + entry.name + "' takes " + counted(entry.arguments.size(), "argument") + "; " +
             countedAre(spec.arguments.size()) + " given");
}

/// Matches arguments with those of the code. A structure of OpenCL C is one argument in the launch
/// file, a list, and several in the executable.
Status resolveArguments(const LaunchSpec &launch, const EntryPoint &entry,
                        ResolvedDispatch &dispatch) {
  const DispatchSpec &spec = *dispatch.spec;
  bool hasLists = entry.arguments.size() > spec.arguments.size();
  size_t argument = 0;
  for (const ArgumentSpec &given : spec.arguments) {
    size_t next = 0;
    do {
      if (argument == entry.arguments.size())
        return wrongCount(entry, spec);
      const Argument &wanted = entry.arguments[argument];
      std::string what = "argument " + std::to_string(argument) +
                         (wanted.name.empty() ? "" : " '" + wanted.name + "'");
      ResolvedArgument &resolved = dispatch.arguments.emplace_back();
      resolved.spec = &given;
      if (given.local)
        PUMICE_RETURN_IF_ERROR(resolveLocal(entry, wanted, dispatch, resolved, what));
      else
        PUMICE_RETURN_IF_ERROR(resolveArgument(launch, wanted, given, next, resolved, what));
      if (!hasLists && next < given.values.size())
        return given.place.error(what + " takes " + counted(wanted.vectorWidth, "number") +
                                 "; found " + std::to_string(given.values.size()));
      ++argument;
    } while (next < given.values.size());
  }
  return argument == entry.arguments.size() ? Status::ok() : wrongCount(entry, spec);
}

/// Specializes. The device chooses the variant, so all candidates must have the same constants.
Status specialize(const Executable &contents, ResolvedDispatch &dispatch) {
  const DispatchSpec &spec = *dispatch.spec;
  if (spec.constants.empty())
    return Status::ok();
  const Place &place = spec.constants.front().place;
  bool any = false;
  for (const Variant &variant : contents.variants) {
    bool isSpirv =
        variant.kind == VariantKind::VulkanSpirv || variant.kind == VariantKind::OpenclSpirv;
    if (!isSpirv || (!spec.target.empty() && variant.target != spec.target) ||
        std::ranges::find(variant.interfaces, dispatch.entry, &Interface::entryPoint) ==
            variant.interfaces.end())
      continue;
    Result<SpirvModule> module = reflectSpirv(variant.code);
    if (!module.isOk())
      return spec.codeError("the code for the target '" + variant.target +
                            "' cannot be read: " + module.status().message());
    PUMICE_TRY(std::vector<hal::SpecializationConstant> constants,
               resolveConstants(*module, spec.constants));
    if (any && constants != dispatch.constants)
      return place.error("the executable's variants have other ids or types for the constants; "
                         "choose one by target");
    dispatch.constants = std::move(constants);
    any = true;
  }
  return any ? Status::ok()
             : place.error("'" + spec.file + "' holds no SPIR-V of '" + dispatch.entry +
                           "'; native code has its constants fixed");
}
} // namespace

Status resolveExecutable(const LaunchSpec &launch, ResolvedDispatch &dispatch) {
  const DispatchSpec &spec = *dispatch.spec;
  PUMICE_RETURN_IF_ERROR(refuseOthers(spec));
  const Executable &contents = *dispatch.code->executable;
  PUMICE_TRY(const EntryPoint *entry, chooseEntry(spec, contents));
  dispatch.entry = dispatch.label = entry->name;
  PUMICE_RETURN_IF_ERROR(resolveArguments(launch, *entry, dispatch));
  // If only the size along x is set, the size along other axes that are not fixed is 1.
  dispatch.workgroupSize = spec.workgroupSize;
  for (size_t d = 1; spec.workgroupSize[0] && d < 3; ++d)
    if (dispatch.workgroupSize[d] == 0)
      dispatch.workgroupSize[d] = entry->workgroupSize[d] ? entry->workgroupSize[d] : 1;
  // Without a size, this chooses one that divides the grid, as for OpenCL's modules.
  if (spec.threads && entry->workgroupSize[0] == 0 && spec.workgroupSize[0] == 0) {
    dispatch.workgroupSize = {1, 1, 1};
    for (uint32_t &x = dispatch.workgroupSize[0]; x < 64 && (*spec.threads)[0] % (2 * x) == 0;)
      x *= 2;
  }
  dispatch.groups = spec.groups;
  for (size_t d = 0; spec.threads && d < 3; ++d) {
    uint32_t size = entry->workgroupSize[d] ? entry->workgroupSize[d] : dispatch.workgroupSize[d];
    if (size == 0)
      return spec.place.of("workgroup_size")
          .error("the entry point does not fix its workgroup size; set workgroup_size too");
    uint64_t groups = ((*spec.threads)[d] + size - 1) / size;
    if (groups > UINT32_MAX)
      return spec.groupsPlace.error(std::to_string(groups) + " workgroups do not fit in 32 bits");
    dispatch.groups[d] = uint32_t(groups);
  }
  for (size_t d = 0; d < 3; ++d)
    if (entry->workgroupSize[d] == 0 && dispatch.workgroupSize[d] == 0)
      return spec.place.of("workgroup_size")
          .error("the entry point does not fix its workgroup size along " +
                 std::string(1, "xyz"[d]) + "; set workgroup_size");
  return specialize(contents, dispatch);
}

} // namespace pumice::run
