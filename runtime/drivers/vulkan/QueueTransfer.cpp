//===- QueueTransfer.cpp - copies, fills, uploads and downloads -------------===//
#include "runtime/drivers/vulkan/Queue.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace pumice::vulkan {
namespace {

using Kind = hal::ProfileRecord::Kind;

const VulkanBuffer &vulkanBuffer(const hal::BufferRange &range) {
  return static_cast<const VulkanBuffer &>(*range.buffer);
}

} // namespace

bool VulkanQueue::hostMayTouch(const hal::Buffer &buffer) {
  const auto &ours = static_cast<const VulkanBuffer &>(buffer);
  if (!device.options.directTransfers || !buffer.hostPointer() || profiling)
    return false;
  keepWhileLocked();
  // A buffer counts as in use until its work is retired, so this retires work that is done.
  if (ours.isInUse() || device.unnamedWork.load())
    (void)stream->retire();
  if (ours.isInUse() || device.unnamedWork.load())
    return false;
  // Later work of this queue must wait for points that are not reached. So must a transfer by the
  // host.
  if (unreached.empty())
    return true;
  std::lock_guard lock(device.scheduler.mutex);
  std::erase_if(unreached,
                [](const Point &point) { return point.timeline->standing(point.value).reached; });
  return unreached.empty();
}

Status VulkanQueue::copyRegion(const VulkanBuffer &from, uint64_t fromOffset,
                               const VulkanBuffer &to, uint64_t toOffset, uint64_t bytes) {
  VkBufferCopy region{from.base() + fromOffset, to.base() + toOffset, bytes};
  device.vk().vkCmdCopyBuffer(batch->commands, from.handle(), to.handle(), 1, &region);
  endCommand();
  return Status::ok();
}

Status VulkanQueue::copyImpl(const hal::BufferRange &to, const hal::BufferRange &from) {
  Lock lock(*this);
  startRecord(Kind::Copy, "", to.bytes);
  touches.clear();
  touch(to, true);
  touch(from, false);
  PUMICE_RETURN_IF_ERROR(beginCommand(TransferStage, false));
  return copyRegion(vulkanBuffer(from), from.offset, vulkanBuffer(to), to.offset, to.bytes);
}

/// Fills one end of a range. vkCmdFillBuffer only accepts whole words, so the bytes before and
/// after them are copied.
Status VulkanQueue::fillEdge(const hal::BufferRange &to, uint64_t offset, uint64_t bytes,
                             uint32_t pattern) {
  if (bytes == 0)
    return Status::ok();
  startRecord(Kind::Fill, "", bytes);
  PUMICE_TRY(StagingPart part, stage(MemoryUse::Upload, bytes));
  for (uint64_t i = 0; i < bytes; ++i)
    part.mapped()[i] = static_cast<std::byte>(pattern >> (8 * ((offset - to.offset + i) % 4)));
  touches.clear();
  touch({to.buffer, offset, bytes}, true);
  PUMICE_RETURN_IF_ERROR(beginCommand(TransferStage, false));
  return copyRegion(*part.chunk, part.offset, vulkanBuffer(to), offset, bytes);
}

Status VulkanQueue::fillImpl(const hal::BufferRange &to, uint32_t pattern) {
  Lock lock(*this);
  uint64_t end = to.offset + to.bytes;
  uint64_t firstWord = std::min(VulkanBuffer::wholeWords(to.offset), end);
  uint64_t wordsEnd = std::max(end / 4 * 4, firstWord);
  PUMICE_RETURN_IF_ERROR(fillEdge(to, to.offset, firstWord - to.offset, pattern));
  PUMICE_RETURN_IF_ERROR(fillEdge(to, wordsEnd, end - wordsEnd, pattern));
  if (firstWord == wordsEnd)
    return Status::ok();
  startRecord(Kind::Fill, "", wordsEnd - firstWord);
  touches.clear();
  touch({to.buffer, firstWord, wordsEnd - firstWord}, true);
  PUMICE_RETURN_IF_ERROR(beginCommand(TransferStage, false));
  // The word at `firstWord` starts in the middle of the pattern.
  uint32_t turned = std::rotr(pattern, static_cast<int>(8 * ((firstWord - to.offset) % 4)));
  const VulkanBuffer &buffer = vulkanBuffer(to);
  device.vk().vkCmdFillBuffer(batch->commands, buffer.handle(), buffer.base() + firstWord,
                              wordsEnd - firstWord, turned);
  endCommand();
  return Status::ok();
}

