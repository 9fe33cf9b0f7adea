//===- Kernel.cpp - one kernel, ready to run --------------------------------===//
#include "runtime/drivers/metal/Kernel.h"

#include "runtime/hal/KernelLimits.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <bit>

namespace pumice::metal_driver {
namespace {

/// Returns the MTLDataType of a scalar, or 0.
Integer dataType(std::string_view type) {
  constexpr std::pair<std::string_view, Integer> types[] = {
      {"float", 3}, {"half", 16},  {"int", 29},  {"uint", 33}, {"short", 37}, {"ushort", 41},
      {"char", 45}, {"uchar", 49}, {"bool", 53}, {"long", 81}, {"ulong", 85}};
  auto found = std::ranges::find(types, type, &std::pair<std::string_view, Integer>::first);
  return found == std::end(types) ? 0 : found->second;
}

/// Returns the options of a compilation: exact arithmetic, and the lengths of arrays, which
/// SPIRV-Cross takes from macros.
Result<Owned> makeOptions(const Functions &api,
                          std::span<const hal::SpecializationConstant> constants) {
  Owned options(api, api.callClass("MTLCompileOptions", "new"));
  if (!options)
    return Status(StatusCode::ResourceExhausted, "Metal makes no MTLCompileOptions");
  api.call<void>(options.get(), "setFastMathEnabled:", Boolean{0});
  api.call<void>(options.get(), "setLanguageVersion:", language3);
  Owned macros(api, api.callClass("NSMutableDictionary", "new"));
  if (!macros)
    return Status(StatusCode::ResourceExhausted, "Metal makes no NSMutableDictionary");
  for (const hal::SpecializationConstant &constant : constants) {
    PUMICE_TRY(Owned name,
               makeString(api, "SPIRV_CROSS_CONSTANT_ID_" + std::to_string(constant.id)));
    PUMICE_TRY(Owned value, makeString(api, std::to_string(constant.bits)));
    api.call<void>(macros.get(), "setObject:forKey:", value.get(), name.get());
  }
  api.call<void>(options.get(), "setPreprocessorMacros:", macros.get());
  return options;
}

Result<Owned> makeLibrary(const MetalDevice &device, const hal::KernelSource &source) {
  const Functions &api = device.api;
  PUMICE_TRY(Owned options, makeOptions(api, source.constants));
  PUMICE_TRY(Owned text, makeString(api, {reinterpret_cast<const char *>(source.code.data()),
                                          source.code.size()}));
  Object error = nullptr;
  Owned library(api, api.call(device.device.get(), "newLibraryWithSource:options:error:",
                              text.get(), options.get(), &error));
  if (!library)
    return Status(StatusCode::InvalidArgument,
                  "Metal rejects the source: " + errorText(api, error, "it does not say why"));
  return library;
}

Result<Owned> makeFunction(const MetalDevice &device, const executable::MslLayout &layout,
                           const hal::KernelSource &source, Object library) {
  const Functions &api = device.api;
  Owned values(api, api.callClass("MTLFunctionConstantValues", "new"));
  if (!values)
    return Status(StatusCode::ResourceExhausted, "Metal makes no MTLFunctionConstantValues");
  for (const hal::SpecializationConstant &given : source.constants) {
    auto constant =
        std::ranges::find(layout.constants, given.id, &executable::MslLayout::Constant::id);
    if (constant == layout.constants.end())
      continue; // unused constants have no effect
    uint64_t bits = given.bits;
    const std::byte *bytes = reinterpret_cast<const std::byte *>(&bits);
    api.call<void>(values.get(), "setConstantValue:type:atIndex:", static_cast<const void *>(bytes),
                   dataType(constant->type), Integer{given.id});
  }
  PUMICE_TRY(Owned name, makeString(api, layout.kernel));
  Object error = nullptr;
  Owned function(api, api.call(library, "newFunctionWithName:constantValues:error:", name.get(),
                               values.get(), &error));
  if (!function)
    return Status(StatusCode::InvalidArgument, "Metal finds no kernel '" + layout.kernel + "': " +
                                                   errorText(api, error, "it does not say why"));
  return function;
}

} // namespace

MetalKernel::MetalKernel(MetalDevice &device, const hal::KernelSource &source,
                         executable::MslLayout layout)
    : Kernel(Ref<hal::Device>(&device), source), layout(std::move(layout)) {}

MetalKernel::~MetalKernel() {
  if (static_cast<MetalDevice &>(device()).isAbandoned())
    state.abandon();
}

Status MetalKernel::placeBindings() {
  for (const hal::BindingSlot &slot : bindings()) {
    auto found = std::ranges::find_if(layout.buffers, [&](const auto &buffer) {
      return buffer.set == slot.set && buffer.binding == slot.binding;
    });
    // A descriptor that the code does not use has no buffer.
    bufferIndices.push_back(found == layout.buffers.end() ? UINT32_MAX : found->index);
  }
  for (const executable::MslLayout::Buffer &buffer : layout.buffers)
    if (std::ranges::find(bufferIndices, buffer.index) == bufferIndices.end())
      return Status(StatusCode::InvalidArgument,
                    "the code uses the buffer at set " + std::to_string(buffer.set) + " binding " +
                        std::to_string(buffer.binding) + ", but its interface has none");
  return Status::ok();
}

Status MetalKernel::chooseSize(const hal::KernelSource &source) {
  hal::WorkgroupUse use;
  for (size_t d = 0; d < 3; ++d) {
    const executable::MslLayout::Size &own = layout.threadgroup[d];
    use.size[d] = own.threads;
    std::string setter;
    if (own.constant) {
      setter = "specialization constant " + std::to_string(*own.constant);
      for (const hal::SpecializationConstant &given : source.constants)
        if (given.id == *own.constant)
          use.size[d] = static_cast<uint32_t>(given.bits);
    }
    if (use.size[d] == 0)
      return Status(StatusCode::InvalidArgument,
                    "workgroups of 0 along " + std::string(1, "xyz"[d]) + "; a size is at least 1" +
                        (own.constant ? ": " + setter + " sets it" : ""));
    use.sizeHints[d] = own.constant ? setter + " sets it" : "compile it with smaller workgroups";
  }
  std::string excess;
  for (const std::string &one : hal::excessOf(device().info().limits, use))
    excess += (excess.empty() ? "" : "; ") + one;
  if (!excess.empty())
    return Status(StatusCode::Unsupported, device().info().id + " allows no " + excess);
  size = {use.size[0], use.size[1], use.size[2]};
  return Status::ok();
}

Result<Ref<hal::Kernel>> MetalKernel::create(MetalDevice &device, const hal::KernelSource &source) {
  Result<Ref<hal::Kernel>> made = compile(device, source);
  if (made.isOk())
    return made;
  return Status(made.status()).at("kernel '" + source.label + "'");
}

Result<Ref<hal::Kernel>> MetalKernel::compile(MetalDevice &device,
                                              const hal::KernelSource &source) {
  const Functions &api = device.api;
  PUMICE_TRY(executable::MslLayout layout,
             executable::readMslLayout(
                 {reinterpret_cast<const char *>(source.code.data()), source.code.size()}));
  if (layout.kernel != source.symbol)
    return Status(StatusCode::InvalidArgument, "the code has no entry point '" + source.symbol +
                                                   "'; it has '" + layout.kernel + "'");
  Ref<MetalKernel> kernel =
      Ref<MetalKernel>::adopt(new MetalKernel(device, source, std::move(layout)));
  PUMICE_RETURN_IF_ERROR(kernel->placeBindings());
  PUMICE_RETURN_IF_ERROR(kernel->chooseSize(source));
  Pool pool(api);
  PUMICE_TRY(Owned library, makeLibrary(device, source));
  PUMICE_TRY(Owned function, makeFunction(device, kernel->layout, source, library.get()));
  Object error = nullptr;
  kernel->state =
      Owned(api, api.call(device.device.get(),
                          "newComputePipelineStateWithFunction:error:", function.get(), &error));
  if (!kernel->state)
    return Status(StatusCode::InvalidArgument,
                  "Metal makes no pipeline: " + errorText(api, error, "it does not say why"));
  const Size &size = kernel->size;
  Integer total = size.width * size.height * size.depth;
  Integer most = api.call<Integer>(kernel->state.get(), "maxTotalThreadsPerThreadgroup");
  if (total > most)
    return Status(StatusCode::Unsupported, "the kernel needs threadgroups of " +
                                               counted(total, "thread") +
                                               ", but its registers allow " + std::to_string(most));
  Integer lanes = api.call<Integer>(kernel->state.get(), "threadExecutionWidth");
  if (source.requiredSubgroupSize && lanes != source.requiredSubgroupSize)
    return Status(StatusCode::Unsupported,
                  "the kernel needs subgroups of " + std::to_string(source.requiredSubgroupSize) +
                      " lanes, but Metal gives it " + std::to_string(lanes));
  return Ref<hal::Kernel>(kernel.get());
}

} // namespace pumice::metal_driver
