//===- WorkgroupMemory.cpp - the workgroup memory of a distributed kernel ---===//
#include "compiler/lower/tile/WorkgroupMemory.h"

#include "compiler/dialect/vk/VkDialect.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using namespace pumice::lower::tiles;

tile::WorkgroupMemory tiles::workgroupMemory(gpu::GPUModuleOp module) {
  tile::WorkgroupMemory memory;
  if (module->hasAttr(vk::targetEnvAttrName))
    if (FailureOr<target::TargetEnv> env = vk::lookupTarget(module); succeeded(env))
      memory.bytes = env->limits.maxComputeSharedMemorySize;
  return memory;
}

ArrayRef<BlockArgument> tiles::ownAttributions(gpu::GPUFuncOp func) {
  auto count = func->getAttrOfType<IntegerAttr>(ownAttributionsAttrName);
  return func.getWorkgroupAttributions().take_front(count ? static_cast<size_t>(count.getInt())
                                                          : 0);
}

void tiles::addOwnAttribution(gpu::GPUFuncOp func, Type element, uint64_t count) {
  Builder b(func.getContext());
  // A kernel in generic form may lack this attribute, which upstream's function requires.
  StringRef attributions = gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName();
  if (!func->hasAttr(attributions))
    func->setAttr(attributions, b.getI64IntegerAttr(0));
  auto space = gpu::AddressSpaceAttr::get(func.getContext(), gpu::AddressSpace::Workgroup);
  func.addWorkgroupAttribution(
      MemRefType::get({static_cast<int64_t>(count)}, element, MemRefLayoutAttrInterface(), space),
      func.getLoc());
  func->setAttr(ownAttributionsAttrName,
                b.getI32IntegerAttr(static_cast<int32_t>(func.getWorkgroupAttributions().size())));
}

static void removeUnusedAttributions(gpu::GPUFuncOp func) {
  SmallVector<BlockArgument> all(func.getWorkgroupAttributions());
  int64_t count = static_cast<int64_t>(all.size());
  for (BlockArgument one : llvm::reverse(all))
    if (one.use_empty()) {
      func.getBody().front().eraseArgument(one.getArgNumber());
      func->setAttr(gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName(),
                    Builder(func).getI64IntegerAttr(--count));
    }
}

static uint64_t bytesOf(BlockArgument memory) {
  auto type = cast<MemRefType>(memory.getType());
  return static_cast<uint64_t>(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
}

uint64_t tiles::ownBytes(gpu::GPUFuncOp func) {
  uint64_t bytes = 0;
  for (BlockArgument one : ownAttributions(func))
    bytes += bytesOf(one);
  return bytes;
}

uint64_t tiles::shareWorkgroupMemory(gpu::GPUFuncOp func) {
  llvm::MapVector<Type, BlockArgument> largest;
  uint64_t bytes = ownBytes(func);
  size_t own = ownAttributions(func).size();
  func->removeAttr(ownAttributionsAttrName);
  for (BlockArgument one : func.getWorkgroupAttributions().drop_front(own)) {
    auto type = cast<MemRefType>(one.getType());
    BlockArgument &best = largest[type.getElementType()];
    if (!best || cast<MemRefType>(best.getType()).getNumElements() < type.getNumElements())
      best = one;
  }
  for (BlockArgument one : llvm::to_vector(func.getWorkgroupAttributions().drop_front(own))) {
    BlockArgument best = largest[cast<MemRefType>(one.getType()).getElementType()];
    if (best == one)
      bytes += bytesOf(one);
    else
      one.replaceAllUsesWith(best);
  }
  removeUnusedAttributions(func);
  return bytes;
}
