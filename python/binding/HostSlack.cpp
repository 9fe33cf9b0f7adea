//===- HostSlack.cpp - memory around what is lent to a device ---------------===//
// A kernel that reads a little outside of a tensor reads the process's memory there. Large tensors
// have mappings of their own, with holes around them. Holes are filled with pages of zeros. These
// pages stay for the next tensor at that place; pages that nobody writes take no memory.
//===-------------------------------------------------------------------------===//
#include "python/binding/HostSlack.h"

#ifdef __linux__
#include <algorithm>
#include <atomic>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#endif

namespace pumice::python {

#ifdef __linux__
namespace {

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000 // Linux has it since 4.17, but C libraries may lack it
#endif

/// Returns how many of the `count` pages from `first` on can be read.
uint64_t readablePages(uint64_t first, uint64_t count, uint64_t page) {
  constexpr uint64_t most = 64; // pages at once
  uint64_t found = 0;
  while (found < count) {
    char bytes[most];
    iovec from[most], to{bytes, 0};
    for (; to.iov_len < std::min(most, count - found); ++to.iov_len)
      from[to.iov_len] = {reinterpret_cast<void *>(first + (found + to.iov_len) * page), 1};
    ssize_t read = process_vm_readv(getpid(), &to, 1, from, to.iov_len, 0);
    found += read > 0 ? static_cast<uint64_t>(read) : 0;
    if (read != static_cast<ssize_t>(to.iov_len))
      break;
  }
  return found;
}

/// Returns whether the heap may grow to this address soon, so that it must stay free.
bool isBehindHeap(uint64_t address) {
  auto end = reinterpret_cast<uint64_t>(sbrk(0));
  return address >= end && address - end < (uint64_t{1} << 30);
}

/// Maps pages of zeros at a place without memory.
bool fillHole(uint64_t first, uint64_t pages, uint64_t page) {
  static std::atomic<uint64_t> filled = 0;
  constexpr uint64_t most = 1 << 16; // pages in all
  if (isBehindHeap(first) || filled.fetch_add(pages) + pages > most)
    return false;
  void *wanted = reinterpret_cast<void *>(first);
  void *got = mmap(wanted, pages * page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted)
    return true;
  if (got != MAP_FAILED) // kernels before 4.17 take the address for a hint
    munmap(got, pages * page);
  return false;
}

} // namespace

bool makeReadable(uint64_t address, uint64_t bytes) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t at = address / page * page;
  uint64_t pages = (address + bytes - at + page - 1) / page;
  while (pages) {
    uint64_t there = readablePages(at, pages, page);
    at += there * page;
    pages -= there;
    if (pages == 0)
      break;
    // Either the rest is one hole, or only its first page is. The next iteration checks the rest.
    uint64_t hole = fillHole(at, pages, page) ? pages : fillHole(at, 1, page) ? 1 : 0;
    if (hole == 0)
      return false;
    at += hole * page;
    pages -= hole;
  }
  return true;
}
#else
bool makeReadable(uint64_t, uint64_t) { return true; }
#endif

} // namespace pumice::python