Status VulkanQueue::newChunk(MemoryUse use, StagingUse &staging) {
  Ref<VulkanBuffer> chunk = stream->takeChunk(use);
  keepWhileLocked();
  // If all chunks are in use, waits for the oldest batch in flight, if there is one.
  for (; !chunk && stream->chunksMade(use) >= device.options.stagingChunks;
       chunk = stream->takeChunk(use)) {
    stream->flush();
    uint64_t oldest = stream->oldestInFlight();
    if (oldest == 0)
      break;
    PUMICE_RETURN_IF_ERROR(stream->waitFor(oldest, Deadline{}));
  }
  if (!chunk) {
    PUMICE_TRY(chunk, VulkanBuffer::create(device, device.options.stagingChunkBytes,
                                           hal::MemoryKind::Host, use));
    stream->noteChunkMade(use);
  }
  staging.chunks.push_back(std::move(chunk));
  staging.filled = 0;
  return Status::ok();
}

/// Returns up to `bytes` bytes of staging memory, which the open batch keeps until it is done. The
/// rest of a chunk is used first, so large transfers are split into pieces.
Result<StagingPart> VulkanQueue::stage(MemoryUse use, uint64_t bytes) {
  constexpr uint64_t alignment = 64; // helps copy engines and caches
  uint64_t chunkBytes = device.options.stagingChunkBytes;
  StagingUse *staging = use == MemoryUse::Upload ? &openBatch().uploads : &openBatch().downloads;
  if (staging->chunks.empty() || staging->filled >= chunkBytes) {
    // If a chunk is full, the batch is submitted, so that the device works while the host copies.
    if (!staging->chunks.empty()) {
      PUMICE_RETURN_IF_ERROR(closeBatch());
      stream->flush();
      staging = use == MemoryUse::Upload ? &openBatch().uploads : &openBatch().downloads;
    }
    PUMICE_RETURN_IF_ERROR(newChunk(use, *staging));
  }
  StagingPart part{staging->chunks.back().get(), staging->filled,
                   std::min(bytes, chunkBytes - staging->filled)};
  staging->filled = (staging->filled + part.bytes + alignment - 1) / alignment * alignment;
  return part;
}

Status VulkanQueue::uploadImpl(const hal::BufferRange &to, std::span<const std::byte> from) {
  Lock lock(*this);
  if (hostMayTouch(*to.buffer)) {
    std::memcpy(to.buffer->hostPointer() + to.offset, from.data(), from.size());
    return Status::ok();
  }
  for (uint64_t done = 0; done < from.size();) {
    startRecord(Kind::Upload, "", 0);
    PUMICE_TRY(StagingPart part, stage(MemoryUse::Upload, from.size() - done));
    measuring.bytes = part.bytes;
    std::memcpy(part.mapped(), from.data() + done, part.bytes);
    touches.clear();
    touch({to.buffer, to.offset + done, part.bytes}, true);
    PUMICE_RETURN_IF_ERROR(beginCommand(TransferStage, false));
    PUMICE_RETURN_IF_ERROR(
        copyRegion(*part.chunk, part.offset, vulkanBuffer(to), to.offset + done, part.bytes));
    done += part.bytes;
  }
  return Status::ok();
}

Status VulkanQueue::downloadImpl(std::span<std::byte> to, const hal::BufferRange &from) {
  Lock lock(*this);
  if (hostMayTouch(*from.buffer)) {
    std::memcpy(to.data(), from.buffer->hostPointer() + from.offset, to.size());
    return Status::ok();
  }
  for (uint64_t done = 0; done < to.size();) {
    startRecord(Kind::Download, "", 0);
    PUMICE_TRY(StagingPart part, stage(MemoryUse::Download, to.size() - done));
    measuring.bytes = part.bytes;
    touches.clear();
    touch({from.buffer, from.offset + done, part.bytes}, false);
    PUMICE_RETURN_IF_ERROR(beginCommand(TransferStage, false));
    batch->landings.push_back({to.data() + done, part.mapped(), part.bytes});
    PUMICE_RETURN_IF_ERROR(
        copyRegion(vulkanBuffer(from), from.offset + done, *part.chunk, part.offset, part.bytes));
    done += part.bytes;
  }
  return Status::ok();
}

} // namespace pumice::vulkan
