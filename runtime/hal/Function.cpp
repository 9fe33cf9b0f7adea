//===- Function.cpp - one launch: check, copy, record -----------------------===//
// A launch takes its caller only a few hundred nanoseconds. So this code does not allocate for up
// to 16 arguments and 256 bytes of parameters, and makes text only for errors.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/Function.h"

#include "runtime/hal/Device.h"
#include "runtime/hal/Invalid.h"
#include "runtime/hal/LaunchPlan.h"
#include "runtime/hal/Printing.h"
#include "runtime/hal/View.h"
#include "support/EnglishText.h"
#include "support/Scratch.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

using namespace pumice::executable;

namespace pumice::hal {

/// The parts of a launch while it is being assembled.
struct Function::Assembly {
  Device &device;
  std::span<std::byte> block;
  std::span<BufferRange> bindings;
  std::span<BufferUse> uses;
  size_t useCount = 0;

  void use(Buffer &buffer, Access access, uint16_t argument = BufferUse::noArgument) {
    for (BufferUse &known : uses.first(useCount))
      if (known.buffer == &buffer) {
        known.access =
            static_cast<Access>(static_cast<uint8_t>(known.access) | static_cast<uint8_t>(access));
        return;
      }
    uses[useCount++] = {&buffer, access, argument};
  }
};

namespace {

using Assembly = Function::Assembly;

constexpr size_t usualArguments = LaunchPlan::usualArguments,
                 usualParameterBytes = LaunchPlan::usualParameterBytes;

/// Clears a block. For the usual size, this takes a few instructions and no call.
void clear(std::span<std::byte> block) {
  constexpr size_t few = 64;
  static_assert(few <= usualParameterBytes);
  std::memset(block.data(), 0, few);
  if (block.size() > few) [[unlikely]]
    std::memset(block.data() + few, 0, block.size() - few);
}

/// Stores a value in little-endian order. It was checked that the bytes that are cut off are zeros
/// or copies of the sign.
void put(std::span<std::byte> block, const ParameterField &field, uint64_t value) {
  std::byte *place = block.data() + field.offset;
  if (field.size == sizeof value) // constant sizes become single stores
    std::memcpy(place, &value, sizeof value);
  else if (field.size == sizeof(uint32_t))
    std::memcpy(place, &value, sizeof(uint32_t));
  else
    std::memcpy(place, &value, field.size);
}

[[gnu::cold]] Status tooWide(std::string_view what, int64_t value) {
  return invalid(what, " is ", value,
                 "; the code uses 32-bit indices: compile it with --index-bits 64");
}

/// Returns whether a signed 32-bit index can represent the value. From 2^31 on, the index would be
/// negative.
bool fitsIn32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

/// Stores a number that counts elements or bytes for the code.
Status putNumber(std::span<std::byte> block, const ParameterField &field, std::string_view what,
                 int64_t value) {
  if (field.size < 8 && !fitsIn32(value))
    return tooWide(what, value);
  put(block, field, static_cast<uint64_t>(value));
  return Status::ok();
}

[[gnu::cold]] Status wrongSize(const executable::Argument &argument, uint64_t bytes, size_t size) {
  return invalid("it takes ", counted(bytes, "byte"), " (",
                 argument.vectorWidth > 1 ? concat(argument.vectorWidth, " x ") : "",
                 toString(argument.element), "); ", countedAre(size), " given");
}

/// Checks 64-bit indices if the code only reads their low 32 bits.
[[gnu::cold]] Status checkIndices(std::span<const std::byte> indices) {
  for (size_t at = 0; at < indices.size(); at += sizeof(int64_t)) {
    int64_t value = 0;
    std::memcpy(&value, indices.data() + at, sizeof value);
    if (!fitsIn32(value))
      return tooWide(concat("element ", at / sizeof value), value);
  }
  return Status::ok();
}

/// Stores a boolean, or an index whose size differs from the size that the code reads.
Status placeWord(const ParameterField &field, const Argument &given, bool truth,
                 std::span<std::byte> block) {
  int64_t value = 0;
  std::memcpy(&value, given.bytes, std::min(given.size, sizeof value));
  if (truth)
    value = value != 0; // the code may test a single bit
  else if (given.size == sizeof(int32_t))
    value = static_cast<int32_t>(value); // sign-extends, because indices are signed
  else if (!fitsIn32(value))
    return tooWide("it", value);
  put(block, field, static_cast<uint64_t>(value));
  return Status::ok();
}

Status placeScalar(const ArgumentPlan &plan, std::span<const ParameterField> fields,
                   const Argument &given, bool countsIn32, std::span<std::byte> block) {
  const executable::Argument &argument = *plan.argument;
  if (!given.bytes)
    return invalid("expected a scalar (", toString(argument.element), "), got a buffer");
  bool index = argument.element == ElementType::index && argument.vectorWidth == 1;
  bool truth = argument.element == ElementType::i1 && argument.vectorWidth == 1;
  bool fits = given.size == plan.bytes || (index && (given.size == 4 || given.size == 8)) ||
              (truth && (given.size == 1 || given.size == 4));
  if (!fits)
    return wrongSize(argument, plan.bytes, given.size);
  if (countsIn32 && argument.element == ElementType::index && argument.vectorWidth > 1)
    PUMICE_RETURN_IF_ERROR(checkIndices({static_cast<const std::byte *>(given.bytes), given.size}));
  for (const ParameterField &field : fields) {
    if (truth || (index && given.size != field.size)) {
      PUMICE_RETURN_IF_ERROR(placeWord(field, given, truth, block));
      continue;
    }
    std::memcpy(block.data() + field.offset, given.bytes, std::min<size_t>(given.size, field.size));
  }
  return Status::ok();
}

/// The checked position of a buffer argument.
struct Place {
  Buffer *buffer = nullptr;
  uint64_t address = 0, offset = 0, length = 0; // in bytes
};

/// Describes the start of a range from the caller's point of view. Imported memory includes bytes
/// around it, so an offset in the buffer differs from the offset that the caller knows.
[[gnu::cold]] std::string startOf(const Place &place) {
  const Buffer &buffer = *place.buffer;
  if (buffer.kind() != MemoryKind::Imported || !buffer.hostPointer())
    return concat("byte ", place.offset);
  char text[24];
  std::snprintf(text, sizeof text, "address 0x%" PRIxPTR,
                reinterpret_cast<uintptr_t>(buffer.hostPointer() + place.offset));
  return text;
}

Status locate(const executable::Argument &argument, const Argument &given, const Device &device,
              Place &place) {
  if (given.bytes)
    return invalid("expected a buffer of ", toString(argument.element), ", got a scalar");
  Buffer *buffer = given.range.buffer;
  if (!buffer) {
    if (argument.access != Access::None)
      return invalid("it needs a buffer: the code's access to it is ", toString(argument.access));
    return Status::ok();
  }
  uint64_t offset = given.range.offset, total = buffer->bytes();
  if (&buffer->device() != &device)
    PUMICE_RETURN_IF_ERROR(buffer->health());
  if (&buffer->device() != &device)
    return invalid("its buffer belongs to ", buffer->device().info().id, ", but the kernel to ",
                   device.info().id);
  if (buffer->isReadOnly() && writes(argument.access))
    return invalid("its buffer's memory was lent for reading only, and the code's access to it is ",
                   toString(argument.access),
                   ": pass a copy, or a kernel that only reads it (NonWritable, in shaders)");
  if (offset > total || (given.range.bytes != wholeBuffer && given.range.bytes > total - offset))
    return invalid("the range (offset ", offset, ", ", counted(given.range.length(), "byte"),
                   ") is not in the buffer of ", counted(total, "byte"));
  place = {buffer, buffer->deviceAddress() ? buffer->deviceAddress() + offset : 0, offset,
           given.range.length()};
  // If a buffer has no address, its start is aligned for any element.
  uint64_t start = place.address ? place.address : offset;
  if (start & (argument.alignment - 1))
    return invalid("it starts at ", startOf(place),
                   buffer->kind() == MemoryKind::Imported ? ", in imported memory"
                                                          : " of its buffer",
                   "; the code expects a multiple of ", argument.alignment,
                   buffer->kind() == MemoryKind::Imported ? ": pass a copy that is aligned" : "");
  return Status::ok();
}

/// Sets the descriptors of an argument that is passed by descriptors.
[[gnu::noinline]] Status bindArgument(LaunchPlan &all, const ArgumentPlan &plan, const Place &place,
                                      uint64_t reach, Assembly &assembly) {
  const DeviceLimits &limits = assembly.device.info().limits;
  BufferRange range{place.buffer, place.offset, place.length};
  if (place.buffer && place.length != 0) {
    if (place.offset % limits.bindingAlignment != 0)
      return invalid("it starts at ", startOf(place), "; descriptors of ",
                     assembly.device.info().id, " start at multiples of ", limits.bindingAlignment,
                     " (minStorageBufferOffsetAlignment): pass the whole buffer and an offset in "
                     "elements (imported memory counts from its page on: import it from an address "
                     "that is such a multiple), or compile for buffer addresses");
    // If the buffer continues, the size is rounded up to whole words. At the end of the buffer, the
    // driver adds the padding that it has allocated.
    uint64_t room = place.buffer->bytes() - place.offset;
    range.bytes = std::min(room, (place.length + 3) & ~uint64_t{3});
    if (range.bytes > limits.maxBindingBytes) {
      if (reach > limits.maxBindingBytes)
        return invalid("it reaches ", counted(reach, "byte"), ", but a descriptor of ",
                       assembly.device.info().id, " covers at most ", limits.maxBindingBytes,
                       " (maxStorageBufferRange): compile for buffer addresses");
      range.bytes = limits.maxBindingBytes;
    }
    assembly.use(*place.buffer, plan.argument->access, plan.index);
  } else {
    PUMICE_TRY(Ref<Buffer> nothing, all.placeholder(assembly.device));
    range = {nothing.get(), 0, nothing->bytes()}; // the plan keeps this buffer alive
    assembly.use(*nothing, Access::None);
  }
  for (uint32_t i = plan.firstBinding; i < plan.lastBinding; ++i)
    assembly.bindings[all.slots[i]] = range;
  return Status::ok();
}

/// Checks that code with 32-bit indices can reach all elements. SPIR-V indices are signed, so an
/// index of 2^31 or more would point before the buffer. `said` means that the executable states
/// that its indices have 32 bits. If it does not, a flat view is accepted, because its index may be
/// wider.
Status checkReach(const ArgumentPlan &plan, const Argument &given, bool said, uint64_t length,
                  uint64_t reach) {
  if (reach <= plan.bytes << 31)
    return Status::ok();
  if (said)
    return tooWide("its last element", static_cast<int64_t>(reach / plan.bytes - 1));
  const executable::Argument &argument = *plan.argument;
  View view;
  PUMICE_RETURN_IF_ERROR(resolveView(argument, given, length, view));
  bool flat = argument.shape.size() == 1 && view.strides[0] == 1 && view.offset == 0;
  return flat ? Status::ok()
              : tooWide("its last element", static_cast<int64_t>(reach / plan.bytes - 1));
}

[[gnu::noinline]] Status placeBuffer(LaunchPlan &all, const ArgumentPlan &plan,
                                     const Argument &given, Assembly &assembly) {
  const executable::Argument &argument = *plan.argument;
  Place place;
  PUMICE_RETURN_IF_ERROR(locate(argument, given, assembly.device, place));
  uint64_t reach = plan.reach;
  View view;
  bool resolved = !plan.fixed || given.shape || given.strides || given.offset;
  if (resolved) {
    PUMICE_RETURN_IF_ERROR(resolveView(argument, given, place.length, view));
    PUMICE_TRY(reach, reachOf(argument, view));
  }
  if (place.buffer && reach > place.length)
    return invalid("its elements reach ", counted(reach, "byte"), ", but its memory has ",
                   place.length, place.offset ? " from " + startOf(place) + " on" : "");
  if (all.countsIn32)
    PUMICE_RETURN_IF_ERROR(
        checkReach(plan, given, all.interface.indexBits == 32, place.length, reach));
  for (uint32_t i = plan.firstField; i < plan.lastField; ++i) {
    const ParameterField &field = all.fields[i];
    switch (field.source) {
    case FieldSource::BufferAddress:
      if (place.buffer && !place.address)
        return Status(StatusCode::Unsupported,
                      concat(assembly.device.info().id, " gave its buffer no address"));
      put(assembly.block, field, place.address);
      break;
    case FieldSource::BufferLength:
      PUMICE_RETURN_IF_ERROR(putNumber(assembly.block, field, "its length in bytes",
                                       static_cast<int64_t>(place.length)));
      break;
    case FieldSource::BufferOffset:
      PUMICE_RETURN_IF_ERROR(
          putNumber(assembly.block, field, "its offset", resolved ? view.offset : argument.offset));
      break;
    case FieldSource::BufferExtent:
      PUMICE_RETURN_IF_ERROR(
          putNumber(assembly.block, field, "its extent",
                    resolved ? view.extents[field.dimension] : argument.shape[field.dimension]));
      break;
    case FieldSource::BufferStride:
      PUMICE_RETURN_IF_ERROR(
          putNumber(assembly.block, field, "its stride",
                    resolved ? view.strides[field.dimension] : argument.strides[field.dimension]));
      break;
    default: // other lists contain the fields without buffers
      break;
    }
  }
  if (plan.firstBinding != plan.lastBinding)
    return bindArgument(all, plan, place, reach, assembly);
  if (place.buffer && argument.access != Access::None)
    assembly.use(*place.buffer, argument.access, plan.index);
  return Status::ok();
}

/// Handles the usual argument: a buffer of which the code only takes the address. Returns false if
/// anything is unusual or wrong. `placeBuffer` then handles or reports it.
bool placeAddress(const ArgumentPlan &plan, const Argument &given, Assembly &assembly) {
  Buffer *buffer = given.range.buffer;
  bool plain = plan.onlyAddress && buffer && !given.bytes && !given.shape && !given.strides &&
               !given.offset && &buffer->device() == &assembly.device && !buffer->isReadOnly();
  if (!plain)
    return false;
  uint64_t offset = given.range.offset, total = buffer->bytes(), start = buffer->deviceAddress();
  if (offset > total || !start || ((start + offset) & plan.alignmentMask))
    return false;
  uint64_t room = total - offset;
  uint64_t length = given.range.bytes == wholeBuffer ? room : given.range.bytes;
  if (length > room || plan.reach > length)
    return false;
  start += offset;
  std::memcpy(assembly.block.data() + plan.addressOffset, &start, sizeof start);
  assembly.use(*buffer, plan.access, plan.index);
  return true;
}

bool isEmpty(const std::array<uint32_t, 3> &groups) {
  return groups[0] == 0 || groups[1] == 0 || groups[2] == 0;
}

[[gnu::cold]] Status atArgument(Status status, const EntryPoint &entry, size_t index) {
  const std::string &name = entry.arguments[index].name;
  return std::move(status).at(
      concat(entry.name, ": argument ", index, name.empty() ? "" : " '" + name + "'"));
}

} // namespace

Argument Argument::buffer(Buffer *buffer, uint64_t offsetBytes) {
  Argument argument;
  argument.range = {buffer, offsetBytes, wholeBuffer};
  return argument;
}

Argument Argument::scalar(const void *bytes, size_t size) {
  Argument argument;
  argument.bytes = bytes;
  argument.size = size;
  return argument;
}

Function::Function(std::shared_ptr<const executable::Executable> contents, Ref<Kernel> kernel,
                   FunctionOptions options, std::unique_ptr<LaunchPlan> plan)
    : contents(std::move(contents)), kernel(std::move(kernel)), chosen(std::move(options)),
      plan(std::move(plan)) {}
Function::~Function() = default;

const EntryPoint &Function::entryPoint() const { return plan->entry; }
const Interface &Function::interface() const { return plan->interface; }

/// Adds what the arguments do not provide, for kernels that print, use dynamic memory, or read
/// parameters from memory. The work keeps the memory for parameters and output alive.
Status Function::dispatchWithMore(Queue &queue, const LaunchOptions &options, Dispatch &dispatch,
                                  Assembly &assembly) {
  Device &device = kernel->device();
  const Interface &interface = plan->interface;
  Ref<Buffer> printed;
  if (plan->takesPrintfBuffer) {
    PUMICE_RETURN_IF_ERROR(queue.rejectWhileCapturing(plan->entry.name + " prints"));
    PUMICE_TRY(printed, makePrintfBuffer(device, options.printBytes));
    assembly.use(*printed, Access::ReadWrite);
  }
  for (const ParameterField &field : plan->launchFields) {
    uint64_t value = chosen.dynamicMemoryBytes;
    if (field.source == FieldSource::PrintfAddress)
      value = printed->deviceAddress();
    else if (field.source == FieldSource::PrintfWords)
      value = printed->bytes() / 4;
    put(assembly.block, field, value);
  }

  // The block is complete. Kernels that read the block from memory get a copy.
  Ref<Buffer> parameters;
  uint64_t address = 0;
  if (plan->blockInMemory) {
    PUMICE_TRY(parameters, plan->parameterBuffers.take(device));
    std::memcpy(parameters->hostPointer(), assembly.block.data(), assembly.block.size());
    assembly.use(*parameters, Access::Read);
    address = parameters->deviceAddress();
    dispatch.pushConstants = std::as_bytes(std::span(&address, 1));
  }
  if (interface.place == ParameterPlace::DescribedBuffer)
    dispatch.pushConstants = {};
  for (size_t slot = 0; slot < interface.bindings.size(); ++slot)
    if (interface.bindings[slot].source == BindingSource::Parameters)
      assembly.bindings[slot] = {parameters.get(), 0, parameters->bytes()};
    else if (interface.bindings[slot].source == BindingSource::Printf)
      assembly.bindings[slot] = {printed.get(), 0, printed->bytes()};

  dispatch.uses = assembly.uses.first(assembly.useCount);
  Ref<Queue> self(&queue); // callbacks may release it in the meantime
  PUMICE_RETURN_IF_ERROR(queue.dispatch(dispatch));
  if (!printed)
    return Status::ok();
  std::shared_ptr<const std::vector<PrintfFormat>> formats(contents, &plan->entry.printfs);
  return printWhenDone(queue, std::move(printed), std::move(formats), options.print);
}

Status Function::launch(Queue &queue, const LaunchOptions &options,
                        std::span<const Argument> arguments) {
  Device &device = kernel->device();
  PUMICE_RETURN_IF_ERROR(device.health());
  const EntryPoint &entry = plan->entry;
  if (&queue.device() != &device) [[unlikely]]
    return invalid(entry.name, ": the queue belongs to ", queue.device().info().id,
                   ", the kernel to ", device.info().id);
  if (arguments.size() != plan->arguments.size()) [[unlikely]]
    return invalid(entry.name, " takes ", counted(plan->arguments.size(), "argument"), "; ",
                   countedAre(arguments.size()), " given");

  if (plan->usual && !kernel->printfs()) [[likely]]
    return launchUsual(queue, options, arguments);
  return launchAny(queue, options, arguments);
}

/// Writes the arguments to the places from which the code reads them.
[[gnu::always_inline]] inline Status Function::place(std::span<const Argument> arguments,
                                                     Assembly &assembly) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentPlan &argument = plan->arguments[i];
    if (placeAddress(argument, arguments[i], assembly)) [[likely]]
      continue;
    std::span fields(plan->fields.data() + argument.firstField,
                     argument.lastField - argument.firstField);
    Status placed = argument.argument->kind == ArgumentKind::Scalar
                        ? placeScalar(argument, fields, arguments[i],
                                      plan->interface.indexBits == 32, assembly.block)
                        : placeBuffer(*plan, argument, arguments[i], assembly);
    if (!placed.isOk()) [[unlikely]]
      return atArgument(std::move(placed), plan->entry, i);
  }
  return Status::ok();
}

