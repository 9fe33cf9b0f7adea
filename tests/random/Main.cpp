//===- Main.cpp - random programs, in every way to run them -----------------===//
//   RandomPrograms [--seed N] [--count N] [--reduce] [--cpu-only] [--print] [--known FILE]
//                  [--out DIR]
// README.md in this folder is the manual. Programs run in child processes, a few at a time, so a
// crash ends only its own process. Every third seed runs with another subgroup size of lavapipe.
//===-----------------------------------------------------------------------------===//
#include "tests/random/Compare.h"
#include "tests/random/Emit.h"
#include "tests/random/Generate.h"
#include "tests/random/Reduce.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace pumice;
using namespace pumice::random_programs;

namespace {

struct Options {
  uint64_t seed = 1, count = 100;
  bool reduce = false, peers = true, print = false;
  std::string known, out = ".";
};

/// The progress of a child. Its parent can read it even after a crash.
struct Progress {
  uint64_t seed = 0; // the seed that runs now
  uint64_t ran = 0, ours = 0, known = 0, others = 0;
};

/// Reads lines "seed device reason" of differences that are the fault of another driver.
std::set<std::pair<uint64_t, std::string>> readKnown(const std::string &file) {
  std::set<std::pair<uint64_t, std::string>> found;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    uint64_t seed = 0;
    std::string device;
    if (words >> seed >> device)
      found.emplace(seed, device);
  }
  return found;
}

std::string shortName(const std::string &device) {
  for (const char *name : {"llvmpipe", "SwiftShader"})
    if (device.find(name) != std::string::npos)
      return name;
  return device.substr(0, device.find(' '));
}

void write(const std::string &path, const std::string &text) { std::ofstream(path) << text; }

class Batch {
public:
  Batch(const Options &options, Machine &machine, Progress &progress)
      : options(options), machine(machine), progress(progress), known(readKnown(options.known)) {}

  void run(uint64_t seed) {
    progress.seed = seed;
    Program program = generate(seed);
    if (options.print)
      print(program);
    std::vector<Finding> findings = compare(program, machine);
    bool ours = false, others = false, listed = false;
    for (const Finding &finding : findings) {
      const Way &last = finding.kind == Finding::Kind::Differs ? finding.second : finding.first;
      bool isKnown =
          !finding.isOurs() && known.contains({seed, shortName(machine.info(last.device).name)});
      (isKnown ? listed : finding.isOurs() ? ours : others) = true;
      if (!isKnown)
        std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
                    finding.text(machine).c_str());
    }
    if ((ours || others) && options.reduce)
      keepSmaller(program, findings.front());
    ++progress.ran;
    progress.ours += ours;
    progress.others += others;
    progress.known += listed;
    std::fflush(stdout);
  }

private:
  void print(const Program &program) {
    for (const std::vector<Way> &group : waysOf(program, machine))
      for (const Way &way : group)
        std::printf("; %s\n", way.name().c_str());
    std::puts(disassemble(emitSpirv(program)).c_str());
    std::fflush(stdout); // before a call that may end this process
  }

  void keepSmaller(const Program &program, Finding finding) {
    Program small =
        reduce(program, [&](const Program &p) { return !shown(p, finding, machine).empty(); });
    finding.what = shown(small, finding, machine);
    std::vector<uint32_t> code = emitSpirv(small);
    std::string stem = options.out + "/seed-" + std::to_string(program.seed);
    write(stem + ".spv", std::string(reinterpret_cast<const char *>(code.data()), code.size() * 4));
    write(stem + ".spvasm", "; " + finding.text(machine) + "\n" + disassemble(code));
    std::printf("seed %llu: %zu words are left, in %s.spvasm: %s\n",
                static_cast<unsigned long long>(program.seed), code.size(), stem.c_str(),
                finding.text(machine).c_str());
  }

  const Options &options;
  Machine &machine;
  Progress &progress;
  std::set<std::pair<uint64_t, std::string>> known;
};

