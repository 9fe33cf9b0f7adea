//===- Launch.cpp - runs one grid -------------------------------------------===//
#include "runtime/drivers/cpu/Launch.h"

#include "runtime/drivers/cpu/ArgumentMap.h"
#include "runtime/drivers/cpu/Device.h"
#include "runtime/drivers/cpu/ThreadState.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace pumice::cpu_driver {
namespace {

using Clock = std::chrono::steady_clock;

/// The shortest launch, in nanoseconds, that several threads share. For shorter ones, waking a
/// worker takes longer than the work that it could take over.
constexpr double worthSharing = 8000;
/// The least duration of a chunk, in nanoseconds. Each chunk costs about 50 ns for the shared
/// counter.
constexpr double worthFetching = 1500;
/// The estimate for a workgroup if nothing is known, in nanoseconds.
constexpr double guessedGroup = 500;
/// The number of workgroups between two checks for cancellation. Code without loops does not check
/// itself.
constexpr uint64_t groupsOfPiece = 1024;
/// The share of launches on one thread that are measured: one in this many.
constexpr uint32_t measureOneIn = 16;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

class Grid final : public WorkerPool::Job {
public:
  Grid(CpuDevice &device, const Launching &launching)
      : kernel(*launching.kernel), launch(launching.launch),
        launched{kernel, launch, launching.memory, device.memory} {
    slack.setAsk([this] { return rangesNearby(); });
  }

  void run(uint64_t begin, uint64_t end) override {
    ThreadMemory memory = threadMemory(kernel.workgroupMemoryBytes(), kernel.info().scratchBytes);
    if (!memory.workgroup || !memory.scratch) [[unlikely]]
      noMemory.store(true, std::memory_order_relaxed);
    else if (!runPieces(memory, begin, end)) [[unlikely]]
      cancelled.store(true, std::memory_order_relaxed);
  }

  bool failed() const {
    return noMemory.load(std::memory_order_relaxed) || cancelled.load(std::memory_order_relaxed) ||
           faulted.load(std::memory_order_relaxed);
  }
  Status status(const CpuDevice &device) const;

private:
  /// Returns false if the launch was cancelled before all workgroups had run.
  bool runPieces(ThreadMemory memory, uint64_t begin, uint64_t end) {
    uint64_t piece = launch.cancel ? groupsOfPiece : end - begin;
    for (uint64_t stop = begin; begin < end; begin = stop) {
      stop = std::min(end - begin, piece) + begin;
      if (isToEnd())
        return false;
      Fault fault;
      switch (runGuarded(kernel.info().run, launch, memory.workgroup, memory.scratch, begin, stop,
                         slack, fault)) {
      case NativeOutcome::Done:
        break;
      case NativeOutcome::Cancelled:
        if (fault.instruction)
          keepPlace(fault, memory.scratch, false);
        return false;
      case NativeOutcome::Faulted:
        keepPlace(fault, memory.scratch, true);
        return true;
      }
    }
    return true;
  }
  [[gnu::cold]] std::vector<Slack::Range> rangesNearby() {
    std::lock_guard lock(mutex);
    arguments = findArguments(launched);
    std::vector<Slack::Range> ranges;
    for (const ArgumentRange &range : arguments)
      ranges.push_back({range.begin, range.end});
    return ranges;
  }
  /// Keeps the place that the error of the launch reports. It is that of the first fault, or else
  /// the first place at which the launch was cancelled.
  [[gnu::cold]] void keepPlace(const Fault &fault, const void *scratch, bool isFault) {
    std::lock_guard lock(mutex);
    if (faulted.load(std::memory_order_relaxed) || (!isFault && first.instruction))
      return;
    first = fault;
    const executable::NativeKernelInfo &info = kernel.info();
    if (info.version >= executable::nativeCodeWithGroupPlace &&
        info.groupPlace != executable::noGroupPlace)
      std::memcpy(&group, static_cast<const std::byte *>(scratch) + info.groupPlace, sizeof group);
    if (isFault)
      faulted.store(true, std::memory_order_relaxed);
  }
  bool isToEnd() const {
    return launch.cancel &&
           std::atomic_ref(const_cast<uint32_t &>(*launch.cancel)).load(std::memory_order_relaxed);
  }

