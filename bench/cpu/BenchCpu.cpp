//===- BenchCpu.cpp - compares ways to run kernels on this CPU --------------===//
// Each peer is a separate process. In each round all of them run in turn, so that a machine that
// slows down slows all of them. The results are medians, and their ratios to code written by hand.
//===-------------------------------------------------------------------------===//
#include "bench/cpu/Comparison.h"
#include "bench/cpu/Peer.h"
#include "bench/cpu/Problem.h"
#include "bench/cpu/Worker.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace pumice;
using namespace pumice::bench;

namespace {

constexpr const char *usage = R"(usage: bench-cpu [OPTION]...
Times kernels on this CPU: by hand (native), through Pumice's CPU device, and through OpenCL and
Vulkan drivers, each in a process of its own.
  --kernel NAME   only this measure; may be given several times (--list names them)
  --peers A,B     only these (--list names them); native is what ratios are to
  --rounds N      turns of every peer; 11 where nothing is said
  --quick         tiny sizes, for tests: the times mean nothing
  --build FOLDER  where setup/bench-peers.sh unpacked peers; the build folder where nothing is said
  --json FILE     also writes the results there
  --list          names measures and peers, and ends
)";

struct Options {
  std::vector<std::string> kernels, peers;
  std::string json, build, worker, program;
  int rounds = 11;
  bool quick = false, list = false;
};

[[noreturn]] void die(const std::string &message) {
  std::fprintf(stderr, "bench-cpu: error: %s\n", message.c_str());
  std::exit(1);
}

std::string known(const auto &range, auto name) {
  std::string text;
  for (const auto &entry : range)
    text += (text.empty() ? "" : ", ") + std::string(name(entry));
  return text;
}

void progress(const std::string &text) {
  static const bool shown = isatty(STDERR_FILENO);
  if (shown)
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

std::vector<std::string> split(const std::string &text, char by) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);)
    parts.push_back(part);
  return parts;
}

Options parse(int argc, char **argv) {
  Options options;
  std::error_code ignored;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  options.program = program;
  options.build = program.parent_path().parent_path();
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    auto value = [&]() -> std::string {
      if (i + 1 == argc)
        die(argument + " needs a value");
      return argv[++i];
    };
    if (argument == "--kernel")
      options.kernels.push_back(value());
    else if (argument == "--peers")
      options.peers = split(value(), ',');
    else if (argument == "--json")
      options.json = value();
    else if (argument == "--build")
      options.build = std::filesystem::absolute(value());
    else if (argument == "--worker")
      options.worker = value();
    else if (argument == "--quick")
      options.quick = true;
    else if (argument == "--list")
      options.list = true;
    else if (argument == "--rounds") {
      std::string text = value();
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.rounds);
      if (error != std::errc() || *end || options.rounds < 1)
        die("--rounds must be at least 1, not " + text);
    } else if (argument == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else
      die("there is no option '" + argument + "'; --help lists them");
  }
  return options;
}

