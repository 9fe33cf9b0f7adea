//===- Worker.cpp - one peer of the CPU benchmark, as a process -------------===//
#include "bench/cpu/Worker.h"

#include "bench/cpu/Subject.h"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace pumice::bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class Worker {
public:
  Worker(std::unique_ptr<Subject> subject, bool quick)
      : subject(std::move(subject)), quick(quick) {}
  std::string answer(const std::string &request);

private:
  Status prepare(const std::string &kernel);
  Result<double> run(const Launch &launch, int times = 1);
  Result<double> measure(const std::string &what);
  Result<double> first();
  Result<std::string> times(const std::string &what, int count);
  Result<std::string> check(const std::string &kernel);

  std::unique_ptr<Subject> subject;
  bool quick;
  Problem problem;
  std::string prepared;
  double last = 0; // milliseconds of the run before
};

Status Worker::prepare(const std::string &kernel) {
  if (prepared == kernel)
    return Status::ok();
  prepared.clear();
  PUMICE_TRY(problem, makeProblem(kernel, quick));
  PUMICE_RETURN_IF_ERROR(subject->makeBuffers(problem));
  PUMICE_RETURN_IF_ERROR(subject->compile(problem));
  prepared = kernel;
  last = 0;
  return Status::ok();
}

/// Returns the time of `times` launches and one wait.
Result<double> Worker::run(const Launch &launch, int times) {
  auto start = Clock::now();
  for (int i = 0; i < times; ++i)
    PUMICE_RETURN_IF_ERROR(subject->launch(problem, launch));
  PUMICE_RETURN_IF_ERROR(subject->finish());
  return since(start);
}

/// Measures a cost. A launch's own cost would hide that of one barrier or workgroup. So these are
/// measured by two launches of different sizes: the additional time, divided by the number of
/// additional barriers or workgroups.
Result<double> Worker::measure(const std::string &what) {
  Launch few = problem.launch, many = few;
  if (what == "barrier") {
    many.push[0] = few.push[0] + 4000;
    PUMICE_TRY(double base, run(few));
    PUMICE_TRY(double all, run(many));
    return (all - base) / 4000;
  }
  if (what == "workgroup") {
    many.groups[0] = quick ? 1001 : 65001;
    PUMICE_TRY(double base, run(few));
    PUMICE_TRY(double all, run(many));
    return (all - base) / (many.groups[0] - 1);
  }
  if (what == "batch") {
    PUMICE_TRY(double all, run(few, 1000));
    return all / 1000;
  }
  return run(problem.launch);
}

Result<double> Worker::first() {
  prepared.clear();
  PUMICE_TRY(problem, makeProblem("first", quick));
  PUMICE_RETURN_IF_ERROR(subject->makeBuffers(problem));
  auto start = Clock::now();
  PUMICE_RETURN_IF_ERROR(subject->compile(problem));
  PUMICE_RETURN_IF_ERROR(subject->launch(problem, problem.launch));
  PUMICE_RETURN_IF_ERROR(subject->finish());
  double took = since(start);
  prepared = "first";
  return took;
}

std::string kernelOf(const std::string &what) {
  bool empty = what == "submit" || what == "batch" || what == "workgroup";
  return empty ? "empty" : what == "barrier" ? "barriers" : what;
}

Result<std::string> Worker::times(const std::string &what, int count) {
  std::string text = "times";
  for (int i = what == "first" ? 0 : -1; i < count; ++i) {
    if (what != "first")
      PUMICE_RETURN_IF_ERROR(prepare(kernelOf(what)));
    // Warms the caches up, since other workers have used them. Skips this for long runs, to save
    // time.
    if (i < 0 && last > 100)
      continue;
    PUMICE_TRY(last, what == "first" ? first() : measure(what));
    if (i >= 0) {
      char number[32];
      std::snprintf(number, sizeof number, " %.9g", last);
      text += number;
    }
  }
  return text;
}

Result<std::string> Worker::check(const std::string &kernel) {
  PUMICE_RETURN_IF_ERROR(prepare(kernel));
  PUMICE_RETURN_IF_ERROR(subject->reset(problem));
  PUMICE_TRY(double took, run(problem.launch));
  (void)took;
  PUMICE_TRY(Bytes output, subject->output(problem));
  std::string wrong = problem.whyWrong(problem, output);
  return wrong.empty() ? "right" : "wrong " + wrong;
}

std::string Worker::answer(const std::string &request) {
  std::istringstream in(request);
  std::string verb, what;
  int count = 1;
  in >> verb >> what >> count;
  subject->wake();
  Result<std::string> said =
      verb == "time"    ? times(what, count)
      : verb == "check" ? check(what)
                        : Status(StatusCode::InvalidArgument, "there is no request '" + verb + "'");
  subject->rest();
  return said.isOk() ? *said : "failed " + said.status().message();
}

/// Prints one line, whatever a driver's message contains.
void say(std::FILE *out, std::string line) {
  for (char &c : line)
    if (c == '\n' || c == '\r')
      c = ' ';
  std::fprintf(out, "%s\n", line.c_str());
  std::fflush(out);
}

Result<std::unique_ptr<Subject>> makeSubject(const std::string &kind) {
  if (kind == "native")
    return makeNativeSubject();
  if (kind == "opencl")
    return makeOpenClSubject();
  if (kind.starts_with("hal:"))
    return makeHalSubject(kind.substr(4));
  return Status(StatusCode::InvalidArgument,
                "--worker '" + kind + "' is none of native, opencl and hal:DEVICE");
}

} // namespace

int work(const std::string &kind, bool quick) {
  // Drivers may print to standard output at any time, so answers go to a separate file.
  std::FILE *out = fdopen(dup(STDOUT_FILENO), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  Result<std::unique_ptr<Subject>> subject = makeSubject(kind);
  if (!subject.isOk()) {
    say(out, "absent " + subject.status().message());
    return 2;
  }
  say(out, "ready " + (*subject)->describe());
  Worker worker(std::move(*subject), quick);
  for (std::string line; std::getline(std::cin, line);)
    say(out, worker.answer(line));
  return 0;
}

} // namespace pumice::bench
