//===- HostRuntime.cpp - functions that compiled host code calls ------------===//
#include "tools/run-host/HostRuntime.h"

#include "support/EnglishText.h"

#include <algorithm>
#include <cstring>
#include <deque>

using namespace pumice;
using namespace pumice::run;
using executable::Access;

/// More queues only cost time, since no device runs that many kernels at once.
static constexpr size_t maxStreams = 4;

static uint32_t bitOf(size_t stream) { return 1u << stream; }

static void *tokenOf(size_t stream) { return reinterpret_cast<void *>(stream + 1); }

Result<std::unique_ptr<HostRuntime>> HostRuntime::create(Ref<hal::Device> device,
                                                         const std::vector<host::Kernel> &kernels,
                                                         std::vector<host::Site> sites,
                                                         const HostOptions &options) {
  std::unique_ptr<HostRuntime> result(new HostRuntime);
  result->device = device;
  result->sites = std::move(sites);
  result->profiling = options.profiling;
  result->printBytes = options.printBytes;
  result->known = std::make_unique<HostMemory>(device, options.separateMemory);
  std::map<const executable::Executable *, Ref<hal::Executable>> loaded;
  for (const host::Kernel &kernel : kernels) {
    LaunchedKernel &made = result->kernels.emplace_back();
    made.symbol = kernel.symbol;
    made.entryPoint = kernel.entryPoint;
    if (kernel.executable) {
      Ref<hal::Executable> &one = loaded[kernel.executable.get()];
      if (!one) {
        Result<Ref<hal::Executable>> opened = hal::Executable::load(device, kernel.executable);
        if (!opened.isOk())
          return Status(opened.status()).at(kernel.origin);
        one = std::move(*opened);
      }
      made.executable = one;
      made.packaged = kernel.packaged();
      continue;
    }
    auto bare = BareKernel::create(device, kernel.spirv, kernel.reflection, kernel.entryPoint,
                                   kernel.symbol);
    if (!bare.isOk())
      return Status(bare.status()).at(kernel.origin + ": " + kernel.symbol);
    made.bare = std::move(*bare);
  }
  PUMICE_TRY(size_t first, result->makeStream());
  (void)first;
  return result;
}

//===-------------------------------------------------------------------------===//
// Streams
//===-------------------------------------------------------------------------===//

Result<size_t> HostRuntime::makeStream() {
  if (streams.size() == maxStreams) {
    nextStream = nextStream % (maxStreams - 1) + 1; // stream 0 is for blocking operations
    return nextStream;
  }
  Stream stream;
  PUMICE_TRY(stream.queue, device->createQueue({.profiling = profiling}));
  PUMICE_TRY(stream.timeline, device->createTimeline());
  streams.push_back(std::move(stream));
  return streams.size() - 1;
}

/// Makes later work of stream `later` run after the present work of stream `earlier`.
Status HostRuntime::order(size_t later, size_t earlier) {
  Stream &before = streams[earlier];
  if (later == earlier || !before.pending)
    return Status::ok();
  hal::TimePoint point{before.timeline.get(), ++before.value};
  PUMICE_RETURN_IF_ERROR(before.queue->signal(point));
  PUMICE_RETURN_IF_ERROR(before.queue->flush());
  streams[later].pending = true;
  streams[later].after |= bitOf(earlier);
  return streams[later].queue->wait(point);
}

/// Returns the stream of an operation, ordered after its dependencies.
Result<size_t> HostRuntime::begin(const host::Site &site, std::span<void *const> tokens) {
  size_t stream = 0;
  if (site.async && !tokens.empty())
    stream = reinterpret_cast<uintptr_t>(tokens.front()) - 1;
  else if (site.async) {
    PUMICE_TRY(stream, makeStream());
  }
  if (!site.async && tokens.empty())
    for (size_t other = 0; other < streams.size(); ++other)
      PUMICE_RETURN_IF_ERROR(order(stream, other));
  for (void *token : tokens)
    PUMICE_RETURN_IF_ERROR(order(stream, reinterpret_cast<uintptr_t>(token) - 1));
  return stream;
}

