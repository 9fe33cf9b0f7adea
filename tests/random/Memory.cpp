//===- Memory.cpp - what a program is given, and what it leaves -------------===//
#include "tests/random/Memory.h"
#include "tests/random/Emit.h"
#include "tests/random/Random.h"

#include <bit>
#include <cstring>

namespace pumice::random_programs {

std::vector<std::byte> &Memory::bound(uint32_t binding) {
  return binding == inputBinding    ? input
         : binding == ownBinding    ? own
         : binding == countsBinding ? counts
                                    : uniforms;
}

/// Returns a small integer as a half.
static uint64_t floatBits(Base base, int64_t value) {
  if (base == Base::F64)
    return std::bit_cast<uint64_t>(static_cast<double>(value));
  uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (base == Base::F32 || value == 0)
    return bits;
  return (bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) - 112) << 10 | (bits >> 13 & 0x3ff);
}

static uint64_t someBits(Random &random, Base base) {
  if (isFloat(base)) {
    auto most = static_cast<uint32_t>(random.chance(60) ? 9 : boundOf(base));
    return floatBits(base, int64_t{random.below(2 * most + 1)} - int64_t{most});
  }
  return random.chance(50) ? random.below(20) : random.bits() >> random.below(64);
}

static std::vector<std::byte> fill(const Program &program, uint32_t variable, uint32_t elements,
                                   Random &random) {
  if (variable == noVariable)
    return {};
  const Variable &of = program.variables[variable];
  Layout layout(program.types, of.storage == Storage::Uniform);
  std::vector<Layout::Scalar> scalars;
  layout.scalarsOf(of.type, 0, scalars);
  uint32_t stride = layout.sizeOf(of.type);
  std::vector<std::byte> bytes((size_t{stride} * elements + 15) / 16 * 16);
  for (uint32_t i = 0; i < elements; ++i)
    for (const Layout::Scalar &scalar : scalars) {
      uint64_t bits = someBits(random, scalar.base);
      std::memcpy(&bytes[size_t{i} * stride + scalar.offset], &bits, bitsOf(scalar.base) / 8);
    }
  return bytes;
}

Memory memoryFor(const Program &program) {
  Random random(program.seed ^ 0x5eed);
  Memory memory;
  memory.input = fill(program, program.input, inputElements, random);
  memory.own = fill(program, program.own, program.invocations(), random);
  memory.uniforms = fill(program, program.uniforms, 1, random);
  memory.push = fill(program, program.push, 1, random);
  memory.counts.resize(size_t{countings} * placesOfCounting * 4);
  for (std::byte &byte : memory.counts)
    byte = static_cast<std::byte>(random.bits());
  return memory;
}

static uint64_t valueAt(const std::vector<std::byte> &bytes, size_t at, Base base) {
  uint64_t bits = 0;
  size_t size = bitsOf(base) / 8;
  std::memcpy(&bits, &bytes[at], size);
  bool negativeZero = isFloat(base) && bits == uint64_t{1} << (size * 8 - 1);
  return negativeZero ? 0 : bits;
}

std::string difference(const Program &program, const Memory &a, const Memory &b) {
  auto say = [](const std::string &where, uint64_t x, uint64_t y) {
    char text[128];
    std::snprintf(text, sizeof text, ": %#llx and %#llx", static_cast<unsigned long long>(x),
                  static_cast<unsigned long long>(y));
    return where + text;
  };
  for (size_t at = 0; at < a.counts.size(); at += 4)
    if (uint64_t x = valueAt(a.counts, at, Base::U32), y = valueAt(b.counts, at, Base::U32); x != y)
      return say("count " + std::to_string(at / 4), x, y);
  TypeId type = program.variables[program.own].type;
  Layout layout(program.types, false);
  std::vector<Layout::Scalar> scalars;
  layout.scalarsOf(type, 0, scalars);
  for (uint32_t i = 0; i < program.invocations(); ++i)
    for (const Layout::Scalar &scalar : scalars) {
      size_t at = size_t{i} * layout.sizeOf(type) + scalar.offset;
      uint64_t x = valueAt(a.own, at, scalar.base), y = valueAt(b.own, at, scalar.base);
      if (x != y)
        return say("invocation " + std::to_string(i) + ", byte " + std::to_string(scalar.offset), x,
                   y);
    }
  return "";
}

} // namespace pumice::random_programs
