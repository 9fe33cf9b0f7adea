//===- Execute.cpp - runs a resolved launch on one device -------------------===//
#include "tools/run/Execute.h"

#include "runtime/hal/Executable.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace pumice::run {
namespace {

Status at(const Place &place, const Status &status) {
  return status.isOk() ? Status::ok() : place.error(status.message(), status.code());
}

/// An option that a device may reject, with its key in the launch file and its default.
template <typename Options> struct Wish {
  const char *key;
  void (*drop)(Options &);
};
constexpr Wish<hal::KernelSource> kernelWishes[] = {
    {"subgroup_size", [](hal::KernelSource &source) { source.requiredSubgroupSize = 0; }},
    {"full_subgroups", [](hal::KernelSource &source) { source.fullSubgroups = false; }},
    {"robust", [](hal::KernelSource &source) { source.robustAccess = false; }},
    {"specialization", [](hal::KernelSource &source) { source.constants.clear(); }},
    {"workgroup_size",
     [](hal::KernelSource &source) {
       source.workgroupSize = {1, 1, 1};
       source.constants.clear(); // constants may set the size, too
     }},
};
constexpr Wish<hal::FunctionOptions> functionWishes[] = {
    {"robust", [](hal::FunctionOptions &options) { options.robustAccess = false; }},
    {"specialization", [](hal::FunctionOptions &options) { options.constants.clear(); }},
    {"dynamic_memory_bytes", [](hal::FunctionOptions &options) { options.dynamicMemoryBytes = 0; }},
    {"workgroup_size", [](hal::FunctionOptions &options) { options.workgroupSize = {0, 0, 0}; }},
    {"workgroup_size", [](hal::FunctionOptions &options) { options.workgroupSize = {1, 1, 1}; }},
};

/// Reports why the device rejected `wanted`. The error is at the option without which the device
/// would have accepted it, or else at the code. This includes a size that the launch file does not
/// give.
template <typename Options, typename Make>
Status refused(std::span<const Wish<Options>> wishes, const Options &wanted,
               const DispatchSpec &spec, const Make &make, const Status &status) {
  for (const Wish<Options> &wish : wishes) {
    bool isSize = wish.key == std::string_view("workgroup_size");
    if (!isSize && !spec.place.members.contains(wish.key))
      continue;
    Options without = wanted;
    wish.drop(without);
    if (make(without).isOk())
      return at(spec.place.of(wish.key), status);
  }
  return spec.codeError(status.message(), status.code());
}

/// One dispatch, with the data that its repetitions share.
struct Prepared {
  const ResolvedDispatch *resolved = nullptr;
  Ref<hal::Kernel> kernel;
  std::vector<std::byte> pushConstants;
  std::vector<hal::BufferRange> bindings;
  std::vector<hal::BufferUse> uses;
  Ref<hal::Function> function;
  std::vector<hal::Argument> arguments;
};

class Run {
public:
  Run(const ResolvedLaunch &launch, Ref<hal::Device> device) : launch(launch), device(device) {}
  /// Memory that work in flight writes must live until the work is done, however `run` ends.
  ~Run() {
    if (queue)
      ended = queue->finish();
    queue = nullptr; // ends work that is left after a failure
  }
  Result<ExecuteResult> run(const ExecuteOptions &options);

private:
  Status makeBuffers();
  Result<uint64_t> addressOf(size_t buffer, uint64_t offset, const Place &place) const;
  Status prepare(const ResolvedDispatch &resolved);
  Status prepareModule(Prepared &prepared);
  Status prepareExecutable(Prepared &prepared);
  Place placeOfRefusal(const ResolvedDispatch &resolved, const Status &refused) const;
  Status recordAll(const hal::PrintSink &print, uint32_t printBytes);
  std::vector<Measured> withWork(std::vector<hal::ProfileRecord> records) const;

