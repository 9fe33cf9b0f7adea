//===- FragmentProbe.cpp - finds where a device keeps matrix elements -------===//
#include "runtime/hal/FragmentProbe.h"

#include "executable/SpirvWords.h"
#include "support/DiskCache.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace pumice::hal {
namespace {

using namespace executable::spirv;

//===------------------------------------------------------------------------===//
// The module
//===------------------------------------------------------------------------===//

// Numbers from the SPIR-V specification that no other code of the runtime needs.
constexpr uint32_t OpReturn = 253, OpIAdd = 128, OpIMul = 132, OpTypeCooperativeMatrixKHR = 4456,
                   OpCooperativeMatrixLoadKHR = 4457;
constexpr uint32_t capabilityShader = 1, capabilityFloat16 = 9, capabilityGroupNonUniform = 61,
                   capability16BitStorage = 4433, capabilityVulkanMemoryModel = 5345,
                   capabilityCooperativeMatrix = 6022;
constexpr uint32_t logicalAddressing = 0, vulkanMemoryModel = 3;
constexpr uint32_t localSize = 17, block = 2, arrayStride = 6, builtIn = 11, binding = 33,
                   descriptorSet = 34, offset = 35, subgroupLocalInvocationId = 41;
constexpr uint32_t inputClass = 1, storageBufferClass = 12, subgroupScope = 3, accumulatorUse = 2,
                   rowMajor = 0, nonPrivatePointer = 0x20;

class ModuleWords {
public:
  ModuleWords() : words{0x07230203, 0x00010300, 0, 0, 0} {}

  uint32_t newId() { return next++; }

  void add(uint32_t opcode, std::initializer_list<uint32_t> operands) {
    words.push_back(uint32_t(operands.size() + 1) << 16 | opcode);
    words.insert(words.end(), operands);
  }
  void add(uint32_t opcode, std::vector<uint32_t> operands, std::string_view text,
           std::initializer_list<uint32_t> more = {}) {
    size_t first = operands.size();
    operands.resize(first + text.size() / 4 + 1);
    std::memcpy(operands.data() + first, text.data(), text.size());
    operands.insert(operands.end(), more);
    words.push_back(uint32_t(operands.size() + 1) << 16 | opcode);
    words.insert(words.end(), operands.begin(), operands.end());
  }
  /// Adds an instruction. Its result is the first operand, or the second one if the instruction has
  /// a type.
  uint32_t declare(uint32_t opcode, std::initializer_list<uint32_t> operands) {
    uint32_t id = newId();
    words.push_back(uint32_t(operands.size() + 2) << 16 | opcode);
    words.push_back(id);
    words.insert(words.end(), operands);
    return id;
  }
  uint32_t compute(uint32_t opcode, uint32_t type, std::initializer_list<uint32_t> operands) {
    uint32_t id = newId();
    words.push_back(uint32_t(operands.size() + 3) << 16 | opcode);
    words.insert(words.end(), {type, id});
    words.insert(words.end(), operands);
    return id;
  }

  std::vector<uint32_t> finish() {
    words[3] = next;
    return std::move(words);
  }

private:
  std::vector<uint32_t> words;
  uint32_t next = 1;
};

uint32_t bytesOf(const FragmentKind &kind) { return kind.type == "f16" ? 2 : 4; }

} // namespace

