//===- OwnProcess.cpp - runs code that may crash in its own process ---------===//
// The child sends one byte through a pipe, the code of the work's status, and then the result or
// message.
//===-------------------------------------------------------------------------===//
#include "tools/run/OwnProcess.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace pumice::run {
namespace {

/// Writes all bytes. Returns false if the other end is closed.
bool writeAll(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(to, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(written > 0 ? static_cast<size_t>(written) : 0);
  }
  return true;
}

std::string readAll(int from) {
  std::string bytes;
  char part[65536];
  for (ssize_t count = 1; count != 0;) {
    count = read(from, part, sizeof part);
    if (count < 0 && errno != EINTR)
      break;
    bytes.append(part, count > 0 ? static_cast<size_t>(count) : 0);
  }
  return bytes;
}

/// Runs everything that the child does.
[[noreturn]] void answer(int to, unsigned seconds,
                         const std::function<Result<std::string>()> &work) {
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    std::signal(signal, SIG_DFL); // only we report the crash
  alarm(seconds);
  Result<std::string> result = work();
  StatusCode code = result.isOk() ? StatusCode::Ok : result.status().code();
  std::string bytes(1, static_cast<char>(code));
  bytes += result.isOk() ? *result : result.status().message();
  _exit(writeAll(to, bytes) ? 0 : 1);
}

Status outOfProcesses(const std::string &what) {
  return Status(StatusCode::ResourceExhausted,
                what + ": no process for it: " + std::strerror(errno));
}

} // namespace

Result<std::string> inOwnProcess(const std::string &what, unsigned seconds,
                                 const std::function<Result<std::string>()> &work) {
  int ends[2];
  if (pipe(ends) != 0)
    return outOfProcesses(what);
  std::fflush(nullptr); // otherwise both processes would write the buffered output
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    answer(ends[1], seconds, work);
  }
  close(ends[1]);
  std::string bytes = child > 0 ? readAll(ends[0]) : "";
  close(ends[0]);
  int status = 0;
  if (child < 0)
    return outOfProcesses(what);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return outOfProcesses(what);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return Status(StatusCode::Internal,
                  what + " took more than " + std::to_string(seconds) + " seconds");
  if (WIFSIGNALED(status))
    return Status(StatusCode::Internal, what + " crashed (signal " +
                                            std::to_string(WTERMSIG(status)) + ", " +
                                            strsignal(WTERMSIG(status)) + ")");
  if (bytes.empty() || WEXITSTATUS(status) != 0)
    return Status(StatusCode::Internal, what + " ended its process without an answer");
  auto code = static_cast<StatusCode>(bytes.front());
  bytes.erase(0, 1);
  if (code != StatusCode::Ok)
    return Status(code, std::move(bytes));
  return bytes;
}

} // namespace pumice::run
