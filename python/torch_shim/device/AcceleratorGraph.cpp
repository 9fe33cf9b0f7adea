//===- AcceleratorGraph.cpp - graphs of vk for torch.accelerator.Graph ------===//
#if __has_include(<ATen/core/GraphImplInterface.h>) // PyTorch has it since 2.13
#include "python/torch_shim/device/Graph.h"

#include <ATen/core/GraphImplInterface.h>
#include <c10/util/Exception.h>

namespace pumice::vk {
namespace {

class AcceleratorGraph final : public at::GraphImplInterface {
public:
  explicit AcceleratorGraph(const at::GraphImplArgs &) {}
  void capture_begin(at::MempoolId_t pool, at::GraphCaptureMode) override { graph.begin(pool); }
  void capture_end() override { graph.end(); }
  void instantiate() override {} // done at the end of the capture
  void replay() override { graph.replay(); }
  void reset() override { graph.reset(); }
  at::MempoolId_t pool() const override { return graph.pool(); }
  void enable_debug_mode() override {}
  void debug_dump(const std::string &) override {
    TORCH_CHECK_NOT_IMPLEMENTED(false, "graphs of vk cannot be written to files");
  }

private:
  Graph graph;
};

// The registry's key is the name of the device in capital letters.
using at::GraphImplRegistry, at::RegistererGraphImplRegistry;
REGISTER_GRAPH_IMPL(VK, AcceleratorGraph)

} // namespace
} // namespace pumice::vk
#endif
