//===- BenchVulkan.cpp - the runtime compared with a bare Vulkan loop -------===//
// Both run the same SPIR-V on the same device in turn. Times are wall time on the host, from the
// first call to the results being there. Needs no compiler: kernels come from a .pumice file.
//===-------------------------------------------------------------------------===//
#include "bench/Report.h"
#include "bench/vulkan/Subjects.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <unistd.h>

using namespace pumice;
using namespace pumice::bench;

namespace {

struct Options {
  std::string kernels, device = "vulkan", json, only;
  uint64_t mebibytes = 256;
  int rounds = 21;
  double warmUp = 500; // milliseconds before each measurement
  // "pumice" or "bare": this process runs the first dispatch of that side.
  std::string firstDispatch;
};

/// One comparison: the times of both sides, and how much slower the runtime may be.
struct Pair {
  std::string kernel, size;
  double factor; // 0: no limit
  std::function<void()> pumice, bare;
  std::function<std::string()> whyWrong; // called once, after the last round
  int times = 1;                         // dispatches in one call
};

Measurement measure(const Pair &pair, const std::string &device, const Options &options,
                    int rounds) {
  std::vector<double> times = medians({pair.pumice, pair.bare}, rounds,
                                      {.milliseconds = options.warmUp, .beforeEach = true});
  for (double &time : times)
    time /= pair.times;
  Measurement m{.kernel = pair.kernel,
                .size = pair.size,
                .device = device,
                .milliseconds = times[0],
                .peers = {{"bare", times[1]}}};
  if (pair.factor > 0)
    m.limit = times[1] * pair.factor;
  m.note = pair.whyWrong();
  m.correct = m.note.empty();
  return m;
}

std::string compare(const std::vector<float> &values, float expected) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != expected)
      return "element " + std::to_string(i) + " is " + std::to_string(values[i]) + ", not " +
             std::to_string(expected);
  return "";
}

/// Compares whole buffers, once for each measurement.
std::string compareAll(PumiceSide &pumice, pumice_buffer *buffer, float expected) {
  return compare(pumice.values(buffer, pumice.elements), expected);
}

void measureLaunches(PumiceSide &pumice, BareSide &bare, const Options &options,
                     std::vector<Measurement> &results) {
  uint64_t dependent = 0, separate = 0;
  auto whyWrong = [&] {
    pumice.finish();
    return compare(pumice.values(pumice.small[0], stepElements), float(dependent + separate));
  };
  results.push_back(measure({"1000 launches", "each after the last", 1.2,
                             [&] {
                               pumice.steps(1000);
                               pumice.finish();
                               dependent += 1000;
                             },
                             [&] {
                               bare.recordSteps(1000);
                               bare.submitAndWait();
                             },
                             whyWrong},
                            pumice.id, options, options.rounds));
  results.push_back(measure({"1000 launches", "independent", 1.2,
                             [&] {
                               pumice.separateSteps(1000);
                               pumice.finish();
                               separate += 1;
                             },
                             [&] {
                               bare.recordSeparateSteps(1000);
                               bare.submitAndWait();
                             },
                             whyWrong},
                            pumice.id, options, options.rounds));
  results.push_back(measure({"launch and wait", "one", 1.1,
                             [&] {
                               for (int i = 0; i < 20; ++i) {
                                 pumice.steps(1);
                                 pumice.finish();
                               }
                               dependent += 20;
                             },
                             [&] {
                               for (int i = 0; i < 20; ++i) {
                                 bare.recordSteps(1);
                                 bare.submitAndWait();
                               }
                             },
                             whyWrong},
                            pumice.id, options, options.rounds * 3));
  results.back().size = "20 times";
}

/// Measures what the calls alone cost the host, without the wait for the work. The median over
/// groups of calls leaves out rare work such as submits, which falls into few groups.
struct CallTimes {
  std::vector<double> groups; // milliseconds per `callsPerGroup` calls
  double whole = 0;           // of all calls, including submits

  static constexpr int callsPerGroup = 8, calls = 1000;
  void run(const std::function<void(int)> &call) {
    using Clock = std::chrono::steady_clock;
    using Milliseconds = std::chrono::duration<double, std::milli>;
    auto start = Clock::now(), last = start;
    for (int i = 0; i < calls; i += callsPerGroup) {
      for (int j = 0; j < callsPerGroup; ++j)
        call(i + j);
      auto now = Clock::now();
      groups.push_back(Milliseconds(now - last).count());
      last = now;
    }
    whole = Milliseconds(last - start).count();
  }
};

double medianOf(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + all.size() / 2, all.end());
  return all[all.size() / 2];
}