/// Makes work on `stream` use the region. A mirror has only one copy, so this work comes after the
/// work of other streams on it.
Status HostRuntime::touch(Region &region, bool writes, size_t stream) {
  if (!region.mirrored)
    return Status::ok();
  if (region.stream != stream || !(region.streams & bitOf(stream))) {
    for (size_t other = 0; other < streams.size(); ++other)
      if (region.streams & bitOf(other)) {
        PUMICE_RETURN_IF_ERROR(order(stream, other));
        if (!streams[other].pending)
          region.streams &= ~bitOf(other);
      }
    region.streams |= bitOf(stream);
    region.stream = stream;
  }
  streams[stream].pending = true;
  region.deviceNewer |= writes;
  return Status::ok();
}

/// Waits for the streams of `set`, for all streams that these wait for, and for those that use the
/// same mirrors. Their copies to the host are completed only here.
Status HostRuntime::finishStreams(uint32_t set) {
  std::vector<Region *> newer = known->newerOnDevice();
  for (uint32_t before = 0; before != set;) {
    before = set;
    for (size_t i = 0; i < streams.size(); ++i)
      if (set & bitOf(i))
        set |= streams[i].after;
    for (const Region *region : newer)
      if (region->streams & set)
        set |= region->streams;
  }
  std::erase_if(newer, [&](const Region *region) { return !(region->streams & set); });
  Status first;
  auto keep = [&](Status status) {
    if (!status.isOk() && first.isOk())
      first = std::move(status);
  };
  std::deque<std::vector<std::byte>> constants; // contents of the mirrors of constants
  for (Region *region : newer) {
    std::byte *to = region->begin;
    if (region->constant)
      to = constants.emplace_back(region->bytes).data();
    keep(streams[region->stream].queue->download({to, region->bytes},
                                                 region->rangeFrom(region->begin, region->bytes)));
    known->tally.fromMirrors.add(region->bytes);
  }
  for (size_t i = 0; i < streams.size(); ++i)
    if ((set & bitOf(i)) && streams[i].pending)
      keep(streams[i].queue->finish());
  PUMICE_RETURN_IF_ERROR(first);
  for (Region *region : newer) {
    if (region->constant) {
      if (std::memcmp(constants.front().data(), region->begin, region->bytes) != 0)
        return Status(StatusCode::InvalidArgument,
                      std::string("the kernel launched at ") + region->writtenAt +
                          " wrote to a constant of the program; remove 'constant' from its "
                          "memref.global, or launch the kernel with a copy");
      constants.pop_front();
    }
    region->deviceNewer = false;
    region->streams = 0;
  }
  for (size_t i = 0; i < streams.size(); ++i) {
    streams[i].after &= ~set;
    if (set & bitOf(i)) {
      streams[i].pending = false;
      streams[i].after = 0;
    }
  }
  std::erase_if(landings, [&](const Landing &landing) { return set & bitOf(landing.stream); });
  if (std::none_of(streams.begin(), streams.end(), [](const Stream &s) { return s.pending; })) {
    known->dropTemporaries();
    known->closeFreed();
  }
  return Status::ok();
}

Status HostRuntime::finish() {
  uint32_t pending = 0;
  for (size_t i = 0; i < streams.size(); ++i)
    if (streams[i].pending)
      pending |= bitOf(i);
  return pending ? finishStreams(pending) : Status::ok();
}

Status HostRuntime::settleLandings(const std::byte *begin, const std::byte *end) {
  uint32_t set = 0;
  for (const Landing &landing : landings)
    if (landing.begin < end && begin < landing.end)
      set |= bitOf(landing.stream);
  return set ? finishStreams(set) : Status::ok();
}

Status HostRuntime::settle(const std::byte *begin, uint64_t bytes) {
  PUMICE_RETURN_IF_ERROR(settleLandings(begin, begin + bytes));
  if (known->collides(begin, bytes)) {
    PUMICE_RETURN_IF_ERROR(finish());
    known->dropTemporaries();
  }
  return Status::ok();
}

