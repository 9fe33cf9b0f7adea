//===- HostTransfers.cpp - gpu.memcpy and gpu.memset of host programs -------===//
// Either side may be the device's memory or the host's, known or not, and strided.
//===-------------------------------------------------------------------------===//
#include "tools/run-host/HostRuntime.h"
#include "tools/run-host/ProgramCode.h"

#include "support/EnglishText.h"

#include <algorithm>
#include <cstring>

using namespace pumice;
using namespace pumice::run;

/// Returns whether a queue reaches the bytes in `region`: the device's, or the host's in place.
static bool onDevice(const Region *region) {
  return region && region->buffer && (!region->mirrored || region->deviceNewer);
}

Status HostRuntime::read(std::byte *to, const Region &region, const std::byte *from,
                         uint64_t bytes) {
  PUMICE_RETURN_IF_ERROR(region.checkAlive());
  PUMICE_RETURN_IF_ERROR(finish());
  PUMICE_RETURN_IF_ERROR(streams[0].queue->download({to, bytes}, region.rangeFrom(from, bytes)));
  return streams[0].queue->finish();
}

/// Returns the region for access by a queue, or null for plain host memory. Bytes beyond a
/// registered part are plain, too. `settle` has made them current.
static Region *regionOf(HostMemory &known, const std::byte *begin, uint64_t bytes) {
  Region *region = known.find(begin);
  bool partly = region && region->kind == Region::Kind::Registered && begin + bytes > region->end();
  return partly ? nullptr : region;
}

static Status checkWritable(const Memref &memref) {
  const ProgramCode *code = ProgramCode::current();
  if (!code || !code->isConstant(reinterpret_cast<uintptr_t>(memref.aligned)))
    return Status::ok();
  return Status(StatusCode::InvalidArgument,
                "its target is a constant of the program, which cannot be written; leave "
                "'constant' of its memref.global out");
}

/// Sets `lands` if the host gets the bytes later.
Status HostRuntime::copyRun(std::byte *to, const std::byte *from, uint64_t bytes, size_t stream,
                            bool &lands) {
  Region *target = regionOf(*known, to, bytes), *source = regionOf(*known, from, bytes);
  for (const auto &[region, begin] :
       {std::pair<const Region *, const std::byte *>{target, to}, {source, from}}) {
    if (!region)
      continue;
    if (Status alive = region->checkAlive(); !alive.isOk())
      return std::move(alive).at(region == target ? "the target of the copy"
                                                  : "the source of the copy");
    if (begin + bytes > region->end())
      return Status(StatusCode::InvalidArgument,
                    "the copy reaches " + pumice::counted(begin + bytes - region->end(), "byte") +
                        " beyond memory of " + std::to_string(region->bytes));
  }
  hal::Queue &queue = *streams[stream].queue;
  streams[stream].pending = true;
  counted.copies.add(bytes);
  bool toDevice = onDevice(target), fromDevice = onDevice(source);
  if (fromDevice)
    PUMICE_RETURN_IF_ERROR(touch(*source, /*writes=*/false, stream));
  if (toDevice)
    PUMICE_RETURN_IF_ERROR(touch(*target, /*writes=*/true, stream));
  if (toDevice && fromDevice)
    return queue.copy(target->rangeFrom(to, bytes), source->rangeFrom(from, bytes));
  if (toDevice)
    return queue.upload(target->rangeFrom(to, bytes), {from, bytes});
  if (fromDevice) {
    lands = true;
    return queue.download({to, bytes}, source->rangeFrom(from, bytes));
  }
  PUMICE_RETURN_IF_ERROR(finish());
  std::memmove(to, from, bytes);
  return Status::ok();
}

Status HostRuntime::settle(const Memref &memref) {
  Memref::Reach reach = memref.reach();
  return settle(memref.aligned + reach.first, static_cast<uint64_t>(reach.end - reach.first));
}

