//===- BlockProgram.cpp - executables that show their parameter block -------===//
#include "runtime/hal/conformance/BlockProgram.h"

namespace pumice::hal::conformance {

using namespace pumice::executable;

Result<std::shared_ptr<const executable::Executable>>
throughFile(const executable::Executable &contents) {
  PUMICE_TRY(std::vector<uint8_t> bytes, write(contents));
  PUMICE_TRY(executable::Executable again, read(bytes));
  return std::make_shared<const executable::Executable>(std::move(again));
}

/// Turns descriptors into addresses in front of the block, as the kernels in OpenCL C take them.
static void passAddresses(Interface &interface, std::string_view kernel) {
  uint32_t bytes = static_cast<uint32_t>(interface.bindings.size() * sizeof(uint64_t));
  for (ParameterField &field : interface.fields)
    field.offset += bytes;
  for (uint32_t i = 0; i < interface.bindings.size(); ++i)
    interface.fields.push_back(
        {FieldSource::BufferAddress, interface.bindings[i].argument, 0, i * 8, 8});
  interface.bindings.clear();
  if (interface.place == ParameterPlace::None && bytes)
    interface.place = ParameterPlace::PushConstants;
  if (interface.place == ParameterPlace::PushConstants)
    interface.parameterBytes += bytes;
  if (kernel == "Shared") // also takes the place of its memory, which is 0
    interface.parameterBytes += sizeof(uint64_t);
  interface.workgroupSizeSpecIds = {noSpecId, noSpecId, noSpecId}; // the launch gives the size
}

Variant variantOf(const DeviceInfo &info, std::string_view kernel, const EntryPoint &entry,
                  Interface interface) {
  bool openCl = info.isOpenCl();
  if (openCl)
    passAddresses(interface, kernel);
  interface.entryPoint = entry.name;
  interface.symbol = openCl ? openClSymbol : shaderSymbol;
  Variant variant;
  variant.kind = kindFor(info);
  if (variant.kind == VariantKind::Msl)
    interface.symbol = mslSymbol;
  variant.target = "hand-made";
  variant.requirements.versionMajor = 1;
  variant.requirements.versionMinor = 1;
  variant.interfaces = {std::move(interface)};
  std::span<const uint8_t> code = codeFor(info, kernel);
  variant.code.assign(code.begin(), code.end());
  return variant;
}

Result<Ref<Function>> makeFunction(const Ref<Device> &device, std::string_view kernel,
                                   const EntryPoint &entry, Interface interface,
                                   const FunctionOptions &options) {
  Variant variant = variantOf(device->info(), kernel, entry, std::move(interface));
  executable::Executable contents;
  contents.producer = "ConformanceTest";
  contents.entryPoints = {entry};
  contents.variants = {std::move(variant)};
  PUMICE_TRY(auto read, throughFile(contents));
  PUMICE_TRY(Ref<hal::Executable> loaded, hal::Executable::load(device, std::move(read)));
  return loaded->function(entry.name, options);
}

executable::Argument wordsArgument(std::string name, Access access) {
  executable::Argument argument;
  argument.name = std::move(name);
  argument.element = ElementType::i32;
  argument.shape = {dynamic};
  argument.strides = {1};
  argument.access = access;
  return argument;
}

static bool usesAddresses(BlockProgram::Way way) {
  return way == BlockProgram::Way::PushAddress || way == BlockProgram::Way::Addressed;
}

bool BlockProgram::canRun(Way way, const DeviceInfo &info) {
  return usesAddresses(way) ? info.bufferAddresses : !info.isOpenCl();
}

std::string_view BlockProgram::toString(Way way) {
  constexpr std::string_view names[] = {"push constants, descriptors", "spilled block, descriptors",
                                        "push constants, addresses", "spilled block, addresses"};
  return names[static_cast<size_t>(way)];
}

BlockProgram::BlockProgram(Way way) : way(way) {
  entry.name = "block";
  entry.workgroupSize = {1, 1, 1};
  executable::Argument count;
  count.name = "count";
  count.kind = ArgumentKind::Scalar;
  count.element = ElementType::i32;
  entry.arguments = {count, wordsArgument("result", Access::Write)};
  interface.fields = {{FieldSource::Scalar, 0, 0, 0, 4}};
  if (usesAddresses(way))
    interface.fields.push_back({FieldSource::BufferAddress, 1, 0, 8, 8});
  else
    interface.bindings = {{0, 0, BindingSource::Argument, 1}};
  interface.place = ParameterPlace::PushConstants;
  if (way == Way::Addressed)
    interface.place = ParameterPlace::AddressedBuffer;
  if (way == Way::Described) {
    interface.place = ParameterPlace::DescribedBuffer;
    interface.bindings.push_back({1, 1, BindingSource::Parameters, 0});
  }
}

uint32_t BlockProgram::add(executable::Argument argument) {
  entry.arguments.push_back(std::move(argument));
  return static_cast<uint32_t>(entry.arguments.size() - 1);
}

uint32_t BlockProgram::add(FieldSource source, uint32_t argument, uint32_t size,
                           uint32_t dimension) {
  uint32_t at = (bytes + size - 1) / size * size;
  interface.fields.push_back({source, argument, dimension, at, size});
  bytes = at + size;
  return at / 4;
}

Result<Ref<Function>> BlockProgram::function(const Ref<Device> &device) const {
  constexpr std::string_view kernels[] = {"BlockPush", "BlockDescribed", "BlockPushAddress",
                                          "BlockAddressed"};
  Interface complete = interface;
  // Kernels with push constants declare 128 bytes of them.
  complete.parameterBytes = spills(way) ? bytes : 128;
  return makeFunction(device, kernels[static_cast<size_t>(way)], entry, std::move(complete));
}

Status BlockProgram::launch(Function &function, Queue &queue, Buffer &result,
                            std::span<const hal::Argument> arguments) const {
  const uint32_t count = words();
  std::vector<hal::Argument> all{hal::Argument::scalar(count), hal::Argument::buffer(&result)};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return function.launch(queue, {}, all);
}

} // namespace pumice::hal::conformance
