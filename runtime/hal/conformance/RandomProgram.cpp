//===- RandomProgram.cpp - random work, compared with a model on the host ---===//
#include "runtime/hal/conformance/RandomProgram.h"

#include <algorithm>

namespace pumice::hal::conformance {

Result<std::unique_ptr<RandomProgram>>
RandomProgram::make(Device &device, std::vector<Ref<Queue>> queues, uint32_t seed) {
  std::unique_ptr<RandomProgram> program(new RandomProgram(seed));
  PUMICE_TRY(Mix described, Mix::make(device));
  program->kernels.push_back(described);
  if (device.info().bufferAddresses) {
    PUMICE_TRY(Mix addressed, Mix::make(device, Mix::Addressing::Addresses));
    program->kernels.push_back(addressed);
  }
  for (Ref<Queue> &queue : queues) {
    PUMICE_TRY(Ref<Timeline> timeline, device.createTimeline());
    program->lines.push_back({std::move(queue), std::move(timeline)});
  }
  for (uint32_t i = 0; i < 8; ++i) {
    Memory memory;
    memory.model = randomWords(1 + program->below(3000), seed + i);
    PUMICE_TRY(memory.buffer, device.allocate(memory.model.size() * 4,
                                              i % 4 ? MemoryKind::Device : MemoryKind::Host));
    PUMICE_RETURN_IF_ERROR(
        program->lines[0].queue->upload({memory.buffer.get()}, bytesOf(memory.model)));
    program->memories.push_back(std::move(memory));
  }
  PUMICE_RETURN_IF_ERROR(program->lines[0].queue->finish());
  return program;
}

std::pair<uint32_t, uint32_t> RandomProgram::span(const Memory &memory) {
  auto words = static_cast<uint32_t>(memory.model.size());
  uint32_t first = below(words);
  return {first, 1 + below(words - first)};
}

Status RandomProgram::waitFor(size_t line, const Point &point) {
  if (point.value == 0 || point.queue == line)
    return Status::ok();
  return lines[line].queue->wait({lines[point.queue].timeline.get(), point.value});
}

Status RandomProgram::begin(size_t line, std::span<Memory *const> reads, Memory &writes) {
  for (Memory *memory : reads)
    PUMICE_RETURN_IF_ERROR(waitFor(line, memory->written));
  PUMICE_RETURN_IF_ERROR(waitFor(line, writes.written));
  for (const Point &point : writes.read)
    PUMICE_RETURN_IF_ERROR(waitFor(line, point));
  return Status::ok();
}

Status RandomProgram::end(size_t line, std::span<Memory *const> reads, Memory &writes) {
  Point point{line, ++lines[line].value};
  writes.written = point;
  writes.read.clear();
  for (Memory *memory : reads)
    if (memory != &writes)
      memory->read.push_back(point);
  if (lines.size() == 1)
    return Status::ok(); // no other step waits for this one
  return lines[line].queue->signal({lines[line].timeline.get(), point.value});
}

Status RandomProgram::dispatch(size_t line) {
  Memory &result = memories[below(8)], &a = memories[below(8)], &b = memories[below(8)];
  Memory *reads[] = {&a, &b};
  auto most = std::min({result.model.size(), a.model.size(), b.model.size()});
  uint32_t count = 1 + below(static_cast<uint32_t>(most));
  uint32_t factor = below(100), spin = below(4) ? 0 : below(100);
  PUMICE_RETURN_IF_ERROR(begin(line, reads, result));
  const Mix &mix = kernels[below(static_cast<uint32_t>(kernels.size()))];
  PUMICE_RETURN_IF_ERROR(
      mix.dispatch(*lines[line].queue, *result.buffer, *a.buffer, *b.buffer, count, factor, spin));
  for (uint32_t i = 0; i < count; ++i)
    result.model[i] = Mix::of(a.model[i], b.model[i], i, factor, spin);
  return end(line, reads, result);
}

Status RandomProgram::copy(size_t line) {
  Memory &to = memories[below(8)], &from = memories[below(8)];
  if (&to == &from)
    return Status::ok();
  Memory *reads[] = {&from};
  auto [toFirst, toCount] = span(to);
  auto [fromFirst, fromCount] = span(from);
  uint32_t count = std::min(toCount, fromCount);
  PUMICE_RETURN_IF_ERROR(begin(line, reads, to));
  PUMICE_RETURN_IF_ERROR(lines[line].queue->copy({to.buffer.get(), toFirst * 4, count * 4},
                                                 {from.buffer.get(), fromFirst * 4, count * 4}));
  std::copy_n(from.model.begin() + fromFirst, count, to.model.begin() + toFirst);
  return end(line, reads, to);
}

Status RandomProgram::fill(size_t line) {
  Memory &to = memories[below(8)];
  auto [first, count] = span(to);
  auto pattern = static_cast<uint32_t>(random());
  PUMICE_RETURN_IF_ERROR(begin(line, {}, to));
  PUMICE_RETURN_IF_ERROR(lines[line].queue->fill({to.buffer.get(), first * 4, count * 4}, pattern));
  std::fill_n(to.model.begin() + first, count, pattern);
  return end(line, {}, to);
}

Status RandomProgram::upload(size_t line) {
  Memory &to = memories[below(8)];
  auto [first, count] = span(to);
  std::vector<uint32_t> words = randomWords(count, static_cast<uint32_t>(random()));
  PUMICE_RETURN_IF_ERROR(begin(line, {}, to));
  PUMICE_RETURN_IF_ERROR(
      lines[line].queue->upload({to.buffer.get(), first * 4, count * 4}, bytesOf(words)));
  std::copy(words.begin(), words.end(), to.model.begin() + first);
  return end(line, {}, to);
}

Status RandomProgram::download(size_t line) {
  Memory &from = memories[below(8)];
  auto [first, count] = span(from);
  auto begins = from.model.begin() + first;
  received.push_back(std::make_unique<Received>(
      Received{std::vector<uint32_t>(count), std::vector<uint32_t>(begins, begins + count)}));
  PUMICE_RETURN_IF_ERROR(waitFor(line, from.written));
  PUMICE_RETURN_IF_ERROR(lines[line].queue->download(writableBytesOf(received.back()->words),
                                                     {from.buffer.get(), first * 4, count * 4}));
  Point point{line, ++lines[line].value};
  from.read.push_back(point);
  return lines[line].queue->signal({lines[line].timeline.get(), point.value});
}

Status RandomProgram::step() {
  size_t line = below(static_cast<uint32_t>(lines.size()));
  switch (below(24)) {
  case 0:
    return lines[line].queue->flush();
  case 1:
    return below(8) ? Status::ok() : lines[line].queue->finish();
  case 2:
  case 3:
    return upload(line);
  case 4:
  case 5:
    return download(line);
  case 6:
  case 7:
  case 8:
    return fill(line);
  case 9:
  case 10:
  case 11:
  case 12:
    return copy(line);
  default:
    return dispatch(line);
  }
}

Status RandomProgram::check() {
  for (size_t i = 0; i < memories.size(); ++i)
    PUMICE_RETURN_IF_ERROR(download(below(static_cast<uint32_t>(lines.size()))));
  for (Line &line : lines)
    PUMICE_RETURN_IF_ERROR(line.queue->finish());
  for (Memory &memory : memories) {
    received.push_back(std::make_unique<Received>(
        Received{std::vector<uint32_t>(memory.model.size()), memory.model}));
    PUMICE_RETURN_IF_ERROR(
        lines[0].queue->download(writableBytesOf(received.back()->words), {memory.buffer.get()}));
  }
  PUMICE_RETURN_IF_ERROR(lines[0].queue->finish());
  for (size_t i = 0; i < received.size(); ++i)
    for (size_t j = 0; j < received[i]->words.size(); ++j)
      if (received[i]->words[j] != received[i]->expected[j])
        return Status(StatusCode::Internal, "download " + std::to_string(i) + " of " +
                                                std::to_string(received.size()) + ": word " +
                                                std::to_string(j) + " is " +
                                                std::to_string(received[i]->words[j]) + ", not " +
                                                std::to_string(received[i]->expected[j]));
  received.clear();
  return Status::ok();
}

} // namespace pumice::hal::conformance
