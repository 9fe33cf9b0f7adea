//===- Samples.cpp - executables for tests ----------------------------------===//
#include "executable/test/Samples.h"

#include <random>

namespace pumice::executable::test {

std::vector<uint8_t> emptySpirv(const std::vector<std::string> &entryPoints) {
  std::vector<uint32_t> words = {0x07230203, 0x00010300, 0, 64, 0, 2u << 16 | 17, 1};
  for (uint32_t i = 0; i < entryPoints.size(); ++i) {
    std::string name = entryPoints[i];
    name.resize((name.size() / 4 + 1) * 4, '\0');
    words.insert(words.end(), {uint32_t(3 + name.size() / 4) << 16 | 15, 5, 1 + i});
    for (size_t at = 0; at < name.size(); at += 4)
      words.push_back(uint8_t(name[at]) | uint8_t(name[at + 1]) << 8 | uint8_t(name[at + 2]) << 16 |
                      uint32_t{uint8_t(name[at + 3])} << 24);
  }
  for (uint32_t i = 0; i < entryPoints.size(); ++i) // OpExecutionMode LocalSize
    words.insert(words.end(), {6u << 16 | 16, 1 + i, 17, 1, 1, 1});
  std::vector<uint8_t> bytes;
  for (uint32_t word : words)
    for (int shift = 0; shift < 32; shift += 8)
      bytes.push_back(uint8_t(word >> shift));
  return bytes;
}

namespace {
EntryPoint softmax() {
  return {.name = "softmax_kernel",
          .arguments = {{.name = "output",
                         .shape = {dynamic, 1024},
                         .strides = {1024, 1},
                         .access = Access::Write,
                         .alignment = 16},
                        {.name = "input",
                         .shape = {dynamic, 1024},
                         .strides = {dynamic, 1},
                         .offset = dynamic,
                         .access = Access::Read,
                         .alignment = 16},
                        {.name = "rows",
                         .kind = ArgumentKind::Scalar,
                         .element = ElementType::i32,
                         .access = Access::None}},
          .workgroupSize = {128, 1, 1},
          .workgroupMemoryBytes = 512,
          .location = {"softmax.py", 12, 3},
          .printfs = {{0, "row %d: max %f\n", {ElementType::i32, ElementType::f32}}}};
}

EntryPoint matmul() {
  EntryPoint entry{.name = "matmul",
                   .workgroupSize = {0, 0, 1},
                   .workgroupMemoryBytes = 8192,
                   .dynamicWorkgroupMemory = true,
                   .touchesUnnamedMemory = true,
                   .location = {"kernels/matmul.mlir", 4, 5}};
  for (const char *name : {"a", "b", "c"})
    entry.arguments.push_back({.name = name,
                               .element = ElementType::f16,
                               .elementBytes = 2,
                               .shape = {dynamic, dynamic},
                               .strides = {dynamic, 1},
                               .access = *name == 'c' ? Access::ReadWrite : Access::Read,
                               .alignment = 256});
  entry.arguments.push_back({.name = "bias",
                             .kind = ArgumentKind::Scalar,
                             .element = ElementType::f32,
                             .vectorWidth = 4,
                             .access = Access::None,
                             .alignment = 16});
  return entry;
}

Interface softmaxByAddress() {
  return {.entryPoint = "softmax_kernel",
          .symbol = "softmax_kernel",
          .place = ParameterPlace::PushConstants,
          .parameterBytes = 60,
          .fields = {{FieldSource::BufferAddress, 0, 0, 0, 8},
                     {FieldSource::BufferAddress, 1, 0, 8, 8},
                     {FieldSource::PrintfAddress, 0, 0, 16, 8},
                     {FieldSource::BufferOffset, 1, 0, 24, 8},
                     {FieldSource::BufferStride, 1, 0, 32, 8},
                     {FieldSource::BufferExtent, 0, 0, 40, 8},
                     {FieldSource::Scalar, 2, 0, 48, 4},
                     {FieldSource::PrintfWords, 0, 0, 52, 4}},
          .workgroupMemoryBytes = 512,
          .requiredSubgroupSize = 64,
          .fullSubgroups = true,
          .workgroupSize = {64, 2, 1}};
}

Interface softmaxByDescriptor() {
  return {.entryPoint = "softmax_kernel",
          .symbol = "main",
          .place = ParameterPlace::DescribedBuffer,
          .parameterBytes = 20,
          .fields = {{FieldSource::Scalar, 2, 0, 0, 4},
                     {FieldSource::BufferOffset, 1, 0, 4, 4},
                     {FieldSource::BufferStride, 1, 0, 8, 4},
                     {FieldSource::BufferLength, 0, 0, 12, 4},
                     {FieldSource::BufferExtent, 0, 0, 16, 4}},
          .bindings = {{0, 0, BindingSource::Argument, 0},
                       {0, 1, BindingSource::Argument, 1},
                       {0, 2, BindingSource::Parameters, 0},
                       {1, 0, BindingSource::Printf, 0}},
          .workgroupMemoryBytes = 1024,
          .leastSubgroupSize = 16,
          .indexBits = 32};
}

Interface matmulByAddress() {
  Interface interface{.entryPoint = "matmul",
                      .symbol = "matmul",
                      .place = ParameterPlace::AddressedBuffer,
                      .parameterBytes = 72,
                      .workgroupSizeSpecIds = {0, 1, noSpecId},
                      .dynamicMemorySpecId = 2,
                      .workgroupMemoryBytes = 8192,
                      .dynamicMemoryElementBytes = 2,
                      .indexBits = 64};
  for (uint32_t i = 0; i < 3; ++i)
    interface.fields.insert(interface.fields.end(),
                            {{FieldSource::BufferAddress, i, 0, i * 16, 8},
                             {FieldSource::BufferExtent, i, 1, i * 16 + 8, 4},
                             {FieldSource::BufferStride, i, 0, i * 16 + 12, 4}});
  interface.fields.push_back({FieldSource::Scalar, 3, 0, 48, 16});
  interface.fields.push_back({FieldSource::DynamicMemoryBytes, 0, 0, 64, 4});
  return interface;
}
} // namespace

Executable realistic() {
  Variant amd{
      .kind = VariantKind::VulkanSpirv,
      .target = "rdna3",
      .targetEnv = "#vk.target_env<v1.3, r(250), [VK_KHR_cooperative_matrix], {}>",
      .requirements = {.versionMajor = 1,
                       .versionMinor = 3,
                       .extensions = {"VK_KHR_cooperative_matrix"},
                       .features = {"bufferDeviceAddress", "shaderFloat16", "subgroupSizeControl"},
                       .subgroupOperations = 0x17,
                       .cooperativeMatrices = {"16x16x16 f16 f16 f32 f32 subgroup"},
                       .measuredMaps = "5f1d03a9c0ffee42"},
      .interfaces = {softmaxByAddress(), matmulByAddress()},
      .code = emptySpirv({"softmax_kernel", "matmul"})};
  // OpTypeCooperativeMatrixKHR, an instruction that tools from before 2023 do not know.
  const uint32_t matrixType[] = {7u << 16 | 4456, 10, 11, 12, 13, 13, 14};
  for (uint32_t word : matrixType)
    for (int shift = 0; shift < 32; shift += 8)
      amd.code.push_back(uint8_t(word >> shift));
  Variant mobile{.kind = VariantKind::VulkanSpirv,
                 .target = "adreno-a7xx",
                 .requirements = {.versionMajor = 1, .versionMinor = 1, .subgroupOperations = 1},
                 .interfaces = {softmaxByDescriptor()},
                 .code = emptySpirv({"main"})};
  std::string_view metal = "kernel void softmax_kernel() {}\n", elf = "\x7f"
                                                                      "ELF and so on";
  Variant apple{.kind = VariantKind::Msl,
                .target = "m3-moltenvk",
                .interfaces = {{.entryPoint = "softmax_kernel", .symbol = "softmax_kernel"}},
                .code = {metal.begin(), metal.end()}};
  Variant native{.kind = VariantKind::Native,
                 .target = "cpu",
                 .requirements = {.architecture = "x86-64-v4"},
                 .interfaces = {softmaxByAddress(), matmulByAddress()},
                 .code = {elf.begin(), elf.end()}};
  return {.producer = "pumice 0.1.0",
          .entryPoints = {softmax(), matmul()},
          .variants = {amd, mobile, apple, native}};
}

namespace {
class Generator {
public:
  explicit Generator(uint32_t seed) : engine(seed) {}