Result<void *> HostRuntime::wait(const host::Site &site, std::span<void *const> tokens) {
  if (site.async) {
    PUMICE_TRY(size_t stream, begin(site, tokens));
    return tokenOf(stream);
  }
  if (tokens.empty())
    PUMICE_RETURN_IF_ERROR(finish());
  for (void *token : tokens)
    PUMICE_RETURN_IF_ERROR(finishStreams(bitOf(reinterpret_cast<uintptr_t>(token) - 1)));
  return nullptr;
}

Result<std::vector<QueueProfile>> HostRuntime::takeProfile() {
  std::vector<QueueProfile> all;
  for (size_t i = 0; i < streams.size(); ++i) {
    PUMICE_TRY(std::vector<hal::ProfileRecord> records, streams[i].queue->takeProfile());
    QueueProfile &queue = all.emplace_back();
    queue.name = i == 0 ? "queue 0: not async" : "queue " + std::to_string(i) + ": async";
    for (hal::ProfileRecord &record : records)
      queue.work.emplace_back(std::move(record));
  }
  return all;
}

//===-------------------------------------------------------------------------===//
// Operations
//===-------------------------------------------------------------------------===//

Result<void *> HostRuntime::perform(size_t number, void *const *operands, void *const *tokens,
                                    int64_t count) {
  const host::Site &site = sites[number];
  std::span given(tokens, static_cast<size_t>(count));
  auto located = [&](const Status &status) { return Status(status).at(site.location); };
  if (site.action == host::Action::Fail)
    return located(
        Status(StatusCode::InvalidArgument, "the assertion does not hold: " + site.message));
  if (site.action == host::Action::Wait) {
    Result<void *> token = wait(site, given);
    return token.isOk() ? token : located(token.status());
  }
  Result<size_t> stream = begin(site, given);
  if (!stream.isOk())
    return located(stream.status());
  Status done = act(site, operands, *stream);
  if (done.isOk() && !site.async)
    done = finishStreams(bitOf(*stream));
  if (done.isOk() && !site.async && given.empty())
    known->closeFreed(); // all other work is done
  if (!done.isOk())
    return located(done);
  return site.async ? tokenOf(*stream) : nullptr;
}

static std::string negativeSize(std::span<const int64_t> sizes) {
  auto negative = std::find_if(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; });
  return negative == sizes.end() ? ""
                                 : "the size along dimension " +
                                       std::to_string(negative - sizes.begin()) + " is negative";
}

Status run::checkFits(const Memref &memref) {
  if (std::string negative = negativeSize(memref.sizes); !negative.empty())
    return Status(StatusCode::InvalidArgument, "a memref of " + textOfSizes(memref.sizes) +
                                                   " elements: " + negative +
                                                   "; check how the program computes its sizes");
  if (memref.fits())
    return Status::ok();
  return Status(StatusCode::InvalidArgument,
                "a memref of " + textOfSizes(memref.sizes) + " elements of " +
                    counted(memref.elementBytes, "byte") + ", with strides " +
                    textOfSizes(memref.strides) + " and offset " + std::to_string(memref.offset) +
                    ", reaches further than any memory; check how the program computes them");
}

static Status checkSizes(std::span<const int64_t> sizes, const host::Operand &operand,
                         const char *operation) {
  if (canHave(sizes, static_cast<uint64_t>(operand.bytes)))
    return Status::ok();
  std::string negative = negativeSize(sizes);
  return Status(
      StatusCode::InvalidArgument,
      std::string(operation) + " of " + textOfSizes(sizes) + " elements of " +
          counted(operand.bytes, "byte") + ": " +
          (negative.empty() ? "these are 2^63 bytes or more, which no memory has" : negative) +
          "; check how the program computes its sizes");
}

Status HostRuntime::checkSizes(size_t number, const int64_t *sizes) const {
  const host::Site &site = sites[number];
  if (!sizes || site.operands.empty())
    return Status::ok();
  Status status = ::checkSizes({sizes, static_cast<size_t>(site.operands[0].rank)},
                               site.operands[0], "memref.alloc");
  return status.isOk() ? status : std::move(status).at(site.location);
}

