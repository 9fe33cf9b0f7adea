//===- ResolveKernel.cpp - resolves arguments of OpenCL kernels -------------===//
#include "support/EnglishText.h"
#include "tools/run/Resolve.h"

#include <algorithm>
#include <cstring>

namespace pumice::run {
using namespace executable;

namespace {
std::string text(const std::array<uint64_t, 3> &numbers) {
  return std::to_string(numbers[0]) + " x " + std::to_string(numbers[1]) + " x " +
         std::to_string(numbers[2]);
}

uint64_t countOf(const SpirvMember &member) {
  uint64_t count = 1;
  for (const SpirvDimension &dimension : member.dimensions)
    count *= std::max<uint64_t>(dimension.count, 1);
  return count;
}

uint64_t placeOf(const SpirvMember &member, uint64_t index) {
  uint64_t at = member.offset;
  for (size_t d = member.dimensions.size(); d-- > 0;) {
    uint64_t extent = std::max<uint64_t>(member.dimensions[d].count, 1);
    at += index % extent * member.dimensions[d].stride;
    index /= extent;
  }
  return at;
}

bool isNegative(const Number &number) {
  auto *whole = std::get_if<int64_t>(&number);
  return whole && *whole < 0;
}

/// Returns the type for a number. OpenCL's modules do not say which integers are signed, so
/// the type is signed if the number is negative.
std::optional<Type> typeFor(const SpirvMember &member, const Number &number) {
  bool isSigned = member.scalar == SpirvScalar::Uint && isNegative(number);
  if (member.scalar == SpirvScalar::Address)
    return Type::u64;
  return elementType(isSigned ? SpirvScalar::Int : member.scalar, member.bytes);
}

class Arguments {
public:
  Arguments(const LaunchSpec &launch, const SpirvEntryPoint &entry, ResolvedDispatch &dispatch)
      : launch(launch), block(entry.pushConstants), entry(entry), out(dispatch) {}
  Status fill();

private:
  Status fillOne(const ArgumentSpec &given, const SpirvParameter &parameter,
                 const std::string &what);
  Status fillNumber(const SpirvMember &member, uint64_t at, const Scalar &value,
                    const std::string &what);
  void put(uint64_t at, const void *bytes, size_t count) {
    std::memcpy(out.pushConstants.data() + at, bytes, count);
  }