std::vector<uint32_t> fragmentProbe(const FragmentKind &kind, uint32_t lanes) {
  ModuleWords m;
  bool isHalf = kind.type == "f16";
  uint32_t main = m.newId(), lane = m.newId(), memory = m.newId(), in = m.newId(), out = m.newId(),
           array = m.newId();
  for (uint32_t capability : {capabilityShader, capabilityGroupNonUniform,
                              capabilityVulkanMemoryModel, capabilityCooperativeMatrix})
    m.add(OpCapability, {capability});
  if (isHalf)
    for (uint32_t capability : {capabilityFloat16, capability16BitStorage})
      m.add(OpCapability, {capability});
  m.add(OpExtension, {}, "SPV_KHR_vulkan_memory_model");
  m.add(OpExtension, {}, "SPV_KHR_cooperative_matrix");
  if (isHalf)
    m.add(OpExtension, {}, "SPV_KHR_16bit_storage");
  m.add(OpMemoryModel, {logicalAddressing, vulkanMemoryModel});
  m.add(OpEntryPoint, {5, main}, "probe", {lane});
  m.add(OpExecutionMode, {main, localSize, lanes, 1, 1});
  m.add(OpDecorate, {lane, builtIn, subgroupLocalInvocationId});
  m.add(OpDecorate, {array, arrayStride, bytesOf(kind)});
  m.add(OpDecorate, {memory, block});
  m.add(OpMemberDecorate, {memory, 0, offset, 0});
  for (auto [variable, number] : {std::pair{in, 0u}, {out, 1u}}) {
    m.add(OpDecorate, {variable, descriptorSet, 0});
    m.add(OpDecorate, {variable, binding, number});
  }
  uint32_t none = m.declare(OpTypeVoid, {}), function = m.declare(OpTypeFunction, {none}),
           word = m.declare(OpTypeInt, {32, 0});
  uint32_t element = kind.type == "u32"   ? word
                     : kind.type == "s32" ? m.declare(OpTypeInt, {32, 1})
                                          : m.declare(OpTypeFloat, {isHalf ? 16u : 32u});
  m.add(OpTypeRuntimeArray, {array, element});
  m.add(OpTypeStruct, {memory, array});
  uint32_t ofMemory = m.declare(OpTypePointer, {storageBufferClass, memory}),
           ofElement = m.declare(OpTypePointer, {storageBufferClass, element}),
           ofWord = m.declare(OpTypePointer, {inputClass, word});
  auto constant = [&](uint32_t number) { return m.compute(OpConstant, word, {number}); };
  uint32_t components = kind.rows * kind.columns / lanes;
  uint32_t zero = constant(0), scope = constant(subgroupScope), rows = constant(kind.rows),
           columns = constant(kind.columns), use = constant(accumulatorUse),
           layout = constant(rowMajor), count = constant(components);
  std::vector<uint32_t> numbers;
  for (uint32_t c = 0; c < components; ++c)
    numbers.push_back(constant(c));
  uint32_t matrix = m.declare(OpTypeCooperativeMatrixKHR, {element, scope, rows, columns, use});
  m.add(OpVariable, {ofWord, lane, inputClass});
  m.add(OpVariable, {ofMemory, in, storageBufferClass});
  m.add(OpVariable, {ofMemory, out, storageBufferClass});

  m.add(OpFunction, {none, main, 0, function});
  m.add(OpLabel, {m.newId()});
  uint32_t from = m.compute(OpAccessChain, ofElement, {in, zero, zero});
  uint32_t loaded =
      m.compute(OpCooperativeMatrixLoadKHR, matrix, {from, layout, columns, nonPrivatePointer});
  uint32_t here = m.compute(OpLoad, word, {lane});
  uint32_t first = m.compute(OpIMul, word, {here, count});
  for (uint32_t c = 0; c < components; ++c) {
    uint32_t value = m.compute(OpCompositeExtract, element, {loaded, c});
    uint32_t index = m.compute(OpIAdd, word, {first, numbers[c]});
    uint32_t to = m.compute(OpAccessChain, ofElement, {out, zero, index});
    m.add(OpStore, {to, value});
  }
  m.add(OpReturn, {});
  m.add(OpFunctionEnd, {});
  return m.finish();
}

//===------------------------------------------------------------------------===//
// Interpretation of the probe's results
//===------------------------------------------------------------------------===//

