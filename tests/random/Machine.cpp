//===- Machine.cpp - the ways to run a program ------------------------------===//
#include "tests/random/Machine.h"
#include "tests/random/Emit.h"

#include "runtime/hal/Choose.h"
#include "runtime/hal/Registry.h"
#include "support/CompilerLibrary.h"
#include "tools/run/OwnProcess.h"

#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>

#include <cstdlib>
#include <cstring>

namespace pumice::random_programs {

std::string Way::name() const {
  std::string text = device;
  if (lanes)
    text += ", " + std::to_string(lanes) + " lanes";
  if (!level.empty())
    text += ", " + level;
  if (threads)
    text += ", " + std::to_string(threads) + " threads";
  return optimised ? text + ", spirv-opt" : text;
}

Result<std::unique_ptr<Machine>> Machine::open(bool peers) {
  PUMICE_RETURN_IF_ERROR(compilerLibrary().status());
  auto made = std::make_unique<Machine>();
  std::vector<std::string> wanted{"cpu:0"};
  for (const hal::DeviceInfo &info : hal::Registry::global().devices())
    if (peers && info.driver == "vulkan") {
      wanted.push_back(info.id);
      made->peerIds.push_back(info.id);
    }
  for (const std::string &id : wanted) {
    Opened opened;
    PUMICE_TRY(opened.device, hal::Registry::global().open(id));
    PUMICE_TRY(opened.queue, opened.device->createQueue());
    made->devices.emplace(id, std::move(opened));
  }
  PUMICE_RETURN_IF_ERROR(made->devices.at("cpu:0").device->setOption("timeout_ms", 20000));
  return made;
}

std::vector<std::string> Machine::levels() const {
  const std::string &own = info("cpu:0").architecture;
  std::vector<std::string> known;
  for (const char *level : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    if (hal::runsArchitecture(own, level))
      known.emplace_back(level);
  return known.empty() ? std::vector{own} : known;
}

/// Compiles native code for a CPU that need not be this machine's best. Without a named level, it
/// is for the level that PUMICE_CPU_LEVEL sets.
static Result<std::vector<uint8_t>> compileFor(std::span<const uint32_t> code, const Way &way) {
  namespace side = compiler_interface;
  side::NativeRequest request;
  request.code = {reinterpret_cast<const char *>(code.data()), code.size_bytes()};
  request.entryPoint = {"main", 4};
  request.label = {"random", 6};
  request.requiredSubgroupSize = way.lanes;
  const char *limit = std::getenv("PUMICE_CPU_LEVEL");
  std::string_view level = way.level.empty() && limit ? limit : std::string_view(way.level);
  request.cpu = {level.data(), level.size()};
  return compileNative(request);
}

Result<Memory> Machine::run(const Program &program, std::span<const uint32_t> code,
                            const Way &way) {
  Opened &on = devices.at(way.device);
  std::vector<uint32_t> better;
  if (way.optimised) {
    PUMICE_TRY(better, optimise(code));
    code = better;
  }
  hal::KernelSource source;
  std::vector<uint8_t> native;
  if (way.device == "cpu:0") {
    PUMICE_TRY(native, compileFor(code, way));
    source.kind = executable::VariantKind::Native;
    source.code = native;
    unsigned threads = way.threads ? way.threads : 4;
    PUMICE_RETURN_IF_ERROR(on.device->setOption("threads", threads));
  } else {
    source.code = {reinterpret_cast<const uint8_t *>(code.data()), code.size_bytes()};
  }
  return launch(program, on, source);
}

Result<Memory> Machine::launch(const Program &program, Opened &on, const hal::KernelSource &given) {
  Memory memory = memoryFor(program);
  hal::KernelSource source = given;
  source.symbol = "main";
  source.label = "random";
  source.pushConstantBytes = static_cast<uint32_t>(memory.push.size());
  std::vector<hal::BufferRange> ranges;
  std::vector<hal::BufferUse> uses;
  for (uint32_t binding = 0; binding < on.buffers.size(); ++binding) {
    std::vector<std::byte> &bytes = memory.bound(binding);
    if (bytes.empty())
      continue;
    Ref<hal::Buffer> &buffer = on.buffers[binding];
    if (!buffer || buffer->bytes() < bytes.size()) {
      PUMICE_TRY(buffer,
                 on.device->allocate(std::max<size_t>(bytes.size(), 65536), hal::MemoryKind::Host));
    }
    std::memcpy(buffer->hostPointer(), bytes.data(), bytes.size());
    source.bindings.push_back({0, binding, binding == uniformBinding});
    ranges.push_back({buffer.get(), 0, bytes.size()});
    uses.push_back({buffer.get()});
  }
  PUMICE_TRY(Ref<hal::Kernel> kernel, on.device->createKernel(source));
  hal::Dispatch work;
  work.kernel = kernel.get();
  work.groups = program.groups;
  work.pushConstants = memory.push;
  work.bindings = ranges;
  work.uses = uses;
  PUMICE_RETURN_IF_ERROR(on.queue->dispatch(work));
  PUMICE_RETURN_IF_ERROR(on.queue->finish());
  for (uint32_t binding : {ownBinding, countsBinding}) {
    std::vector<std::byte> &bytes = memory.bound(binding);
    std::memcpy(bytes.data(), on.buffers[binding]->hostPointer(), bytes.size());
  }
  return memory;
}

static spvtools::MessageConsumer into(std::string &text) {
  return [&text](spv_message_level_t, const char *, const spv_position_t &, const char *message) {
    text += message;
    text += '\n';
  };
}

std::string validate(std::span<const uint32_t> code) {
  static spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_3);
  std::string said;
  tools.SetMessageConsumer(into(said));
  return tools.Validate(code.data(), code.size()) ? "" : said + "invalid";
}

std::string disassemble(std::span<const uint32_t> code) {
  std::string text;
  spvtools::SpirvTools(SPV_ENV_VULKAN_1_3)
      .Disassemble({code.begin(), code.end()}, &text, SPV_BINARY_TO_TEXT_OPTION_NO_HEADER);
  return text;
}

/// Returns the bytes of the module after spirv-opt.
static Result<std::string> optimised(std::span<const uint32_t> code) {
  spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_3);
  std::string said;
  optimizer.SetMessageConsumer(into(said));
  optimizer.RegisterPerformancePasses();
  std::vector<uint32_t> made;
  if (!optimizer.Run(code.data(), code.size(), &made))
    return Status(StatusCode::Unsupported, "spirv-opt: " + said);
  return std::string(reinterpret_cast<const char *>(made.data()), made.size() * sizeof(uint32_t));
}

// In a process of its own: spirv-opt crashes on some programs.
Result<std::vector<uint32_t>> optimise(std::span<const uint32_t> code) {
  constexpr unsigned seconds = 600;
  Result<std::string> bytes =
      run::inOwnProcess("spirv-opt", seconds, [&] { return optimised(code); });
  if (!bytes.isOk() && bytes.status().code() == StatusCode::Internal)
    return Status(StatusCode::Unsupported, bytes.status().message());
  if (!bytes.isOk())
    return bytes.status();
  std::vector<uint32_t> made(bytes->size() / sizeof(uint32_t));
  std::memcpy(made.data(), bytes->data(), made.size() * sizeof(uint32_t));
  if (std::string wrong = validate(made); !wrong.empty())
    return Status(StatusCode::Unsupported, "spirv-opt made an invalid module: " + wrong);
  return made;
}

} // namespace pumice::random_programs