constexpr const char *widths[] = {"256", "128", "512"};

/// Runs every third of the seeds from `first` on, in this process.
int runThird(const Options &options, uint64_t first, uint64_t end, Progress &progress) {
  setenv("LP_NATIVE_VECTOR_WIDTH", widths[first % 3], 0);
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  setenv("PUMICE_CACHE", "off", 1);
  Result<std::unique_ptr<Machine>> machine = Machine::open(options.peers);
  if (!machine.isOk()) {
    std::fprintf(stderr, "%s\n", machine.status().toString().c_str());
    return 2;
  }
  Batch batch(options, **machine, progress);
  for (uint64_t seed = first; seed < end; seed += 3)
    batch.run(seed);
  return 0;
}

/// Does the same in a child. Returns its status as waitpid reports it, or -1.
int inChild(const Options &options, uint64_t first, uint64_t end, Progress &progress) {
  progress.seed = first;
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    alarm(1800); // a driver that hangs is ended, and counts as a crash
    int code = runThird(options, first, end, progress);
    std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

/// Returns whether the CPU device alone runs a program that crashed together with other drivers.
bool isOthersCrash(Options options, uint64_t seed) {
  if (!options.peers)
    return false;
  options.peers = options.print = false;
  Progress alone;
  int status = inChild(options, seed, seed + 1, alone);
  return status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Runs seeds in children. A child that ends early is a finding, and the next one continues after
/// its seed.
int superviseThird(const Options &options, uint64_t first, uint64_t end, Progress &progress) {
  while (first < end) {
    int status = inChild(options, first, end, progress);
    if (status < 0)
      return 2;
    if (WIFEXITED(status))
      return WEXITSTATUS(status);
    bool others = isOthersCrash(options, progress.seed);
    std::printf("seed %llu: ended by signal %d%s\n", static_cast<unsigned long long>(progress.seed),
                WTERMSIG(status), others ? ", not by the CPU device" : "");
    ++(others ? progress.others : progress.ours);
    first = progress.seed + 3;
  }
  return 0;
}

bool parse(int argc, char **argv, Options &options) {
  auto number = [](const char *text, uint64_t &into) {
    const char *end = text + std::strlen(text);
    return std::from_chars(text, end, into).ptr == end && end != text;
  };
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    bool more = i + 1 < argc;
    if (word == "--reduce")
      options.reduce = true;
    else if (word == "--cpu-only")
      options.peers = false;
    else if (word == "--print")
      options.print = true;
    else if (word == "--seed" && more && number(argv[i + 1], options.seed))
      ++i;
    else if (word == "--count" && more && number(argv[i + 1], options.count))
      ++i;
    else if (word == "--known" && more)
      options.known = argv[++i];
    else if (word == "--out" && more)
      options.out = argv[++i];
    else
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: %s [--seed N] [--count N] [--reduce] [--cpu-only] [--print] "
                 "[--known FILE] [--out DIR]\n",
                 argv[0]);
    return 2;
  }
  void *shared =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return 2;
  auto &progress = *new (shared) Progress;
  constexpr uint64_t chunk = 300;
  uint64_t end = options.seed + options.count;
  for (uint64_t first = options.seed; first < end; first += chunk) {
    for (uint64_t third = 0; third < 3; ++third)
      if (int code = superviseThird(options, first + third, std::min(end, first + chunk), progress))
        return code;
    if (options.count > chunk)
      std::fprintf(stderr, "%llu of %llu\n", static_cast<unsigned long long>(progress.ran),
                   static_cast<unsigned long long>(options.count));
  }
  std::printf("%llu programs: %llu with a difference of ours, %llu of another driver, %llu known\n",
              static_cast<unsigned long long>(progress.ran),
              static_cast<unsigned long long>(progress.ours),
              static_cast<unsigned long long>(progress.others),
              static_cast<unsigned long long>(progress.known));
  return progress.ours || progress.others ? 1 : 0;
}