  Executable executable() {
    Executable out{.producer = text(20), .entryPoints = {}, .variants = {}};
    uint32_t entries = below(5), variants = entries ? 1 + below(4) : below(3);
    for (uint32_t i = 0; i < entries; ++i)
      out.entryPoints.push_back(entryPoint(i));
    for (uint32_t i = 0; i < variants; ++i)
      out.variants.push_back(variant(out, i == 0));
    return out;
  }

private:
  uint32_t below(uint32_t bound) { return engine() % bound; }
  bool coin() { return below(2); }

  /// Returns random text: letters of one to four bytes in UTF-8, and control characters.
  std::string text(uint32_t most) {
    static constexpr const char *letters[] = {"a", "B", "_", " ", "\n", "\"", "é", "漢", "🜁"};
    std::string out;
    for (uint32_t i = below(most + 1); i > 0; --i)
      out += letters[below(std::size(letters))];
    return out;
  }

  std::vector<std::string> names() {
    std::vector<std::string> out(below(4));
    for (std::string &name : out)
      name = "n" + text(8);
    return out;
  }

  Argument argument() {
    static constexpr uint32_t bytes[] = {1, 1, 1, 2, 4, 8, 8, 1, 2, 2, 4, 8, 24};
    Argument a{.name = text(10)};
    uint32_t element = below(std::size(bytes));
    a.kind = coin() ? ArgumentKind::Buffer : ArgumentKind::Scalar;
    a.element = ElementType(element);
    a.elementBytes = bytes[element];
    a.vectorWidth = 1 + below(4);
    a.access = Access(below(4));
    a.alignment = 1u << below(10);
    if (a.kind == ArgumentKind::Scalar)
      return a;
    for (uint32_t rank = below(4); rank > 0; --rank) {
      a.shape.push_back(coin() ? dynamic : below(1000));
      a.strides.push_back(coin() ? dynamic : int64_t{below(1000)} - 500);
    }
    a.offset = coin() ? dynamic : below(100);
    return a;
  }

