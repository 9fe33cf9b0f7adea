//===- Launch.cpp - the C API's launches ------------------------------------===//
// Every launch runs this code. It allocates nothing for up to 32 arguments.
//===-------------------------------------------------------------------------===//
#include "runtime/c-api/Handles.h"
#include "support/EnglishText.h"
#include "support/Scratch.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

using namespace pumice;
using namespace pumice::capi;

namespace {

constexpr size_t mostArguments = 1 << 16; // a larger count is an uninitialized value

/// Makes an error. The text that describes the argument is made only here.
[[gnu::cold]] Status bad(size_t index, const std::string &what) {
  return invalid("argument " + std::to_string(index) + ": " + what);
}

[[gnu::cold]] Status tooLong(size_t index, uint32_t size) {
  return bad(index, "data is NULL, but the scalar has " + counted(size, "byte"));
}

Status convert(const pumice_argument &given, size_t index, hal::Argument &argument) {
  if (given.kind == PUMICE_ARGUMENT_SCALAR) {
    if (!given.data && given.size > sizeof given.value)
      return tooLong(index, given.size);
    argument = {.bytes = given.data ? given.data : &given.value, .size = given.size};
    return Status::ok();
  }
  if (given.kind != PUMICE_ARGUMENT_BUFFER)
    return bad(index, "kind is " + std::to_string(given.kind) +
                          "; expected PUMICE_ARGUMENT_BUFFER or PUMICE_ARGUMENT_SCALAR");
  if (given.reserved != 0)
    return bad(index, "reserved is " + std::to_string(given.reserved) +
                          "; expected 0: set all fields that the argument does not use to 0");
  if (given.rank != 0 && !given.shape)
    return bad(index, "rank is " + std::to_string(given.rank) + ", but shape is NULL");
  argument = {.shape = given.shape,
              .strides = given.strides,
              .rank = given.rank,
              .offset = given.element_offset};
  if (!given.buffer)
    return Status::ok(); // the function checks whether this is allowed
  if (!check(given.buffer, {}).isOk()) [[unlikely]]
    return check(given.buffer, "argument " + std::to_string(index));
  // The check is made here, because the handle may be only a part of the buffer. Messages are made
  // only on failure.
  const pumice_buffer &buffer = *given.buffer;
  hal::Buffer::prefetch(buffer.object.get());
  bool whole = given.bytes == PUMICE_TO_END;
  if (given.offset > buffer.bytes || (!whole && given.bytes > buffer.bytes - given.offset))
      [[unlikely]]
    return rangeOf(given.buffer, given.offset, given.bytes, "argument " + std::to_string(index))
        .status();
  argument.range = {buffer.object.get(), buffer.base + given.offset,
                    whole ? buffer.bytes - given.offset : given.bytes};
  return Status::ok();
}

/// Reads options, as readStruct does. Makes a copy in `known` only if the caller's structure
/// differs from that of this library. A copy takes a noticeable part of the launch time.
Status readOptions(const pumice_launch_options *&options, pumice_launch_options &known) {
  if (!options)
    return invalid("options is NULL; make it with pumice_groups");
  if (options->struct_size == sizeof known) [[likely]]
    return Status::ok();
  PUMICE_TRY(known, readStruct(options, "options"));
  options = &known;
  return Status::ok();
}

std::vector<hal::ArgumentMemory> memoryOf(pumice_memory_callback memory, void *user) {
  std::vector<pumice_memory_range> ranges(memory(user, nullptr, 0));
  ranges.resize(std::min(ranges.size(), memory(user, ranges.data(), ranges.size())));
  std::vector<hal::ArgumentMemory> known;
  for (const pumice_memory_range &range : ranges)
    known.push_back({reinterpret_cast<uint64_t>(range.begin), range.bytes, range.argument});
  return known;
}

/// Launches with callbacks, which queues copy.
[[gnu::noinline]] Status launchWithCallbacks(pumice_queue &queue, hal::Function &function,
                                             const pumice_launch_options &options,
                                             hal::LaunchOptions &chosen,
                                             std::span<const hal::Argument> arguments) {
  hal::PrintSink sink = [print = options.print, user = options.print_user](std::string_view text) {
    print(user, text.data(), text.size());
  };
  hal::ArgumentMemoryQuery memory = [ask = options.memory, user = options.memory_user] {
    return memoryOf(ask, user);
  };
  chosen.print = options.print ? &sink : nullptr;
  chosen.memory = options.memory ? &memory : nullptr;
  return function.launch(*queue.object, chosen, arguments);
}

/// The size of an argument in version 1 of the ABI, which is the smallest that any program uses.
constexpr size_t leastArgumentBytes = offsetof(pumice_argument, reserved) + sizeof(uint32_t);
static_assert(leastArgumentBytes <= sizeof(pumice_argument));
static_assert(endsWithItsLastField<pumice_argument>(), "add a field `reserved`");

/// Converts arguments of a program whose header declares another structure than this library.
/// Fields that only one side knows become zero. Errors: Unsupported, if the program sets a field
/// that this library does not know.
Result<std::vector<pumice_argument>> resized(const pumice_argument *arguments, size_t count,
                                             size_t bytes) {
  if (bytes < leastArgumentBytes || bytes > 4096)
    return invalid("argument_bytes is " + std::to_string(bytes) +
                   "; pass sizeof(pumice_argument), which pumice_launch does");
  std::vector<pumice_argument> made(count, pumice_argument{});
  for (size_t i = 0; i < count; ++i) {
    const auto *from = reinterpret_cast<const unsigned char *>(arguments) + i * bytes;
    std::memcpy(&made[i], from, std::min(bytes, sizeof(pumice_argument)));
    for (size_t k = sizeof(pumice_argument); k < bytes; ++k)
      if (from[k] != 0)
        return Status(StatusCode::Unsupported, "argument " + std::to_string(i) +
                                                   " sets a field at byte " + std::to_string(k) +
                                                   ", which this library (" + pumice_version() +
                                                   ") does not have: use a newer one");
  }
  return made;
}

Status launch(pumice_queue *queue, pumice_function *function, const pumice_launch_options *options,
              const pumice_argument *arguments, size_t count, size_t argumentBytes) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  PUMICE_RETURN_IF_ERROR(check(function, "function"));
  pumice_launch_options known;
  PUMICE_RETURN_IF_ERROR(readOptions(options, known));
  if (count && !arguments)
    return invalid(std::to_string(count) + " arguments, but arguments is NULL");
  if (count > mostArguments)
    return invalid(std::to_string(count) + " arguments; no kernel takes that many");