  const CpuKernel &kernel;
  const executable::NativeLaunch &launch;
  LaunchedArguments launched;
  std::atomic<bool> noMemory = false, cancelled = false, faulted = false;
  Slack slack;
  std::mutex mutex;                          // guards the members below
  Fault first;                               // the first fault, or the place of the cancellation
  uint64_t group = executable::noGroupPlace; // the workgroup of that fault or cancellation
  std::vector<ArgumentRange> arguments;
};

Status Grid::status(const CpuDevice &device) const {
  if (faulted.load(std::memory_order_relaxed))
    return describeFault(kernel, launch, first, group,
                         arguments.empty() ? findArguments(launched) : arguments);
  std::string name = "kernel '" + kernel.label() + "'";
  if (noMemory.load(std::memory_order_relaxed))
    return Status(StatusCode::ResourceExhausted,
                  name + ": there is not enough memory for its workgroups; each thread needs " +
                      std::to_string(kernel.workgroupMemoryBytes()) +
                      " bytes of workgroup memory and " +
                      std::to_string(kernel.info().scratchBytes) + " bytes of scratch memory");
  return Status(StatusCode::DeadlineExceeded,
                describePlace(kernel, launch, first.instruction, group) + "it ran longer than " +
                    std::to_string(device.watchdog.limit().count()) +
                    " ms and was ended; what it wrote is undefined (PUMICE_CPU_TIMEOUT_MS, or the "
                    "device's option timeout_ms, sets the limit)");
}

/// Returns the size of a chunk. A chunk takes long enough to justify handing it out, but is small
/// enough for all threads to end at about the same time.
uint64_t chunkOf(const WorkerPool &pool, double each, uint64_t count) {
  auto least = static_cast<uint64_t>(std::min(worthFetching / std::max(each, 0.01), 1e12)) + 1;
  uint64_t threads = pool.threads();
  // With larger chunks, some threads would get no work.
  uint64_t even = (count + threads - 1) / threads;
  return std::max<uint64_t>(std::min(std::max(least, count / (threads * 16)), even), 1);
}

double threadsFor(const WorkerPool &pool, uint64_t count, uint64_t chunk) {
  return static_cast<double>(std::min<uint64_t>(pool.threads(), (count + chunk - 1) / chunk));
}

/// Runs the grid on several threads.
void share(WorkerPool &pool, Grid &grid, const CpuKernel &kernel, uint64_t first, uint64_t count) {
  struct Shifted final : WorkerPool::Job {
    Grid &grid;
    uint64_t first;
    Shifted(Grid &grid, uint64_t first) : grid(grid), first(first) {}
    void run(uint64_t begin, uint64_t end) override {
      if (!grid.failed())
        grid.run(first + begin, first + end);
    }
  } shifted(grid, first);
  uint64_t chunk = chunkOf(pool, kernel.groupNanoseconds(), count);
  auto begin = Clock::now();
  pool.run(shifted, count, chunk);
  kernel.measured(since(begin) * threadsFor(pool, count, chunk), count);
}

bool measureThisOne() {
  static thread_local uint32_t launches = 0;
  return launches++ % measureOneIn == 0;
}

/// Runs the grid on this thread. Some runs are measured, which costs as much as a small launch.
void runAlone(Grid &grid, const CpuKernel &kernel, uint64_t groups) {
  if (kernel.groupNanoseconds() != 0 && !measureThisOne())
    return grid.run(0, groups);
  auto begin = Clock::now();
  grid.run(0, groups);
  kernel.measured(since(begin), groups);
}

void runOnSeveral(WorkerPool &pool, Grid &grid, const CpuKernel &kernel, uint64_t groups) {
  uint64_t first = 0;
  double known = kernel.groupNanoseconds() * static_cast<double>(groups);
  if (known <= worthSharing) {
    // The launch is expected to be small, or its duration is unknown. With other arguments, a
    // workgroup may take longer. So the first few workgroups are measured before one thread gets
    // all of them.
    first = known == 0 ? 1 : std::max<uint64_t>(groups / 8, 1);
    auto begin = Clock::now();
    grid.run(0, first);
    double spent = since(begin);
    kernel.measured(spent, first);
    double left = spent / static_cast<double>(first) * static_cast<double>(groups - first);
    if (grid.failed())
      return;
    if (left <= worthSharing || groups - first == 1)
      return grid.run(first, groups);
  }
  share(pool, grid, kernel, first, groups - first);
}

uint64_t groupsOf(const executable::NativeLaunch &launch) {
  return uint64_t{launch.groups[0]} * launch.groups[1] * launch.groups[2];
}

/// Several grids that run together. Their workgroups are numbered consecutively.
class Together final : public WorkerPool::Job {
public:
  void add(CpuDevice &device, const Launching &launching) {
    grids.emplace_back(device, launching);
    ends.push_back(count() + groupsOf(launching.launch));
  }
  uint64_t count() const { return ends.empty() ? 0 : ends.back(); }