  EntryPoint entryPoint(uint32_t index) {
    EntryPoint e{.name = "kernel" + std::to_string(index) + text(5)};
    for (uint32_t i = below(6); i > 0; --i)
      e.arguments.push_back(argument());
    for (uint32_t &extent : e.workgroupSize)
      extent = below(64);
    e.workgroupMemoryBytes = below(65536);
    e.dynamicWorkgroupMemory = coin();
    e.touchesUnnamedMemory = coin();
    e.assumesNoOverlap = coin();
    e.location = {text(30), below(1000), below(100)};
    for (uint32_t i = 0, count = below(3); i < count; ++i)
      e.printfs.push_back(
          {i * 7, "%% %5.2f and %d" + text(3), {ElementType::f32, ElementType::i8}});
    return e;
  }

  Interface interfaceFor(const EntryPoint &entry) {
    Interface out{.entryPoint = entry.name, .symbol = "s" + entry.name};
    uint32_t end = 0;
    for (uint32_t i = 0; i < entry.arguments.size(); ++i) {
      const Argument &a = entry.arguments[i];
      bool buffer = a.kind == ArgumentKind::Buffer;
      auto field = [&](FieldSource source, uint32_t dimension, uint32_t size) {
        out.fields.push_back({source, i, dimension, end += below(3), size});
        end += size;
      };
      if (!buffer)
        field(FieldSource::Scalar, 0, a.elementBytes * a.vectorWidth);
      else if (coin())
        field(FieldSource::BufferAddress, 0, 8);
      else
        out.bindings.push_back({below(4), i, BindingSource::Argument, i, coin()});
      if (buffer && !a.shape.empty())
        field(coin() ? FieldSource::BufferExtent : FieldSource::BufferStride,
              below(uint32_t(a.shape.size())), coin() ? 4 : 8);
    }
    if (end) {
      out.place = ParameterPlace(1 + below(3));
      out.parameterBytes = (end + 3) / 4 * 4;
      if (out.place == ParameterPlace::DescribedBuffer)
        out.bindings.push_back({5, 0, BindingSource::Parameters, 0});
    }
    out.workgroupSizeSpecIds = {10, 11, 12};
    out.dynamicMemorySpecId = 13;
    out.dynamicMemoryElementBytes = coin() ? 0 : 1u << below(5);
    out.workgroupMemoryBytes = below(65536);
    out.requiredSubgroupSize = coin() ? 0 : 1u << below(8);
    out.fullSubgroups = coin();
    out.leastSubgroupSize = coin() ? out.requiredSubgroupSize : 0;
    out.indexBits = 32 * below(3);
    return out;
  }

  Variant variant(const Executable &contents, bool complete) {
    Variant v{.kind = VariantKind(below(4)), .target = text(10), .targetEnv = text(100)};
    v.requirements = {below(4),           below(4), names(),  names(),
                      uint32_t(engine()), names(),  text(20), "x" + text(5)};
    std::vector<std::string> symbols;
    for (const EntryPoint &entry : contents.entryPoints)
      if (complete || coin()) {
        v.interfaces.push_back(interfaceFor(entry));
        symbols.push_back(v.interfaces.back().symbol);
      }
    if (v.kind == VariantKind::VulkanSpirv || v.kind == VariantKind::OpenclSpirv)
      v.code = emptySpirv(symbols);
    else
      for (uint32_t i = 1 + below(100); i > 0; --i)
        v.code.push_back(uint8_t(engine()));
    return v;
  }

  std::mt19937 engine;
};
} // namespace

Executable random(uint32_t seed) { return Generator(seed).executable(); }

} // namespace pumice::executable::test