void measureCalls(PumiceSide &pumice, BareSide &bare, const Options &options,
                  std::vector<Measurement> &results) {
  CallTimes ours, held, theirs;
  std::vector<double> whole;
  pumice_timeline *start = nullptr;
  need(pumice_timeline_create(pumice.device, 0, &start), "timeline");
  uint64_t round = 0;
  for (; round <= uint64_t(options.rounds) * 3; ++round) {
    ours.run([&](int i) { pumice.separateStep(i); });
    pumice.finish();
    whole.push_back(ours.whole);
    // Nothing runs on the device while either loop records. On a CPU device, work would take time
    // from the thread that records.
    need(pumice_queue_wait(pumice.queue, start, round + 1), "wait");
    held.run([&](int i) { pumice.separateStep(i); });
    need(pumice_timeline_signal(start, round + 1), "signal");
    pumice.finish();
    bare.loop->begin();
    bare.loop->bind(*bare.step);
    theirs.run([&](int i) { bare.loop->dispatch(*bare.step, bare.smallBlocks[i], 1); });
    bare.submitAndWait();
  }
  pumice_timeline_release(start);
  // Reports the steps themselves. "1000 launches" checks their results.
  auto report = [&](const char *size, double milliseconds, double peer,
                    std::optional<double> limit) {
    Measurement measured{.kernel = "launch calls",
                         .size = size,
                         .device = pumice.id,
                         .milliseconds = milliseconds,
                         .limit = limit,
                         .correct = true};
    if (peer > 0)
      measured.peers = {{"bare", peer}};
    results.push_back(measured);
  };
  double bareGroup = medianOf(theirs.groups);
  report("1000, submits too", medianOf(whole), 0, 1.0); // 1 µs per launch
  report("8, recording alone", medianOf(held.groups), bareGroup, 1.5 * bareGroup);
  report("8, while work runs", medianOf(ours.groups), bareGroup, std::nullopt);
}

/// Runs each kernel several times before a wait. This measures the memory's time, not that of the
/// wait.
void measureStreams(PumiceSide &pumice, BareSide &bare, const Options &options,
                    std::vector<Measurement> &results) {
  constexpr int perWait = 4;
  std::string size = std::to_string(options.mebibytes) + " MiB";
  auto add = [&](const char *kernel, std::function<void()> ours, std::function<void()> theirs,
                 std::function<std::string()> whyWrong) {
    auto run = [&pumice, ours] {
      for (int i = 0; i < perWait; ++i)
        ours();
      pumice.finish();
    };
    Pair pair{kernel, size, 1.05, run, std::move(theirs), std::move(whyWrong), perWait};
    results.push_back(measure(pair, pumice.id, options, options.rounds));
    uint64_t moved = pumice.elements * sizeof(float) *
                     (std::strstr(kernel, "fill")    ? 1
                      : std::strstr(kernel, "saxpy") ? 3
                                                     : 2);
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.1f GB/s", moved / results.back().milliseconds / 1e6);
    if (results.back().note.empty())
      results.back().note = rate;
  };
  add(
      "fill (kernel)", [&] { pumice.fillKernel(3); }, [&] { bare.fillKernel(3, perWait); },
      [&] { return compareAll(pumice, pumice.y, 3); });
  add(
      "fill (command)", [&] { pumice.fillCommand(5); }, [&] { bare.fillCommand(5, perWait); },
      [&] { return compareAll(pumice, pumice.y, 5); });
  add(
      "copy (kernel)", [&] { pumice.copyKernel(); }, [&] { bare.copyKernel(perWait); },
      [&] { return compareAll(pumice, pumice.y, 1); });
  pumice.fillCommand(0);
  add(
      "copy (command)", [&] { pumice.copyCommand(); }, [&] { bare.copyCommand(perWait); },
      [&] { return compareAll(pumice, pumice.y, 1); });
  int times = 0;
  pumice.fillCommand(0);
  add(
      "saxpy",
      [&] {
        pumice.saxpy(0.5f);
        ++times;
      },
      [&] { bare.saxpy(0.5f, perWait); },
      [&] { return compareAll(pumice, pumice.y, 0.5f * times); });
}