  const ResolvedLaunch &launch;
  Ref<hal::Device> device;
  Ref<hal::Queue> queue;
  std::vector<Ref<hal::Buffer>> buffers; // one for each buffer of the launch
  std::vector<Prepared> dispatches;
  // By file and target, since several dispatches may share an executable.
  std::map<std::pair<std::string, std::string>, Ref<hal::Executable>> executables;
  std::map<const Code *, Ref<hal::ProgramScope>> programs; // by module
  ExecuteResult result;
  Status ended;
  hal::PrintSink print = [this](std::string_view text) { result.printed += text; };
  hal::PrintSink ignore = [](std::string_view) {};
};

Result<uint64_t> Run::addressOf(size_t buffer, uint64_t offset, const Place &place) const {
  uint64_t address = buffers[buffer]->deviceAddress();
  if (address == 0)
    return place.error("device " + device->info().id +
                           " gives buffers no addresses: it lacks bufferDeviceAddress",
                       StatusCode::Unsupported);
  return address + offset;
}

Status Run::makeBuffers() {
  const std::vector<BufferSpec> &specs = launch.spec->buffers;
  for (const BufferSpec &spec : specs) {
    auto kind = spec.hostMemory ? hal::MemoryKind::Host : hal::MemoryKind::Device;
    Result<Ref<hal::Buffer>> made = device->allocate(spec.initial.size(), kind);
    if (!made.isOk())
      return at(spec.place, made.status());
    buffers.push_back(*made);
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    std::vector<uint8_t> initial = specs[i].initial;
    for (const AddressPatch &patch : specs[i].addresses) {
      PUMICE_TRY(size_t target, findBuffer(*launch.spec, patch.buffer, patch.place));
      PUMICE_TRY(uint64_t address, addressOf(target, patch.offset, patch.place));
      std::memcpy(initial.data() + patch.at, &address, sizeof address);
    }
    Status uploaded = queue->upload({buffers[i].get()}, std::as_bytes(std::span(initial)));
    PUMICE_RETURN_IF_ERROR(at(specs[i].place, uploaded));
  }
  return Status::ok();
}

/// Returns where a module's launch finds the addresses of its buffers. Errors use the buffers'
/// names.
static std::vector<hal::PointerArgument> pointersOf(const ResolvedDispatch &resolved,
                                                    const std::vector<BufferSpec> &buffers) {
  std::vector<hal::PointerArgument> pointers;
  auto add = [&](size_t buffer, uint32_t place, bool isSlot) {
    pointers.push_back({.name = buffers[buffer].name,
                        .number = static_cast<uint32_t>(pointers.size()),
                        .place = place,
                        .isSlot = isSlot});
  };
  for (uint32_t slot = 0; slot < resolved.bindings.size(); ++slot)
    add(resolved.bindings[slot].buffer, slot, true);
  for (const ResolvedAddress &address : resolved.addresses)
    add(address.buffer, address.at, false);
  return pointers;
}

Status Run::prepareModule(Prepared &prepared) {
  const ResolvedDispatch &resolved = *prepared.resolved;
  const DispatchSpec &spec = *resolved.spec;
  hal::KernelSource source;
  if (resolved.code->module.openCl)
    source.kind = executable::VariantKind::OpenclSpirv;
  source.code = resolved.code->bytes;
  source.symbol = resolved.symbol;
  source.label = resolved.label;
  source.pushConstantBytes = uint32_t(resolved.pushConstants.size());
  source.bindings = resolved.slots;
  source.pointers = pointersOf(resolved, launch.spec->buffers);
  source.constants = resolved.constants;
  source.requiredSubgroupSize = spec.subgroupSize;
  source.fullSubgroups = spec.fullSubgroups;
  source.robustAccess = spec.robust;
  source.workgroupSize = resolved.workgroupSize;
  source.dynamicMemoryBytes = resolved.dynamicMemoryBytes;
  Ref<hal::ProgramScope> &program = programs[resolved.code.get()];
  if (!program)
    program = makeRef<hal::ProgramScope>();
  source.program = program;
  auto make = [&](const hal::KernelSource &wanted) { return device->createKernel(wanted); };
  Result<Ref<hal::Kernel>> kernel = make(source);
  if (!kernel.isOk())
    return refused<hal::KernelSource>(kernelWishes, source, spec, make, kernel.status());
  prepared.kernel = *kernel;
  prepared.pushConstants = resolved.pushConstants;
  for (const ResolvedAddress &wanted : resolved.addresses) {
    const Place &place = spec.place.of(spec.hasArguments ? "arguments" : "push_constants");
    PUMICE_TRY(uint64_t address, addressOf(wanted.buffer, wanted.offset, place));
    std::memcpy(prepared.pushConstants.data() + wanted.at, &address, sizeof address);
  }
  for (const ResolvedBinding &binding : resolved.bindings)
    prepared.bindings.push_back({buffers[binding.buffer].get(), binding.offset, binding.bytes});
  for (const auto &[buffer, access] : resolved.uses)
    prepared.uses.push_back({buffers[buffer].get(), access});
  return Status::ok();
}

/// Returns the executable with only the variants for `target`, or all if it is empty.
Result<std::shared_ptr<const executable::Executable>>
forTarget(const std::shared_ptr<const executable::Executable> &contents, const DispatchSpec &spec) {
  if (spec.target.empty())
    return contents;
  auto chosen = std::make_shared<executable::Executable>(*contents);
  std::vector<std::string_view> names;
  for (const executable::Variant &variant : contents->variants)
    names.push_back(variant.target);
  std::erase_if(chosen->variants, [&](const auto &v) { return v.target != spec.target; });
  if (chosen->variants.empty())
    return spec.place.of("target").error("'" + spec.file + "' has no variant for the target " +
                                             json::quote(spec.target) + "; it has variants for " +
                                             join(names),
                                         StatusCode::NotFound);
  return std::shared_ptr<const executable::Executable>(std::move(chosen));
}

Status Run::prepareExecutable(Prepared &prepared) {
  const ResolvedDispatch &resolved = *prepared.resolved;
  const DispatchSpec &spec = *resolved.spec;
  Ref<hal::Executable> &executable = executables[{spec.file, spec.target}];
  if (!executable) {
    PUMICE_TRY(auto contents, forTarget(resolved.code->executable, spec));
    Result<Ref<hal::Executable>> loaded = hal::Executable::load(device, std::move(contents));
    if (!loaded.isOk())
      return spec.codeError(loaded.status().message(), loaded.status().code());
    executable = *loaded;
  }
  hal::FunctionOptions options;
  options.label = resolved.label;
  options.workgroupSize = resolved.workgroupSize;
  // The memory that arguments point to is counted by them.
  options.dynamicMemoryBytes = resolved.dynamicMemoryBytes + spec.dynamicMemoryBytes;
  options.robustAccess = spec.robust;
  options.constants = resolved.constants;
  auto make = [&](const hal::FunctionOptions &wanted) {
    return executable->function(resolved.entry, wanted);
  };
  Result<Ref<hal::Function>> function = make(options);
  if (!function.isOk())
    return refused<hal::FunctionOptions>(functionWishes, options, spec, make, function.status());
  prepared.function = *function;
  for (const ResolvedArgument &argument : resolved.arguments) {
    if (!argument.buffer) {
      prepared.arguments.push_back(
          hal::Argument::scalar(argument.scalar.data(), argument.scalar.size()));
      continue;
    }
    hal::Argument passed = hal::Argument::buffer(buffers[*argument.buffer].get());
    const std::vector<int64_t> &own = argument.spec->shape;
    const std::vector<int64_t> &shape =
        own.empty() ? launch.spec->buffers[*argument.buffer].shape : own;
    size_t index = prepared.arguments.size();
    // A buffer's own shape counts only if it has the expected rank, and if its elements have the
    // size of those in the code. Bytes in the code may be numbers in the launch file.
    const executable::Argument &wanted = prepared.function->entryPoint().arguments[index];
    bool sameElements = byteSize(launch.spec->buffers[*argument.buffer].type) ==
                        wanted.elementBytes * wanted.vectorWidth;
    bool fits = !own.empty() ||
                (shape.size() == wanted.shape.size() && (shape.size() != 1 || sameElements));
    passed.shape = fits ? shape.data() : nullptr;
    passed.strides = argument.spec->strides.empty() ? nullptr : argument.spec->strides.data();
    passed.rank = uint32_t(fits ? shape.size() : argument.spec->strides.size());
    passed.offset = argument.offset;
    prepared.arguments.push_back(passed);
  }
  return Status::ok();
}

Status Run::prepare(const ResolvedDispatch &resolved) {
  Prepared &prepared = dispatches.emplace_back();
  prepared.resolved = &resolved;
  return resolved.code->executable ? prepareExecutable(prepared) : prepareModule(prepared);
}

/// Returns the place for an error of a dispatch. This is a binding whose offset the device cannot
/// take, or the argument that the error begins with.
Place Run::placeOfRefusal(const ResolvedDispatch &resolved, const Status &refused) const {
  for (size_t i = 0; i < resolved.arguments.size(); ++i) {
    std::string start = resolved.entry + ": argument " + std::to_string(i);
    std::string_view said = refused.message();
    if (said.starts_with(start + ":") || said.starts_with(start + " "))
      return resolved.arguments[i].spec->place;
  }
  const hal::DeviceLimits &limits = device->info().limits;
  for (size_t i = 0; i < resolved.bindings.size(); ++i) {
    const ResolvedBinding &binding = resolved.bindings[i];
    if (binding.offset %
        (resolved.slots[i].uniform ? limits.uniformAlignment : limits.bindingAlignment))
      return binding.place->of("offset");
  }
  return resolved.spec->place;
}

Status Run::recordAll(const hal::PrintSink &print, uint32_t printBytes) {
  for (const Prepared &prepared : dispatches) {
    const ResolvedDispatch &resolved = *prepared.resolved;
    Status recorded;
    if (prepared.function) {
      hal::LaunchOptions options;
      options.groups = resolved.groups;
      options.print = &print;
      options.printBytes = printBytes;
      recorded = prepared.function->launch(*queue, options, prepared.arguments);
    } else {
      hal::Dispatch dispatch;
      dispatch.kernel = prepared.kernel.get();
      dispatch.groups = resolved.groups;
      dispatch.dimensions = resolved.spec->dimensions;
      dispatch.globalOffset = resolved.spec->globalOffset;
      dispatch.pushConstants = prepared.pushConstants;
      dispatch.bindings = prepared.bindings;
      dispatch.uses = prepared.uses;
      dispatch.print = &print;
      dispatch.printBytes = printBytes;
      recorded = queue->dispatch(dispatch);
    }
    if (!recorded.isOk())
      return at(placeOfRefusal(resolved, recorded), recorded);
  }
  return Status::ok();
}

/// Adds to each record what the launch file says about its dispatch. Dispatches are measured in the
/// order in which they were recorded, repeatedly. Those without workgroups are not measured.
std::vector<Measured> Run::withWork(std::vector<hal::ProfileRecord> records) const {
  std::vector<Measured> all;
  size_t next = 0;
  for (hal::ProfileRecord &record : records) {
    Measured &measured = all.emplace_back(std::move(record));
    if (measured.kind != hal::ProfileRecord::Kind::Dispatch)
      continue;
    auto runs = [&](const ResolvedDispatch &resolved) {
      return resolved.label == measured.label && std::ranges::count(resolved.groups, 0u) == 0;
    };
    for (size_t tried = 0; tried < launch.dispatches.size(); ++tried) {
      const ResolvedDispatch &resolved = launch.dispatches[next];
      next = (next + 1) % launch.dispatches.size();
      if (!runs(resolved))
        continue;
      measured.bytes = uint64_t(resolved.spec->workBytes);
      measured.operations = resolved.spec->workOperations;
      break;
    }
  }
  return all;
}

Result<ExecuteResult> Run::run(const ExecuteOptions &options) {
  hal::QueueOptions queueOptions;
  queueOptions.profiling = options.profile;
  PUMICE_TRY(queue, device->createQueue(queueOptions));
  PUMICE_RETURN_IF_ERROR(makeBuffers());
  for (const ResolvedDispatch &resolved : launch.dispatches)
    PUMICE_RETURN_IF_ERROR(prepare(resolved));

  PUMICE_RETURN_IF_ERROR(recordAll(print, options.printBytes));
  result.contents.reserve(buffers.size());
  for (const Ref<hal::Buffer> &buffer : buffers) {
    std::vector<uint8_t> &bytes = result.contents.emplace_back(buffer->bytes());
    PUMICE_RETURN_IF_ERROR(
        queue->download(std::as_writable_bytes(std::span(bytes)), {buffer.get()}));
  }
  PUMICE_RETURN_IF_ERROR(queue->finish());

  if (options.repeat > 1) {
    auto begin = std::chrono::steady_clock::now();
    for (uint32_t i = 1; i < options.repeat; ++i)
      PUMICE_RETURN_IF_ERROR(recordAll(ignore, options.printBytes));
    PUMICE_RETURN_IF_ERROR(queue->finish());
    std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    result.secondsEach = taken.count() / (options.repeat - 1);
  }
  if (options.profile) {
    PUMICE_TRY(std::vector<hal::ProfileRecord> records, queue->takeProfile());
    result.profile = withWork(std::move(records));
  }
  return std::move(result);
}
} // namespace

Result<ExecuteResult> execute(const ResolvedLaunch &launch, Ref<hal::Device> device,
                              const ExecuteOptions &options) {
  return Run(launch, std::move(device)).run(options);
}

} // namespace pumice::run