double median(std::vector<double> all) {
  auto middle = all.begin() + std::ptrdiff_t(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

/// Returns whether a peer can run a measure. Native lacks some measures, and the other peers
/// lack cooperative matrices. Reporting this in each run would be noise.
bool isApplicable(const std::string &peer, std::string_view measure) {
  if (measure == "matmul_cooperative" || measure == "matmul_bf16" || measure == "matmul_int8")
    return peer == "native" || peer == "pumice";
  bool costOfOurs =
      measure == "barrier" || measure == "workgroup" || measure == "first" || measure == "cached";
  return peer != "native" || !costOfOurs;
}

class Benchmark {
public:
  explicit Benchmark(const Options &options) : options(options) {}
  void startPeers();
  void measureAll();
  std::vector<Row> rows;
  std::vector<std::string> columns() const;

private:
  bool asked(std::string_view measure) const;
  Row measureInTurn(const Limit &limit);
  bool turn(Peer &peer, const Limit &limit, std::vector<double> &times, Row &row);
  void measureFirst();
  void timeFirst(Peer &peer, Row &cold, Row &cached);

  const Options &options;
  std::vector<Peer> peers;
};

void Benchmark::startPeers() {
  std::vector<PeerSpec> specs = knownPeers(options.build);
  for (const std::string &wanted : options.peers)
    if (std::ranges::find(specs, wanted, &PeerSpec::name) == specs.end())
      die("there is no peer '" + wanted + "'; there are " +
          known(specs, [](auto &s) { return s.name; }));
  for (PeerSpec &spec : specs) {
    if (!options.peers.empty() &&
        std::ranges::find(options.peers, spec.name) == options.peers.end())
      continue;
    progress("starting " + spec.name);
    Peer peer(spec, options.program, options.quick);
    Status started = peer.start();
    progress("");
    if (started.isOk()) {
      std::printf("%-12s %s\n", spec.name.c_str(), peer.description().c_str());
      peers.push_back(std::move(peer));
    } else
      std::printf("%-12s left out: %s\n", spec.name.c_str(), started.message().c_str());
  }
  std::fflush(stdout);
  if (peers.empty())
    die("there is nothing to measure: every peer is left out");
}

std::vector<std::string> Benchmark::columns() const {
  std::vector<std::string> names;
  for (const Peer &peer : peers)
    names.push_back(peer.name());
  return names;
}

bool Benchmark::asked(std::string_view measure) const {
  return options.kernels.empty() ||
         std::ranges::find(options.kernels, measure) != options.kernels.end();
}

/// Runs one turn of one peer. Restarts the peer if its process has ended. Returns false if the peer
/// failed; the caller must then skip it for the rest of this measure.
bool Benchmark::turn(Peer &peer, const Limit &limit, std::vector<double> &times, Row &row) {
  // Short runs are repeated within a turn. Peers that take a second need fewer runs.
  double usual = times.empty() ? 1000 : median(times);
  if (usual > 1000 && times.size() >= 3)
    return true;
  int count = usual < 0.1 ? 20 : usual < 20 ? 5 : 1;
  std::string request = "time " + std::string(limit.measure) + " " + std::to_string(count);
  Result<std::string> said = peer.ask(request, "times");
  if (!said.isOk()) {
    row.wrong[peer.name()] = said.status().message();
    if (!peer.running() && !peer.start().isOk())
      row.wrong[peer.name()] += "; it does not start again";
    return false;
  }
  std::istringstream in(*said);
  for (double time; in >> time;)
    times.push_back(time);
  return true;
}

Row Benchmark::measureInTurn(const Limit &limit) {
  Row row{.limit = &limit};
  std::string measure(limit.measure);
  std::vector<std::vector<double>> times(peers.size());
  std::vector<bool> out(peers.size());
  for (size_t i = 0; i < peers.size(); ++i)
    out[i] = !isApplicable(peers[i].name(), measure);
  for (int round = 0; round < options.rounds; ++round)
    for (size_t i = 0; i < peers.size(); ++i) {
      if (out[i])
        continue;
      progress(measure + ", round " + std::to_string(round + 1) + " of " +
               std::to_string(options.rounds) + ", " + peers[i].name());
      out[i] = !turn(peers[i], limit, times[i], row);
      usleep(2000); // lets threads that spin after their work stop before the next peer's turn
    }
  std::string kernel = measure == "barrier" ? "barriers" : limit.ofNative ? measure : "";
  for (size_t i = 0; i < peers.size(); ++i) {
    if (out[i])
      continue;
    progress(measure + ", checking " + peers[i].name());
    if (!kernel.empty()) {
      Result<std::string> right = peers[i].ask("check " + kernel, "right");
      if (!right.isOk()) {
        row.wrong[peers[i].name()] = right.status().message();
        if (!peers[i].running())
          (void)peers[i].start().isOk(); // the next measure reports a failure
        continue;
      }
    }
    row.milliseconds[peers[i].name()] = std::max(0.0, median(times[i]));
  }
  if (auto problem = makeProblem(kernel, options.quick); limit.ofNative && problem.isOk())
    row.size = problem->size;
  return row;
}

/// Measures in two processes, one after the other. Their caches on disk are empty at first.
void Benchmark::timeFirst(Peer &peer, Row &cold, Row &cached) {
  std::vector<double> times[2];
  for (int round = 0; round < std::min(options.rounds, 5); ++round) {
    char folder[] = "/tmp/bench-cpu-XXXXXX";
    if (!mkdtemp(folder))
      die(std::string("cannot make a folder in /tmp: ") + std::strerror(errno));
    Environment environment = {{"XDG_CACHE_HOME", folder},
                               {"PUMICE_CACHE_DIR", folder},
                               {"MESA_SHADER_CACHE_DIR", folder},
                               {"POCL_CACHE_DIR", folder},
                               {"HOME", folder}};
    for (int run = 0; run < 2; ++run) {
      progress("first dispatch, round " + std::to_string(round + 1) + ", " + peer.name());
      Status started = peer.start(environment);
      Result<std::string> said =
          started.isOk() ? peer.ask("time first 1", "times") : Result<std::string>(started);
      Result<std::string> right = said.isOk() ? peer.ask("check first", "right") : said;
      if (right.isOk())
        times[run].push_back(std::strtod(said->c_str(), nullptr));
      else
        (run ? cached : cold).wrong[peer.name()] = right.status().message();
    }
    peer.stop(); // before its caches are removed
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  for (int run = 0; run < 2; ++run)
    if (Row &row = run ? cached : cold; !row.wrong.contains(peer.name()))
      row.milliseconds[peer.name()] = median(times[run]);
}

/// Starts the peers again before and after this measurement.
void Benchmark::measureFirst() {
  Row cold, cached;
  for (const Limit &limit : limits())
    if (limit.measure == "first" || limit.measure == "cached")
      (limit.measure == "first" ? cold : cached).limit = &limit;
  for (Peer &peer : peers)
    if (isApplicable(peer.name(), "first")) {
      timeFirst(peer, cold, cached);
      (void)peer.start().isOk(); // it started before; the next measure reports a failure
    }
  if (asked("first"))
    rows.push_back(std::move(cold));
  if (asked("cached"))
    rows.push_back(std::move(cached));
}

void Benchmark::measureAll() {
  for (const Limit &limit : limits())
    if (asked(limit.measure) && limit.measure != "first" && limit.measure != "cached")
      rows.push_back(measureInTurn(limit));
  if (asked("first") || asked("cached"))
    measureFirst();
  progress("");
}

} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  if (!options.worker.empty())
    return work(options.worker, options.quick);
  for (const std::string &wanted : options.kernels)
    if (std::ranges::find(limits(), wanted, &Limit::measure) == limits().end())
      die("there is no measure '" + wanted + "'; there are " +
          known(limits(), [](auto &l) { return l.measure; }));
  if (options.list) {
    std::printf("measures: %s\npeers: %s\n",
                known(limits(), [](auto &l) { return l.measure; }).c_str(),
                known(knownPeers(options.build), [](auto &s) { return s.name; }).c_str());
    return 0;
  }
  std::signal(SIGPIPE, SIG_IGN);
  for (const auto &[key, value] : describeMachine())
    std::printf("%-12s %s\n", key.c_str(), value.c_str());
  Benchmark benchmark(options);
  benchmark.startPeers();
  benchmark.measureAll();
  std::printf("\n%s", tableOf(benchmark.rows, benchmark.columns()).c_str());
  if (options.json.empty())
    return 0;
  std::ofstream out(options.json);
  out << jsonOf(measurementsOf(benchmark.rows));
  if (!out.flush())
    die("cannot write '" + options.json + "': " + std::strerror(errno));
}