double millisecondsNow() {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  return Milliseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Runs in each process of `measureFirstDispatch`. Prints the time at which its dispatch was done.
int firstDispatch(const Options &options, const Kernels &kernels) {
  if (options.firstDispatch == "bare") {
    BareSide bare(kernels, options.device, 1024);
    bare.saxpy(1);
    std::printf("%.6f\n", millisecondsNow());
  } else {
    PumiceSide pumice(kernels, options.device, 1024, 1);
    pumice.saxpy(1);
    pumice.finish();
    std::printf("%.6f\n", millisecondsNow());
  }
  return 0;
}

/// Returns the time from before a process starts to the end of its first dispatch. It includes the
/// loader, the device and four pipelines.
double timeOfProcess(const std::string &self, const std::string &side, const std::string &device,
                     const Options &options) {
  std::string command = "'" + self + "' --kernels '" + options.kernels + "' --device '" + device +
                        "' --first-dispatch " + side;
  double start = millisecondsNow();
  FILE *child = popen(command.c_str(), "r");
  double end = 0;
  bool read = child && std::fscanf(child, "%lf", &end) == 1;
  if (!child || pclose(child) != 0 || !read)
    die("the process for the first dispatch of '" + side + "' failed");
  return end - start;
}

/// After the first round, the driver's cache on disk and ours are warm.
Measurement measureFirstDispatch(const PumiceSide &pumice, const Options &options) {
  char self[4096];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0)
    die("cannot tell the benchmark's own file");
  self[length] = 0;
  std::vector<double> ours, theirs;
  for (int round = -1; round < options.rounds; ++round) {
    double ourTime = timeOfProcess(self, "pumice", pumice.id, options);
    double theirTime = timeOfProcess(self, "bare", pumice.name, options);
    if (round < 0)
      continue;
    ours.push_back(ourTime);
    theirs.push_back(theirTime);
  }
  Measurement m{.kernel = "first dispatch",
                .size = "of a process",
                .device = pumice.id,
                .milliseconds = medianOf(ours),
                .peers = {{"bare", medianOf(theirs)}},
                .correct = true};
  m.limit = 1.3 * m.peers["bare"];
  return m;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto value = [&]() -> std::string {
      if (i + 1 >= argc)
        die(word + " needs a value");
      return argv[++i];
    };
    if (word == "--kernels")
      options.kernels = value();
    else if (word == "--device")
      options.device = value();
    else if (word == "--json")
      options.json = value();
    else if (word == "--mib")
      options.mebibytes = std::strtoull(value().c_str(), nullptr, 10);
    else if (word == "--rounds")
      options.rounds = std::atoi(value().c_str());
    else if (word == "--warm-up")
      options.warmUp = std::atof(value().c_str());
    else if (word == "--only")
      options.only = value();
    else if (word == "--first-dispatch")
      options.firstDispatch = value();
    else if (word == "--help") {
      std::puts("usage: bench-vulkan --kernels stream.pumice [--device vulkan] [--mib 256] "
                "[--rounds 21] [--warm-up 500] [--json FILE] "
                "[--only launches|calls|streams|first]\n\n"
                "Times the runtime, compared with a bare Vulkan loop.");
      std::exit(0);
    } else
      die("unknown option '" + word + "'; see --help");
  }
  if (options.only != "" && options.only != "launches" && options.only != "calls" &&
      options.only != "streams" && options.only != "first")
    die("--only is '" + options.only + "'; it is launches, calls, streams or first");
  if (options.kernels.empty())
    die("--kernels FILE is missing: bench/kernels/stream.mlir, compiled");
  if (options.rounds < 1 || options.mebibytes < 1)
    die("--rounds and --mib must be at least 1");
  return options;
}

} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  Kernels kernels = Kernels::read(options.kernels);
  if (!options.firstDispatch.empty())
    return firstDispatch(options, kernels);
  uint64_t elements = options.mebibytes * (1u << 20) / sizeof(float);
  PumiceSide pumice(kernels, options.device, elements);
  BareSide bare(kernels, pumice.name, elements);
  std::printf("%s, %s\n", pumice.name.c_str(), pumice.driver.c_str());

  std::vector<Measurement> results;
  auto wanted = [&](const char *part) { return options.only.empty() || options.only == part; };
  if (wanted("launches"))
    measureLaunches(pumice, bare, options, results);
  if (wanted("calls"))
    measureCalls(pumice, bare, options, results);
  if (wanted("streams"))
    measureStreams(pumice, bare, options, results);
  if (wanted("first"))
    results.push_back(measureFirstDispatch(pumice, options));

  std::fputs(tableOf(results).c_str(), stdout);
  if (!options.json.empty() && !(std::ofstream(options.json) << jsonOf(results)))
    die("cannot write '" + options.json + "'");
  // Limits hold only on a quiet machine, so only wrong results fail.
  return std::all_of(results.begin(), results.end(), [](auto &m) { return m.correct; }) ? 0 : 1;
}