namespace {

/// Splits a text such as "16x16x32 s8 s8 s32 s32 subgroup saturating".
std::vector<std::string_view> piecesOf(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    if (end)
      pieces.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

uint32_t numberOf(std::string_view text) {
  uint32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

/// The largest number of components that the probe supports, and of elements that f16 can number.
constexpr uint32_t mostComponents = 64, mostElements = 2048;

bool isProbed(const FragmentKind &kind, uint32_t lanes) {
  uint64_t elements = uint64_t(kind.rows) * kind.columns;
  return std::has_single_bit(kind.rows) && std::has_single_bit(kind.columns) &&
         std::has_single_bit(lanes) && elements <= mostElements && elements >= lanes &&
         elements / lanes <= mostComponents;
}

void appendBases(std::string &text, const FragmentKind &kind, std::string_view name,
                 std::span<const uint32_t> bases) {
  (text += ' ') += name;
  for (uint32_t base : bases)
    text += " (" + std::to_string(base / kind.columns) + ',' + std::to_string(base % kind.columns) +
            ')';
}

} // namespace

std::vector<FragmentKind> fragmentKinds(const std::vector<std::string> &shapes) {
  std::vector<FragmentKind> kinds;
  for (const std::string &shape : shapes) {
    std::vector<std::string_view> words = piecesOf(shape, ' ');
    if (words.size() < 6 || words[5] != "subgroup")
      continue;
    std::vector<std::string_view> sizes = piecesOf(words[0], 'x');
    std::string_view type = words[4];
    if (sizes.size() != 3 || (type != "f16" && type != "f32" && type != "s32" && type != "u32"))
      continue;
    FragmentKind kind{numberOf(sizes[0]), numberOf(sizes[1]), std::string(type)};
    if (std::ranges::find(kinds, kind) == kinds.end())
      kinds.push_back(kind);
  }
  return kinds;
}

std::string fragmentMap(const FragmentKind &kind, uint32_t lanes,
                        std::span<const uint32_t> elements) {
  uint32_t components = kind.rows * kind.columns / lanes;
  std::vector<uint32_t> ofComponents, ofLanes;
  for (uint32_t bit = 1; bit < components; bit *= 2)
    ofComponents.push_back(elements[bit]);
  for (uint32_t bit = 1; bit < lanes; bit *= 2)
    ofLanes.push_back(elements[size_t(bit) * components]);
  for (uint32_t lane = 0; lane < lanes; ++lane)
    for (uint32_t c = 0; c < components; ++c) {
      uint32_t expected = 0;
      for (size_t i = 0; i < ofComponents.size(); ++i)
        expected ^= c >> i & 1 ? ofComponents[i] : 0;
      for (size_t i = 0; i < ofLanes.size(); ++i)
        expected ^= lane >> i & 1 ? ofLanes[i] : 0;
      if (elements[size_t(lane) * components + c] != expected ||
          expected >= kind.rows * kind.columns)
        return {};
    }
  std::string text = "accumulator " + std::to_string(kind.rows) + "x" +
                     std::to_string(kind.columns) + " " + kind.type + " subgroup";
  appendBases(text, kind, "components", ofComponents);
  appendBases(text, kind, "lanes", ofLanes);
  return text;
}

//===------------------------------------------------------------------------===//
// The measurement
//===------------------------------------------------------------------------===//

namespace {

/// Returns the bits of a small integer as f16, which can represent it exactly.
uint16_t halfOf(uint32_t number) {
  if (number == 0)
    return 0;
  auto exponent = uint32_t(std::bit_width(number)) - 1;
  uint32_t fraction = (number << 10 >> exponent) & 0x3ff;
  return uint16_t((exponent + 15) << 10 | fraction);
}

/// Writes the number of an element to memory, in the element type.
void put(std::byte *at, const FragmentKind &kind, uint32_t number) {
  if (kind.type == "f16") {
    uint16_t half = halfOf(number);
    std::memcpy(at, &half, sizeof half);
  } else if (kind.type == "f32") {
    auto single = float(number);
    std::memcpy(at, &single, sizeof single);
  } else {
    std::memcpy(at, &number, sizeof number);
  }
}

/// Reads a number. An invalid value gives a number that no element has.
uint32_t get(const std::byte *at, const FragmentKind &kind, uint32_t elements) {
  for (uint32_t number = 0; number < elements; ++number) {
    std::byte expected[4];
    put(expected, kind, number);
    if (std::memcmp(at, expected, bytesOf(kind)) == 0)
      return number;
  }
  return elements;
}

Result<std::string> measure(Device &device, const FragmentKind &kind, uint32_t lanes) {
  std::vector<uint32_t> words = fragmentProbe(kind, lanes);
  KernelSource source;
  source.code = {reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4};
  source.symbol = "probe";
  source.label = "the probe of matrix fragments";
  source.bindings = {{0, 0}, {0, 1}};
  source.requiredSubgroupSize = device.info().limits.subgroupSizeControl ? lanes : 0;
  source.fullSubgroups = device.info().limits.fullSubgroups;
  PUMICE_TRY(Ref<Kernel> kernel, device.createKernel(source));
  uint32_t count = kind.rows * kind.columns;
  std::vector<std::byte> numbers(size_t(count) * bytesOf(kind)), held(numbers.size());
  for (uint32_t i = 0; i < count; ++i)
    put(numbers.data() + size_t(i) * bytesOf(kind), kind, i);
  PUMICE_TRY(Ref<Buffer> in, device.allocate(numbers.size()));
  PUMICE_TRY(Ref<Buffer> out, device.allocate(numbers.size()));
  PUMICE_TRY(Ref<Queue> queue, device.createQueue());
  BufferRange from{.buffer = in.get(), .offset = 0, .bytes = numbers.size()},
      to{.buffer = out.get(), .offset = 0, .bytes = numbers.size()};
  PUMICE_RETURN_IF_ERROR(queue->upload(from, numbers));
  const BufferRange bound[] = {from, to};
  const BufferUse uses[] = {{in.get(), executable::Access::Read},
                            {out.get(), executable::Access::Write}};
  Dispatch work;
  work.kernel = kernel.get();
  work.bindings = bound;
  work.uses = uses;
  PUMICE_RETURN_IF_ERROR(queue->dispatch(work));
  PUMICE_RETURN_IF_ERROR(queue->download(held, to));
  PUMICE_RETURN_IF_ERROR(queue->finish());
  std::vector<uint32_t> elements;
  for (uint32_t i = 0; i < count; ++i)
    elements.push_back(get(held.data() + size_t(i) * bytesOf(kind), kind, count));
  return fragmentMap(kind, lanes, elements);
}

std::string cacheName(const DeviceInfo &info, const FragmentKind &kind, uint32_t lanes) {
  std::string name = info.name + "-" + info.driverName + "-" + info.driverVersion + "-" +
                     std::to_string(kind.rows) + "x" + std::to_string(kind.columns) + "-" +
                     kind.type + "-" + std::to_string(lanes);
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.')
      c = '_';
  return "map-" + name;
}

} // namespace

std::vector<std::string> measureFragments(Device &device) {
  const DeviceInfo &info = device.info();
  uint32_t lanes = info.limits.subgroupSize;
  std::vector<std::string> maps;
  Result<DiskCache> cache = DiskCache::open();
  for (const FragmentKind &kind : fragmentKinds(info.cooperativeMatrices)) {
    if (!isProbed(kind, lanes))
      continue;
    std::string name = cacheName(info, kind, lanes);
    std::optional<std::vector<uint8_t>> known =
        cache.isOk() ? cache->read("fragments", name) : std::nullopt;
    std::string map;
    if (known) {
      map.assign(known->begin(), known->end());
    } else {
      Result<std::string> measured = measure(device, kind, lanes);
      if (!measured.isOk())
        continue;
      map = *measured;
      if (cache.isOk())
        (void)cache->write("fragments", name, // a cache that cannot be written is ignored
                           {reinterpret_cast<const uint8_t *>(map.data()), map.size()});
    }
    if (!map.empty())
      maps.push_back(map);
  }
  std::ranges::sort(maps);
  return maps;
}

} // namespace pumice::hal
