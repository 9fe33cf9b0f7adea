//===- Peer.cpp - a worker's process ----------------------------------------===//
#include "bench/cpu/Peer.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace pumice::bench {

Peer::Peer(Peer &&other) noexcept
    : spec(std::move(other.spec)), program(std::move(other.program)), what(std::move(other.what)),
      pending(std::move(other.pending)), quick(other.quick),
      process(std::exchange(other.process, -1)), toWorker(std::exchange(other.toWorker, -1)),
      fromWorker(std::exchange(other.fromWorker, -1)) {}

/// Returns this process's environment with `changes`. Later ones override earlier ones.
static std::vector<std::string> merged(const std::vector<const Environment *> &changes) {
  std::vector<std::string> result;
  auto set = [&](const std::string &entry) {
    std::string start = entry.substr(0, entry.find('=') + 1);
    std::erase_if(result, [&](const std::string &known) { return known.starts_with(start); });
    result.push_back(entry);
  };
  for (char **entry = environ; *entry; ++entry)
    set(*entry);
  for (const Environment *change : changes)
    for (const auto &[name, value] : *change)
      set(name + "=" + value);
  return result;
}

Status Peer::spawn(const Environment &more) {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0)
    return Status(StatusCode::ResourceExhausted, std::string("pipe: ") + std::strerror(errno));
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]), close(in[1]);
    return Status(StatusCode::ResourceExhausted, std::string("pipe: ") + std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  // Drivers warn on standard error that they are not for production.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> arguments = {program, "--worker", spec.kind};
  if (quick)
    arguments.push_back("--quick");
  std::vector<std::string> environment = merged({&spec.environment, &more});
  std::vector<char *> argv, envp;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  for (std::string &entry : environment)
    envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  int error = posix_spawn(&process, program.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]), close(out[1]);
  toWorker = in[1], fromWorker = out[0];
  if (error == 0)
    return Status::ok();
  process = -1;
  stop();
  return Status(StatusCode::Internal, "cannot start '" + program + "': " + std::strerror(error));
}

Status Peer::start(const Environment &more) {
  stop();
  if (!spec.absent.empty())
    return Status(StatusCode::NotFound, spec.absent);
  PUMICE_RETURN_IF_ERROR(spawn(more));
  Result<std::string> line = readLine(60);
  if (!line.isOk())
    return line.status();
  if (line->starts_with("ready ")) {
    what = line->substr(6);
    return Status::ok();
  }
  stop();
  return Status(StatusCode::NotFound,
                line->starts_with("absent ") ? line->substr(7) : "it says '" + *line + "'");
}

Result<std::string> Peer::ask(const std::string &request, const std::string &word) {
  if (!running())
    return Status(StatusCode::Internal, "it is not running");
  std::string line = request + "\n";
  if (write(toWorker, line.data(), line.size()) != ssize_t(line.size()))
    return ended();
  PUMICE_TRY(std::string said, readLine(300));
  if (said.starts_with("failed "))
    return Status(StatusCode::Unsupported, said.substr(7));
  if (!said.starts_with(word))
    return Status(StatusCode::Internal, said);
  return said.substr(std::min(said.size(), word.size() + 1));
}

Result<std::string> Peer::readLine(double seconds) {
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    if (size_t at = pending.find('\n'); at != std::string::npos) {
      std::string line = pending.substr(0, at);
      pending.erase(0, at + 1);
      return line;
    }
    std::chrono::duration<double, std::milli> left = end - std::chrono::steady_clock::now();
    pollfd wait{fromWorker, POLLIN, 0};
    int ready = left.count() > 0 ? poll(&wait, 1, int(left.count()) + 1) : 0;
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0) {
      stop();
      return Status(StatusCode::DeadlineExceeded,
                    "no answer within " + std::to_string(int(seconds)) + " s");
    }
    char buffer[4096];
    ssize_t count = read(fromWorker, buffer, sizeof buffer);
    if (count <= 0)
      return ended();
    pending.append(buffer, size_t(count));
  }
}

/// Reports how the worker ended, after it closed its end of the pipe.
Status Peer::ended() {
  int status = 0;
  kill(process, SIGKILL); // if it is still alive
  waitpid(process, &status, 0);
  process = -1;
  stop();
  std::string how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                        : "exit status " + std::to_string(WEXITSTATUS(status));
  return Status(StatusCode::Internal, "its worker ended with " + how);
}

void Peer::stop() {
  if (toWorker >= 0)
    close(toWorker);
  if (process > 0) {
    // Without requests the worker ends by itself, so that it can write caches. The wait is limited.
    for (int waited = 0; waitpid(process, nullptr, WNOHANG) == 0; ++waited) {
      if (waited == 500)
        kill(process, SIGKILL);
      usleep(10000);
    }
  }
  if (fromWorker >= 0)
    close(fromWorker);
  process = -1, toWorker = -1, fromWorker = -1;
  pending.clear();
}

} // namespace pumice::bench
