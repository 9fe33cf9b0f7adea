//===- Peer.h - a worker's process, and what the benchmark compares with ----===//
#pragma once

#include "support/Status.h"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace pumice::bench {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// How a peer is started.
struct PeerSpec {
  std::string name, kind; // kind: as `work` takes it
  Environment environment;
  std::string absent; // why it cannot be started, where that is known
};

/// Everything that this benchmark knows: native first, Pumice second. `build` holds what
/// setup/bench-peers.sh unpacked.
std::vector<PeerSpec> knownPeers(const std::string &build);

/// A worker. Nothing it does disturbs this process: a crash or a hang is an error of `ask`.
class Peer {
public:
  Peer(PeerSpec spec, std::string program, bool quick)
      : spec(std::move(spec)), program(std::move(program)), quick(quick) {}
  Peer(Peer &&other) noexcept;
  ~Peer() { stop(); }

  const std::string &name() const { return spec.name; }
  const std::string &description() const { return what; }
  bool running() const { return process > 0; }

  /// Returns when the worker is ready. Errors: NotFound if it has no device.
  Status start(const Environment &more = {});
  /// One request, one answer, without the words `times` and so on: `word` is what it must begin
  /// with. Errors: what the worker says, Internal if it crashed, DeadlineExceeded.
  Result<std::string> ask(const std::string &request, const std::string &word);
  void stop();

private:
  Status spawn(const Environment &more);
  Result<std::string> readLine(double seconds);
  Status ended();

  PeerSpec spec;
  std::string program, what, pending;
  bool quick;
  pid_t process = -1;
  int toWorker = -1, fromWorker = -1;
};

} // namespace pumice::bench
