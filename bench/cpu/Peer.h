//===- Peer.h - a worker's process, and the list of peers -------------------===//
#pragma once

#include "support/Status.h"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace pumice::bench {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Says how to start a peer.
struct PeerSpec {
  std::string name, kind; // `kind`: native, opencl or hal:REQUEST
  Environment environment;
  std::string absent; // the reason why it cannot be started, if that is known
};

/// Lists all peers that this benchmark knows: native first, Pumice second. `build` holds the files
/// that setup/bench-peers.sh unpacked.
std::vector<PeerSpec> knownPeers(const std::string &build);

/// A worker process. Nothing it does disturbs this process: a crash or a hang is an error of `ask`.
class Peer {
public:
  Peer(PeerSpec spec, std::string program, bool quick)
      : spec(std::move(spec)), program(std::move(program)), quick(quick) {}
  Peer(Peer &&other) noexcept;
  ~Peer() { stop(); }

  const std::string &name() const { return spec.name; }
  const std::string &description() const { return what; }
  bool running() const { return process > 0; }

  /// Waits until the worker is ready. Errors: NotFound if it has no device.
  Status start(const Environment &more = {});
  /// Sends one request, and returns its answer without the first word, which must be `word`
  /// ("times" and so on). Errors: those of the worker; Internal if it crashed; DeadlineExceeded.
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