  const LaunchSpec &launch;
  const SpirvBlock &block;
  const SpirvEntryPoint &entry;
  ResolvedDispatch &out;
};

Status Arguments::fillNumber(const SpirvMember &member, uint64_t at, const Scalar &value,
                             const std::string &what) {
  if (!value.buffer.empty()) {
    if (member.scalar != SpirvScalar::Address)
      return value.place.error(what + " is " + withArticle(typeName(member.scalar, member.bytes)) +
                               ", not a pointer to a buffer");
    PUMICE_TRY(size_t buffer, findAddress(launch, value.buffer, value.offset, value.place));
    out.addresses.push_back({uint32_t(at), buffer, value.offset});
    return Status::ok();
  }
  if (member.scalar == SpirvScalar::Address && value.number != Number(int64_t(0)))
    return value.place.error(what + " is a pointer; name a buffer, or give 0");
  std::optional<Type> type = typeFor(member, value.number);
  if (!type)
    return value.place.error(what + " is " + withArticle(typeName(member.scalar, member.bytes)) +
                                 "; a number cannot be given",
                             StatusCode::Unsupported);
  std::vector<uint8_t> bytes;
  PUMICE_RETURN_IF_ERROR(appendScalar(bytes, *type, value.number, value.place));
  put(at, bytes.data(), bytes.size());
  return Status::ok();
}

Status Arguments::fillOne(const ArgumentSpec &given, const SpirvParameter &parameter,
                          const std::string &what) {
  if (!parameter.refused.empty())
    return given.place.error(what + " is " + parameter.refused + ", which cannot be given",
                             StatusCode::Unsupported);
  auto members = std::span(block.members).subspan(parameter.firstMember, parameter.members);
  bool wantsLocal = members.size() == 1 && members[0].scalar == SpirvScalar::WorkgroupMemory;
  if (given.local.has_value() != wantsLocal)
    return given.place.error(what + (wantsLocal
                                         ? " points to workgroup memory; give {\"local\": bytes}"
                                         : " does not point to workgroup memory"));
  if (wantsLocal) {
    constexpr uint32_t alignment = 64; // the alignment of the memory itself
    uint64_t at = out.dynamicMemoryBytes;
    put(members[0].offset, &at, sizeof at);
    uint64_t end = (at + *given.local + alignment - 1) / alignment * alignment;
    if (end > UINT32_MAX)
      return given.place.of("local").error(what + ": with those before it " + std::to_string(end) +
                                           " bytes of workgroup memory; up to 4 GiB are counted");
    out.dynamicMemoryBytes = uint32_t(end);
    return Status::ok();
  }
  std::vector<Scalar> values = given.values;
  if (!given.buffer.empty()) {
    if (!given.shape.empty() || !given.strides.empty())
      return given.place.of(given.shape.empty() ? "strides" : "shape")
          .error("shape and strides belong to executables; " + what + " is an address");
    values.push_back({given.place, {}, given.buffer, uint64_t(given.offset)});
  }
  uint64_t count = 0;
  for (const SpirvMember &member : members)
    count += countOf(member);
  if (values.size() != count)
    return given.place.error(what + " takes " + counted(count, "number") + "; found " +
                             std::to_string(values.size()));
  const Scalar *next = values.data();
  for (const SpirvMember &member : members)
    for (uint64_t i = 0, n = countOf(member); i < n; ++i)
      PUMICE_RETURN_IF_ERROR(fillNumber(member, placeOf(member, i), *next++, what));
  return Status::ok();
}

Status Arguments::fill() {
  const DispatchSpec &spec = *out.spec;
  if (!spec.pushConstants.empty())
    return spec.place.of("push_constants")
        .error("the kernel's arguments are its push constants; leave one of them out");
  if (spec.arguments.size() != entry.parameters.size())
    return spec.place.of("arguments")
        .error("'" + entry.name + "' takes " + counted(entry.parameters.size(), "argument") + "; " +
               countedAre(spec.arguments.size()) + " given");
  constexpr uint64_t most = 1 << 20;
  if (block.bytes > most)
    return spec.codeError("the kernel's arguments are " + std::to_string(block.bytes) + " bytes",
                          StatusCode::Unsupported);
  out.pushConstants.resize((block.bytes + 3) & ~uint64_t{3});
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const std::string &name = entry.parameters[i].name;
    PUMICE_RETURN_IF_ERROR(
        fillOne(spec.arguments[i], entry.parameters[i],
                "argument " + std::to_string(i) + (name[0] == '[' ? "" : " '" + name + "'")));
  }
  return Status::ok();
}
} // namespace

/// Chooses a size that divides the grid if none is given, since kernels need not check for the
/// grid's end.
Status chooseKernelSize(ResolvedDispatch &dispatch, std::array<uint32_t, 3> &size) {
  const DispatchSpec &spec = *dispatch.spec;
  std::array<uint64_t, 3> threads = spec.threads.value_or(std::array<uint64_t, 3>{0, 0, 0});
  bool isOpen = size[0] == 0;
  if (isOpen && spec.workgroupSize[0] == 0 && !spec.threads)
    return spec.place.of("workgroup_size")
        .error(
            "the kernel does not fix its workgroup size; set workgroup_size, or threads instead of "
            "groups");
  for (size_t d = 0; isOpen && d < 3; ++d)
    size[d] = std::max(spec.workgroupSize[d], 1u);
  if (isOpen && spec.workgroupSize[0] == 0)
    for (constexpr uint32_t most = 64; size[0] < most && threads[0] % (2 * size[0]) == 0;)
      size[0] *= 2;
  for (size_t d = 0; spec.threads && d < 3; ++d)
    if (threads[d] % size[d])
      return spec.groupsPlace.error(text(threads) +
                                    " threads are not a whole number of workgroups of " +
                                    text({size[0], size[1], size[2]}) +
                                    ", which OpenCL requires; give another number, or groups");
  if (isOpen)
    dispatch.workgroupSize = size;
  return Status::ok();
}

Status fillArguments(const LaunchSpec &launch, const SpirvEntryPoint &entry,
                     ResolvedDispatch &dispatch) {
  return Arguments(launch, entry, dispatch).fill();
}

} // namespace pumice::run