Status HostRuntime::copy(const host::Site &site, void *const *operands, size_t stream) {
  Memref memrefs[2];
  for (size_t i = 0; i < 2; ++i)
    memrefs[i] = Memref::ranked(operands[i], site.operands[i].rank,
                                static_cast<uint64_t>(site.operands[i].bytes));
  for (const Memref &memref : memrefs)
    PUMICE_RETURN_IF_ERROR(checkFits(memref));
  const auto &[to, from] = memrefs;
  if (!std::equal(to.sizes.begin(), to.sizes.end(), from.sizes.begin(), from.sizes.end())) {
    return Status(StatusCode::InvalidArgument, "gpu.memcpy of " + textOfSizes(from.sizes) +
                                                   " elements to memory of " +
                                                   textOfSizes(to.sizes));
  }
  if (to.isEmpty())
    return Status::ok();
  PUMICE_RETURN_IF_ERROR(checkWritable(to));
  for (const Memref &memref : memrefs)
    PUMICE_RETURN_IF_ERROR(settle(memref));
  // Waits from time to time, since every later operation checks all remembered landings.
  constexpr size_t mostLandings = 256;
  if (landings.size() >= mostLandings)
    PUMICE_RETURN_IF_ERROR(finish());
  Status status;
  bool lands = false;
  auto bytes = static_cast<int64_t>(to.elementBytes);
  forEachRun(to, from, [&](int64_t atTo, int64_t atFrom, uint64_t elements) {
    if (status.isOk())
      status = copyRun(to.aligned + atTo * bytes, from.aligned + atFrom * bytes,
                       elements * to.elementBytes, stream, lands);
  });
  Memref::Reach reach = to.reach();
  if (lands)
    landings.push_back({to.aligned + reach.first, to.aligned + reach.end, stream});
  return status;
}

Status HostRuntime::fillRun(std::byte *to, uint64_t elements, const std::byte *value,
                            uint64_t bytes, size_t stream) {
  Region *region = regionOf(*known, to, elements * bytes);
  if (region)
    PUMICE_RETURN_IF_ERROR(region->checkAlive());
  hal::Queue &queue = *streams[stream].queue;
  streams[stream].pending = true;
  if (region && to + elements * bytes > region->end())
    return Status(StatusCode::InvalidArgument,
                  "the fill reaches " +
                      pumice::counted(to + elements * bytes - region->end(), "byte") +
                      " beyond memory of " + std::to_string(region->bytes));
  if (onDevice(region))
    PUMICE_RETURN_IF_ERROR(touch(*region, /*writes=*/true, stream));
  // The shortest pattern that repeats to these bytes.
  uint64_t pattern = bytes;
  while (pattern > 1 && std::memcmp(value, value + pattern / 2, pattern / 2) == 0)
    pattern /= 2;
  if (onDevice(region) && pattern <= 4) {
    uint32_t bits = 0;
    std::memcpy(&bits, value, pattern);
    return queue.fill(region->rangeFrom(to, elements * bytes), bits,
                      static_cast<uint32_t>(pattern));
  }
  std::vector<std::byte> contents;
  if (!onDevice(region))
    PUMICE_RETURN_IF_ERROR(finish());
  else
    contents.resize(elements * bytes);
  std::byte *place = onDevice(region) ? contents.data() : to;
  for (uint64_t i = 0; i < elements; ++i)
    std::memcpy(place + i * bytes, value, bytes);
  return contents.empty() ? Status::ok()
                          : queue.upload(region->rangeFrom(to, contents.size()), contents);
}

Status HostRuntime::fill(const host::Site &site, void *const *operands, size_t stream) {
  const host::Operand &operand = site.operands[0];
  Memref memref = Memref::ranked(operands[0], operand.rank, static_cast<uint64_t>(operand.bytes));
  auto value = static_cast<const std::byte *>(operands[1]);
  // A complex number, or a vector, is stored with its padding.
  std::vector<std::byte> element(memref.elementBytes);
  std::memcpy(element.data(), value,
              std::min<size_t>(element.size(), static_cast<size_t>(site.operands[1].bytes)));
  PUMICE_RETURN_IF_ERROR(checkFits(memref));
  if (memref.isEmpty())
    return Status::ok();
  PUMICE_RETURN_IF_ERROR(checkWritable(memref));
  PUMICE_RETURN_IF_ERROR(settle(memref));
  Status status;
  auto bytes = static_cast<int64_t>(memref.elementBytes);
  forEachRun(memref, memref, [&](int64_t at, int64_t, uint64_t elements) {
    if (status.isOk())
      status = fillRun(memref.aligned + at * bytes, elements, element.data(), memref.elementBytes,
                       stream);
  });
  return status;
}
