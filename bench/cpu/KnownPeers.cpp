//===- KnownPeers.cpp - the peers of the CPU benchmark ----------------------===//
#include "bench/cpu/Peer.h"

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace pumice::bench {

/// Returns why a peer of setup/bench-peers.sh is missing, or an empty text if it is installed.
static std::string whyAbsent(const fs::path &folder) {
  if (fs::exists(folder / "complete"))
    return "";
  std::string reason;
  std::getline(std::ifstream(folder / "absent") >> std::ws, reason);
  return reason.empty() ? "setup/bench-peers.sh was not run" : reason;
}

/// Describes a peer with one Vulkan driver, without layers.
static PeerSpec vulkanPeer(const std::string &name, const fs::path &icd, Environment more = {}) {
  Environment environment = {{"VK_DRIVER_FILES", icd},
                             {"VK_ICD_FILENAMES", icd},
                             {"VK_LOADER_LAYERS_DISABLE", "all"},
                             {"NODEVICE_SELECT", "1"}};
  environment.insert(environment.end(), more.begin(), more.end());
  return {name, "hal:vulkan:0", std::move(environment),
          fs::exists(icd) ? "" : "there is no " + icd.string()};
}

static PeerSpec openClPeer(const std::string &name, const fs::path &build, const fs::path &folder) {
  std::string libraries = (folder / "lib").string() + ":" + (build / "opencl" / "lib").string();
  PeerSpec peer{name,
                "opencl",
                {{"OCL_ICD_VENDORS", folder / "icd"}, {"LD_LIBRARY_PATH", libraries}},
                whyAbsent(folder)};
  if (peer.absent.empty())
    peer.absent = whyAbsent(build / "opencl");
  return peer;
}

std::vector<PeerSpec> knownPeers(const std::string &build) {
  fs::path root = build;
  fs::path mesa = root / "mesa25", swiftshader = root / "swiftshader";
  std::vector<PeerSpec> peers = {{"native", "native", {}, ""}, {"pumice", "hal:cpu:0", {}, ""}};
  peers.push_back(openClPeer("intel", root, root / "intel-opencl"));
  peers.push_back(openClPeer("pocl", root, root / "pocl"));
  peers.push_back(vulkanPeer("lavapipe", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"));
  peers.push_back(
      vulkanPeer("lavapipe25", mesa / "icd" / "lvp_icd.json",
                 {{"LD_LIBRARY_PATH", mesa / "lib"}, {"LP_NATIVE_VECTOR_WIDTH", "512"}}));
  if (std::string why = whyAbsent(mesa); !why.empty())
    peers.back().absent = why;
  peers.push_back(vulkanPeer("swiftshader", swiftshader / "icd" / "swiftshader_icd.json"));
  if (std::string why = whyAbsent(swiftshader); !why.empty())
    peers.back().absent = why;
  return peers;
}

} // namespace pumice::bench
