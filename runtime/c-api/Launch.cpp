//===- Launch.cpp - the C API's launches ------------------------------------===//
// The way that is walked for every launch: no allocation for up to 32 arguments.
//===-------------------------------------------------------------------------===//
#include "runtime/c-api/Handles.h"
#include "runtime/support/Scratch.h"

using namespace pumice;
using namespace pumice::capi;

namespace {

constexpr size_t mostArguments = 1 << 16; // more is a number that was never set

/// `place` for messages is only made when there is one.
Status bad(size_t index, const std::string &what) {
  return invalid("argument " + std::to_string(index) + ": " + what);
}

Status convert(const pumice_argument &given, size_t index, hal::Argument &argument) {
  if (given.kind == PUMICE_ARGUMENT_SCALAR) {
    argument.bytes = given.data ? given.data : &given.value;
    argument.size = given.size;
    if (!given.data && given.size > sizeof given.value)
      return bad(index, std::to_string(given.size) + " bytes of a scalar, but data is NULL");
    return Status::ok();
  }
  if (given.kind != PUMICE_ARGUMENT_BUFFER)
    return bad(index, "kind is " + std::to_string(given.kind) +
                          "; it is PUMICE_ARGUMENT_BUFFER or PUMICE_ARGUMENT_SCALAR");
  if (given.rank != 0 && !given.shape)
    return bad(index, "rank is " + std::to_string(given.rank) + ", but shape is NULL");
  argument.shape = given.shape;
  argument.strides = given.strides;
  argument.rank = given.rank;
  argument.offset = given.element_offset;
  if (!given.buffer)
    return Status::ok(); // the function knows whether that will do
  if (!check(given.buffer, {}).isOk())
    return check(given.buffer, "argument " + std::to_string(index));
  // Checked here, against the part that the handle is of; messages are made only on failure.
  const pumice_buffer &buffer = *given.buffer;
  bool whole = given.bytes == PUMICE_TO_END;
  if (given.offset > buffer.bytes || (!whole && given.bytes > buffer.bytes - given.offset))
    return rangeOf(given.buffer, given.offset, given.bytes, "argument " + std::to_string(index))
        .status();
  argument.range = {buffer.object.get(), buffer.base + given.offset,
                    whole ? buffer.bytes - given.offset : given.bytes};
  return Status::ok();
}

Status launch(pumice_queue *queue, pumice_function *function, const pumice_launch_options *options,
              const pumice_argument *arguments, size_t count) {
  PUMICE_RETURN_IF_ERROR(check(queue, "queue"));
  PUMICE_RETURN_IF_ERROR(check(function, "function"));
  if (!options)
    return invalid("options is NULL; pumice_groups makes them");
  PUMICE_TRY(pumice_launch_options given, readStruct(options, "options"));
  if (count && !arguments)
    return invalid(std::to_string(count) + " arguments, but arguments is NULL");
  if (count > mostArguments)
    return invalid(std::to_string(count) + " arguments; no kernel has so many");

  Scratch<hal::Argument, 32> scratch(count);
  std::span<hal::Argument> converted = scratch.items();
  for (size_t i = 0; i < count; ++i)
    PUMICE_RETURN_IF_ERROR(convert(arguments[i], i, converted[i]));

  hal::LaunchOptions chosen;
  chosen.groups = {given.groups[0], given.groups[1], given.groups[2]};
  if (given.print_bytes)
    chosen.printBytes = given.print_bytes;
  hal::PrintSink sink;
  if (given.print) {
    sink = [print = given.print, user = given.print_user](std::string_view text) {
      print(user, text.data(), text.size());
    };
    chosen.print = &sink;
  }
  return function->object->launch(*queue->object, chosen, converted);
}

} // namespace

pumice_status pumice_launch(pumice_queue *queue, pumice_function *function,
                            const pumice_launch_options *options, const pumice_argument *arguments,
                            size_t argument_count) {
  return answer(launch(queue, function, options, arguments, argument_count));
}