  std::vector<pumice_argument> copies;
  if (argumentBytes != sizeof(pumice_argument)) [[unlikely]] {
    PUMICE_TRY(copies, resized(arguments, count, argumentBytes));
    arguments = copies.data();
  }

  hal::Function *made = function->known(*queue->object);
  if (!made) [[unlikely]] {
    PUMICE_TRY(made, function->makeFor(*queue->object));
  }
  Scratch<hal::Argument, 32> scratch(count);
  std::span<hal::Argument> converted = scratch.items();
  for (size_t i = 0; i < count; ++i)
    PUMICE_RETURN_IF_ERROR(convert(arguments[i], i, converted[i]));

  hal::LaunchOptions chosen;
  chosen.groups = {options->groups[0], options->groups[1], options->groups[2]};
  if (options->print_bytes)
    chosen.printBytes = options->print_bytes;
  if (options->print || options->memory)
    return launchWithCallbacks(*queue, *made, *options, chosen, converted);
  return made->launch(*queue->object, chosen, converted);
}

} // namespace

pumice_status pumice_launch_sized(pumice_queue *queue, pumice_function *function,
                                  const pumice_launch_options *options,
                                  const pumice_argument *arguments, size_t argument_count,
                                  size_t argument_bytes) {
  return answer(launch(queue, function, options, arguments, argument_count, argument_bytes));
}