Status HostRuntime::act(const host::Site &site, void *const *operands, size_t stream) {
  switch (site.action) {
  case host::Action::Launch:
    return launch(site, operands, stream);
  case host::Action::Copy:
    return copy(site, operands, stream);
  case host::Action::Fill:
    return fill(site, operands, stream);
  case host::Action::Alloc: {
    int64_t bytes;
    std::memcpy(&bytes, operands[0], sizeof bytes);
    std::vector<int64_t> sizes(static_cast<size_t>(site.operands[0].rank));
    for (size_t i = 0; i < sizes.size(); ++i)
      std::memcpy(&sizes[i], operands[2 + i], sizeof sizes[i]);
    PUMICE_RETURN_IF_ERROR(::checkSizes(sizes, site.operands[0], "gpu.alloc"));
    PUMICE_TRY(std::byte * pointer, known->allocate(static_cast<uint64_t>(bytes), site.hostShared,
                                                    site.location.c_str()));
    std::memcpy(operands[1], &pointer, sizeof pointer);
    return Status::ok();
  }
  case host::Action::Dealloc: {
    const host::Operand &operand = site.operands[0];
    auto bytes = static_cast<uint64_t>(operand.bytes);
    return known->deallocate(Memref::ranked(operands[0], operand.rank, bytes).aligned,
                             site.location.c_str());
  }
  case host::Action::Register:
  case host::Action::Unregister: {
    Memref memref = Memref::unranked(operands[0], static_cast<uint64_t>(site.operands[0].bytes));
    PUMICE_RETURN_IF_ERROR(checkFits(memref));
    Memref::Reach reach = memref.reach();
    if (site.action == host::Action::Register && !memref.isEmpty())
      PUMICE_RETURN_IF_ERROR(settle(memref));
    if (site.action == host::Action::Register)
      return known->registerHost(memref.aligned + reach.first,
                                 static_cast<uint64_t>(reach.end - reach.first));
    PUMICE_RETURN_IF_ERROR(finish()); // no work accesses it any more
    return reach.end == 0 ? Status::ok() : known->unregisterHost(memref.aligned + reach.first);
  }
  case host::Action::Fail:
  case host::Action::Wait:
  case host::Action::Place:
    break;
  }
  return Status(StatusCode::Internal, "no such operation");
}

//===-------------------------------------------------------------------------===//
// Launches
//===-------------------------------------------------------------------------===//

/// Finds regions for all arguments. If temporaries of earlier launches overlap, waits for the
/// device and removes them.
Status HostRuntime::findBuffers(std::vector<BufferArgument> &buffers) {
  for (const BufferArgument &buffer : buffers) {
    if (buffer.bytes == 0)
      continue;
    const std::byte *begin = buffer.begin, *end = begin + buffer.bytes;
    // A mirror is filled, and read back, as a whole.
    if (const Region *region = known->find(begin);
        region && (!region->buffer || region->mirrored)) {
      begin = region->begin;
      end = std::max<const std::byte *>(end, region->end());
    }
    PUMICE_RETURN_IF_ERROR(settleLandings(begin, end));
  }
  // Overlapping arguments in unknown memory share one region.
  std::vector<std::pair<std::byte *, std::byte *>> unknown;
  for (const BufferArgument &buffer : buffers)
    if (buffer.bytes != 0) {
      Region *region = known->find(buffer.begin);
      if (!region || region->temporary)
        unknown.emplace_back(buffer.begin, buffer.begin + buffer.bytes);
    }
  std::sort(unknown.begin(), unknown.end());
  std::vector<std::pair<std::byte *, std::byte *>> merged;
  for (auto &[begin, end] : unknown)
    if (!merged.empty() && begin < merged.back().second)
      merged.back().second = std::max(merged.back().second, end);
    else
      merged.emplace_back(begin, end);
  auto size = [](const auto &range) { return static_cast<uint64_t>(range.second - range.first); };
  if (std::any_of(merged.begin(), merged.end(),
                  [&](const auto &range) { return known->collides(range.first, size(range)); })) {
    PUMICE_RETURN_IF_ERROR(finish());
    known->dropTemporaries();
  }
  for (const auto &range : merged) {
    Result<Region *> region = known->use(range.first, size(range));
    if (!region.isOk())
      return region.status();
  }
  for (BufferArgument &buffer : buffers) {
    if (buffer.bytes == 0)
      continue;
    Result<Region *> region = known->use(buffer.begin, buffer.bytes);
    if (!region.isOk())
      return Status(region.status()).at("argument " + std::to_string(buffer.index));
    buffer.region = *region;
  }
  return Status::ok();
}

