//===- Memory.cpp - memory of buffers, and how it is moved ------------------===//
#include "runtime/drivers/cpu/Memory.h"

#include "runtime/hal/HostAllocator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#ifndef _WIN32
#include <sys/mman.h>
#include <unistd.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pumice::cpu_driver {
namespace {

/// With fewer bytes than `manyBytes`, a second thread costs more than it saves.
constexpr uint64_t manyBytes = 1u << 20, chunkBytes = 1u << 18;
/// Writes of at least this size bypass the caches, because the data will not be read again soon,
/// and would evict other data.
constexpr uint64_t pastCaches = 32u << 20;
constexpr uint64_t largePage = 2u << 20;

#ifdef __SSE2__

/// Writes whole cache lines at aligned addresses. The cache does not read the lines first.
template <typename Load> void streamLines(std::byte *to, uint64_t bytes, const Load &load) {
  for (uint64_t i = 0; i < bytes; i += 64)
    for (uint64_t j = 0; j < 64; j += 16)
      _mm_stream_si128(reinterpret_cast<__m128i *>(to + i + j), load(i + j));
  _mm_sfence();
}

#endif

/// The part of [to, to + bytes) that consists of whole cache lines: its first byte `begin`, and its
/// size.
struct Lines {
  Lines(const std::byte *to, uint64_t bytes) {
    begin = std::min<uint64_t>(-reinterpret_cast<uintptr_t>(to) & 63, bytes);
    length = (bytes - begin) & ~uint64_t{63};
  }
  uint64_t begin, length;
};

void copyPart(std::byte *to, const std::byte *from, uint64_t bytes, bool stream) {
#ifdef __SSE2__
  if (stream) {
    Lines lines(to, bytes);
    std::memcpy(to, from, lines.begin);
    streamLines(to + lines.begin, lines.length, [&](uint64_t at) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + lines.begin + at));
    });
    uint64_t done = lines.begin + lines.length;
    std::memcpy(to + done, from + done, bytes - done);
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

void fillWords(std::byte *to, uint64_t bytes, uint32_t pattern) {
  uint64_t at = 0;
  for (; at + 4 <= bytes; at += 4)
    std::memcpy(to + at, &pattern, 4);
  std::memcpy(to + at, &pattern, bytes - at);
}

/// Returns the pattern, rotated so that it continues `count` bytes further on.
[[maybe_unused]] uint32_t turned(uint32_t pattern, uint64_t count) {
  return std::rotr(pattern, static_cast<int>(count % 4 * 8));
}

void fillPart(std::byte *to, uint64_t bytes, uint32_t pattern, bool stream) {
#ifdef __SSE2__
  if (stream) {
    Lines lines(to, bytes);
    fillWords(to, lines.begin, pattern);
    __m128i value = _mm_set1_epi32(static_cast<int>(turned(pattern, lines.begin)));
    streamLines(to + lines.begin, lines.length, [&](uint64_t) { return value; });
    uint64_t done = lines.begin + lines.length;
    fillWords(to + done, bytes - done, turned(pattern, done));
    return;
  }
#endif
  if (pattern == (pattern & 0xff) * 0x01010101u)
    std::memset(to, static_cast<int>(pattern & 0xff), bytes);
  else
    fillWords(to, bytes, pattern);
}

struct CopyJob final : WorkerPool::Job {
  std::byte *to;
  const std::byte *from;
  bool stream;
  CopyJob(std::byte *to, const std::byte *from, bool stream) : to(to), from(from), stream(stream) {}
  void run(uint64_t begin, uint64_t end) override {
    copyPart(to + begin, from + begin, end - begin, stream);
  }
};

struct FillJob final : WorkerPool::Job {
  std::byte *to;
  uint32_t pattern;
  bool stream;
  FillJob(std::byte *to, uint32_t pattern, bool stream)
      : to(to), pattern(pattern), stream(stream) {}
  void run(uint64_t begin, uint64_t end) override { // chunks are whole words
    fillPart(to + begin, end - begin, pattern, stream);
  }
};

} // namespace

void *allocateMemory(uint64_t bytes) {
  bool large = bytes >= 4 * largePage;
  uint64_t alignment = large ? largePage : memoryAlignment;
  if (bytes > UINT64_MAX - alignment)
    return nullptr;
  uint64_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  void *memory = hal::allocateHostMemory(rounded, alignment);
  if (memory && large)
    adviseLargePages(memory, rounded);
  return memory;
}

void freeMemory(void *memory) { hal::freeHostMemory(memory); }

#ifdef _WIN32

void *allocateGuarded(uint64_t bytes, Guards) { return allocateMemory(bytes); }
void freeGuarded(void *memory, uint64_t, Guards) { freeMemory(memory); }

#else

namespace {

/// The size of a guard on each side. An index that is only slightly wrong stays within it.
constexpr uint64_t guardBytes = 256u << 20;
constexpr uint64_t guardedAlignment = 16;

uint64_t roundedUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

struct GuardedPlace {
  GuardedPlace(uint64_t bytes, Guards guards) {
    used = roundedUp(std::max<uint64_t>(bytes, 1), guardedAlignment);
    pages = roundedUp(used, static_cast<uint64_t>(sysconf(_SC_PAGESIZE)));
    begin = guardBytes + (guards == Guards::End ? pages - used : 0);
  }
  uint64_t whole() const { return pages + 2 * guardBytes; }
  uint64_t used, pages;
  uint64_t begin; // the address at which the first guard begins
};

} // namespace

void *allocateGuarded(uint64_t bytes, Guards guards) {
  if (guards == Guards::None)
    return allocateMemory(bytes);
  if (bytes > UINT64_MAX / 2)
    return nullptr;
  GuardedPlace place(bytes, guards);
  void *whole =
      mmap(nullptr, place.whole(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED)
    return nullptr;
  auto *first = static_cast<std::byte *>(whole);
  if (mprotect(first + guardBytes, place.pages, PROT_READ | PROT_WRITE) != 0) {
    munmap(whole, place.whole());
    return nullptr;
  }
  return first + place.begin;
}

void freeGuarded(void *memory, uint64_t bytes, Guards guards) {
  if (guards == Guards::None || !memory)
    return freeMemory(memory);
  GuardedPlace place(bytes, guards);
  munmap(static_cast<std::byte *>(memory) - place.begin, place.whole());
}

#endif

void copyBytes(WorkerPool &pool, std::byte *to, const std::byte *from, uint64_t bytes) {
  bool stream = bytes >= pastCaches;
  if (bytes < manyBytes)
    return copyPart(to, from, bytes, stream);
  CopyJob job(to, from, stream);
  pool.run(job, bytes, chunkBytes);
}

void fillBytes(WorkerPool &pool, std::byte *to, uint64_t bytes, uint32_t pattern) {
  bool stream = bytes >= pastCaches;
  if (bytes < manyBytes)
    return fillPart(to, bytes, pattern, stream);
  FillJob job(to, pattern, stream);
  pool.run(job, bytes, chunkBytes);
}

} // namespace pumice::cpu_driver