/// Launches the usual case: all sizes are known to fit, and the queue needs no checks except those
/// made here.
[[gnu::always_inline]] inline Status Function::launchUsual(Queue &queue,
                                                           const LaunchOptions &options,
                                                           std::span<const Argument> arguments) {
  alignas(8) std::byte block[usualParameterBytes];
  alignas(BufferUse) std::byte uses[usualArguments * sizeof(BufferUse)];
  // Makes the spans again. Reading a pair that was just written in two halves would take as long as
  // twenty instructions.
  std::span parameters(block, plan->interface.parameterBytes);
  auto *firstUse = reinterpret_cast<BufferUse *>(uses);
  Assembly assembly{kernel->device(), parameters, {}, {firstUse, usualArguments}};
  clear(parameters);
  PUMICE_RETURN_IF_ERROR(place(arguments, assembly));
  if (isEmpty(options.groups)) [[unlikely]]
    return Status::ok();
  Dispatch dispatch;
  dispatch.kernel = kernel.get();
  dispatch.groups = options.groups;
  dispatch.pushConstants = {block, plan->interface.parameterBytes};
  dispatch.uses = {firstUse, assembly.useCount};
  dispatch.touchesUnnamedMemory = plan->entry.touchesUnnamedMemory;
  dispatch.print = options.print;
  dispatch.memory = options.memory;
  return queue.runDispatch(dispatch);
}