/// Prepares an argument. A mirror must have the host's contents, unless the device wrote it last.
Status HostRuntime::prepare(const host::Site &site, BufferArgument &buffer, Access access,
                            size_t stream) {
  Region *region = buffer.region;
  if (!region || !region->mirrored)
    return Status::ok();
  PUMICE_RETURN_IF_ERROR(touch(*region, /*writes=*/false, stream));
  if (!region->deviceNewer) {
    // Uploads all of it, even for kernels that write only parts, since it is read back as a whole.
    PUMICE_RETURN_IF_ERROR(streams[stream].queue->upload(
        region->rangeFrom(region->begin, region->bytes), {region->begin, region->bytes}));
    known->tally.toMirrors.add(region->bytes);
  }
  if (executable::writes(access))
    region->writtenAt = site.location.c_str();
  return touch(*region, executable::writes(access), stream);
}

static int64_t wordAt(void *const *operands, size_t index) {
  int64_t value;
  std::memcpy(&value, operands[index], sizeof value);
  return value;
}

static Status readSizes(void *const *operands, size_t first, const char *what, int64_t least,
                        std::array<uint32_t, 3> &sizes) {
  for (size_t d = 0; d < 3; ++d) {
    int64_t value = wordAt(operands, first + d);
    if (value < least || value > UINT32_MAX)
      return Status(StatusCode::InvalidArgument,
                    std::string(what) + " along " + "xyz"[d] + " is " + std::to_string(value) +
                        "; sizes are between " + std::to_string(least) + " and 4294967295" +
                        (least && value == 0 ? ", and a grid of 0 workgroups runs nothing" : ""));
    sizes[d] = static_cast<uint32_t>(value);
  }
  return Status::ok();
}

Status HostRuntime::launch(const host::Site &site, void *const *operands, size_t stream) {
  LaunchedKernel &kernel = kernels[static_cast<size_t>(site.kernel)];
  void *const *arguments = operands + host::launchOperands;
  std::vector<BufferArgument> buffers;
  for (size_t i = 0; i < site.operands.size(); ++i) {
    const host::Operand &operand = site.operands[i];
    if (operand.rank < 0)
      continue;
    BufferArgument buffer;
    buffer.index = i;
    buffer.memref =
        Memref::ranked(arguments[i], operand.rank, static_cast<uint64_t>(operand.bytes));
    if (Status fits = checkFits(buffer.memref); !fits.isOk())
      return std::move(fits).at("argument " + std::to_string(i));
    Memref::Reach reach = buffer.memref.reach();
    // The kernel's data starts at the aligned pointer, even if it reads only from a later address.
    int64_t first = std::min<int64_t>(reach.first, 0);
    if (reach.end > first && !buffer.memref.isEmpty()) {
      buffer.begin = buffer.memref.aligned + first;
      buffer.bytes = static_cast<uint64_t>(reach.end - first);
    }
    buffers.push_back(buffer);
  }
  PUMICE_RETURN_IF_ERROR(findBuffers(buffers));
  streams[stream].pending = true;
  counted.launches.add(0);
  return kernel.bare ? launchBare(site, kernel, operands, buffers, stream)
                     : launchPackaged(site, kernel, operands, buffers, stream);
}