  void run(uint64_t begin, uint64_t end) override {
    auto grid = static_cast<size_t>(std::ranges::upper_bound(ends, begin) - ends.begin());
    for (; begin < end; ++grid) {
      uint64_t first = grid ? ends[grid - 1] : 0, stop = std::min(end, ends[grid]);
      if (!grids[grid].failed())
        grids[grid].run(begin - first, stop - first);
      begin = stop;
    }
  }

  Status status(const CpuDevice &device) const {
    for (const Grid &grid : grids)
      if (grid.failed())
        return grid.status(device);
    return Status::ok();
  }

private:
  std::deque<Grid> grids;
  std::vector<uint64_t> ends; // the end of the numbers of each grid
};

} // namespace

bool worthTogether(const CpuDevice &device, std::span<const Launching> launches) {
  double all = 0;
  bool leaveThreads = false;
  for (const Launching &one : launches) {
    uint64_t groups = groupsOf(one.launch);
    all += one.kernel->groupNanoseconds() * static_cast<double>(groups);
    leaveThreads |= groups < uint64_t{4} * device.pool.threads();
  }
  return leaveThreads && all > worthSharing;
}

Status runGrids(CpuDevice &device, std::span<Launching> launches) {
  Watchdog::Watch watch(device.watchdog);
  Together all;
  double known = 0;
  bool oneKernel = true;
  for (Launching &one : launches) {
    one.launch.cancel = watch.word();
    all.add(device, one);
    known += one.kernel->groupNanoseconds() * static_cast<double>(groupsOf(one.launch));
    oneKernel &= one.kernel == launches.front().kernel;
  }
  uint64_t count = all.count();
  uint64_t chunk = chunkOf(device.pool, known / static_cast<double>(count), count);
  auto begin = Clock::now();
  device.pool.run(all, count, chunk);
  if (oneKernel) // with several kernels, each one's time is unknown
    launches.front().kernel->measured(since(begin) * threadsFor(device.pool, count, chunk), count);
  return all.status(device);
}

double estimateGrid(const CpuKernel &kernel, uint64_t groups) {
  double each = kernel.groupNanoseconds();
  if (each == 0) // unknown, so a thread with a deadline should not run it
    return std::max(2 * Scheduler::quickNanoseconds, guessedGroup * static_cast<double>(groups));
  return each * static_cast<double>(groups);
}

Status runGrid(CpuDevice &device, Launching &launching) {
  const CpuKernel &kernel = *launching.kernel;
  uint64_t groups = groupsOf(launching.launch);
  Watchdog::Watch watch(device.watchdog);
  launching.launch.cancel = watch.word();
  Grid grid(device, launching);
  if (groups == 1 || device.pool.threads() == 1)
    runAlone(grid, kernel, groups);
  else
    runOnSeveral(device.pool, grid, kernel, groups);
  return grid.failed() ? grid.status(device) : Status::ok();
}

} // namespace pumice::cpu_driver