[[gnu::noinline]] Status Function::launchAny(Queue &queue, const LaunchOptions &options,
                                             std::span<const Argument> arguments) {
  const Interface &interface = plan->interface;
  Scratch<std::byte, usualParameterBytes> block(interface.parameterBytes);
  Scratch<BufferRange, usualArguments + 2> bindings(interface.bindings.size());
  Scratch<BufferUse, usualArguments + 3> uses(arguments.size() + 3);
  Assembly assembly{kernel->device(), block.items(), bindings.items(), uses.items()};
  clear(assembly.block);
  for (BufferRange &range : assembly.bindings)
    range = {};
  PUMICE_RETURN_IF_ERROR(place(arguments, assembly));
  if (isEmpty(options.groups))
    return Status::ok();
  Dispatch dispatch;
  dispatch.kernel = kernel.get();
  dispatch.groups = options.groups;
  dispatch.pushConstants = assembly.block;
  dispatch.bindings = assembly.bindings;
  dispatch.uses = assembly.uses.first(assembly.useCount);
  dispatch.touchesUnnamedMemory = plan->entry.touchesUnnamedMemory;
  dispatch.memory = options.memory;
  if (plan->needsMore)
    return dispatchWithMore(queue, options, dispatch, assembly);
  return queue.dispatch(dispatch);
}

} // namespace pumice::hal