Status HostRuntime::launchPackaged(const host::Site &site, LaunchedKernel &kernel,
                                   void *const *operands, std::vector<BufferArgument> &buffers,
                                   size_t stream) {
  hal::LaunchOptions options;
  options.printBytes = printBytes;
  hal::FunctionOptions function{.label = kernel.symbol};
  std::array<uint32_t, 3> threads{};
  PUMICE_RETURN_IF_ERROR(readSizes(operands, 0, "the grid", 0, options.groups));
  PUMICE_RETURN_IF_ERROR(readSizes(operands, 3, "the workgroup", 1, threads));
  const executable::EntryPoint &entry = *kernel.packaged;
  for (size_t d = 0; d < 3; ++d) {
    if (entry.workgroupSize[d] == 0)
      function.workgroupSize[d] = threads[d];
    else if (entry.workgroupSize[d] != threads[d])
      return Status(StatusCode::InvalidArgument,
                    kernel.symbol + ": expected workgroups of " +
                        std::to_string(entry.workgroupSize[d]) + " threads along " + "xyz"[d] +
                        ", as compiled, got " + std::to_string(threads[d]) + "; change the launch");
  }
  int64_t dynamic = wordAt(operands, 6);
  if (dynamic != 0 && entry.dynamicWorkgroupMemory) {
    if (dynamic < 0 || dynamic > UINT32_MAX)
      return Status(StatusCode::InvalidArgument,
                    "dynamic_shared_memory_size is " + std::to_string(dynamic));
    function.dynamicMemoryBytes = static_cast<uint32_t>(dynamic);
  }
  Result<Ref<hal::Function>> found = kernel.executable->function(kernel.entryPoint, function);
  if (!found.isOk())
    return Status(found.status()).at(kernel.symbol);
  std::vector<hal::Argument> arguments(site.operands.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (site.operands[i].rank < 0)
      arguments[i] = hal::Argument::scalar(operands[host::launchOperands + i],
                                           static_cast<size_t>(site.operands[i].bytes));
  for (BufferArgument &buffer : buffers) {
    hal::Argument &argument = arguments[buffer.index];
    const Memref &memref = buffer.memref;
    argument.shape = memref.sizes.data();
    argument.strides = memref.strides.data();
    argument.rank = static_cast<uint32_t>(memref.sizes.size());
    argument.offset = memref.offset;
    if (!buffer.region) {
      if (!nothing) {
        PUMICE_TRY(nothing, device->allocate(64));
      }
      argument.range = {nothing.get(), 0, nothing->bytes()};
      continue;
    }
    Access access = buffer.index < entry.arguments.size() ? entry.arguments[buffer.index].access
                                                          : Access::ReadWrite;
    PUMICE_RETURN_IF_ERROR(prepare(site, buffer, access, stream));
    argument.range = buffer.region->rangeFrom(
        memref.aligned, static_cast<uint64_t>(buffer.begin + buffer.bytes - memref.aligned));
  }
  return (*found)->launch(*streams[stream].queue, options, arguments);
}

Status HostRuntime::launchBare(const host::Site &site, LaunchedKernel &kernel,
                               void *const *operands, std::vector<BufferArgument> &buffers,
                               size_t stream) {
  std::array<uint32_t, 3> groups{}, threads{};
  PUMICE_RETURN_IF_ERROR(readSizes(operands, 0, "the grid", 0, groups));
  PUMICE_RETURN_IF_ERROR(readSizes(operands, 3, "the workgroup", 1, threads));
  std::vector<BareKernel::Argument> arguments(site.operands.size());
  for (size_t i = 0; i < arguments.size(); ++i)
    if (site.operands[i].rank < 0)
      arguments[i].scalar = {static_cast<const std::byte *>(operands[host::launchOperands + i]),
                             static_cast<size_t>(site.operands[i].bytes)};
  for (size_t i = 0; i < arguments.size(); ++i)
    arguments[i].type = site.operands[i].type;
  for (BufferArgument &buffer : buffers) {
    if (!buffer.region)
      return Status(StatusCode::InvalidArgument, kernel.symbol + ": argument " +
                                                     std::to_string(buffer.index) +
                                                     " is a memref without elements");
    PUMICE_RETURN_IF_ERROR(prepare(site, buffer, Access::ReadWrite, stream));
    // A bare module takes no offsets: its block begins with the memref's first element.
    std::byte *first = buffer.memref.aligned +
                       buffer.memref.offset * static_cast<int64_t>(buffer.memref.elementBytes);
    arguments[buffer.index].range =
        buffer.region->rangeFrom(first, static_cast<uint64_t>(buffer.begin + buffer.bytes - first));
  }
  return Status(
      kernel.bare->launch(*streams[stream].queue, groups, threads, arguments, printBytes));
}
