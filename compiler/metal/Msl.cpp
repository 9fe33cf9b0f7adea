//===- Msl.cpp - SPIR-V to Metal's shading language -------------------------===//
// SPIRV-Cross reports errors by C++ exceptions, which this code does not support. Its C interface
// turns them into codes.
//===-------------------------------------------------------------------------===//
#include "compiler/metal/Msl.h"

#include "compiler/metal/Matrices.h"

#include <spirv_cross/spirv_cross_c.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

// The C++ library of GCC 14 has this function, which archives made by that compiler call. It ends
// the program for an exception that leaves a noexcept function.
extern "C" void *__cxa_begin_catch(void *) noexcept;
extern "C" [[gnu::weak, gnu::visibility("hidden")]] void __cxa_call_terminate(void *exception) {
  __cxa_begin_catch(exception);
  std::terminate();
}

namespace pumice::metal {
namespace {

constexpr uint32_t spirvMagic = 0x07230203;
constexpr uint32_t sizesIndex = 30; // the last index of a buffer

/// Owns all SPIRV-Cross objects of one translation, and returns the last message of SPIRV-Cross.
class Translation {
public:
  Translation() { spvc_context_create(&context); }
  ~Translation() { spvc_context_destroy(context); }
  Translation(const Translation &) = delete;
  Translation &operator=(const Translation &) = delete;

  Result<std::string> run(std::span<const uint32_t> spirv, const MslOptions &options,
                          executable::MslLayout *layout);

private:
  Status addBuffers(spvc_resources resources, spvc_resource_type type,
                    executable::MslLayout &layout);
  Status placeBuffers(executable::MslLayout &layout);
  Status bind(uint32_t set, uint32_t binding, uint32_t index);
  Status readConstants(executable::MslLayout &layout);
  Status checked(spvc_result result, const char *step) const;
  Status chooseEntryPoint(const std::string &wanted);
  Status setOptions(const MslOptions &options);

  spvc_context context = nullptr;
  spvc_compiler compiler = nullptr;
  std::string entry; // the name of the entry point in the module
};

Status Translation::checked(spvc_result result, const char *step) const {
  if (result == SPVC_SUCCESS)
    return Status::ok();
  StatusCode code = StatusCode::Unsupported;
  if (result == SPVC_ERROR_INVALID_SPIRV)
    code = StatusCode::DataCorrupt;
  else if (result == SPVC_ERROR_OUT_OF_MEMORY)
    code = StatusCode::ResourceExhausted;
  std::string reason = spvc_context_get_last_error_string(context);
  while (!reason.empty() && (reason.back() == '.' || reason.back() == '\n'))
    reason.pop_back();
  return Status(code, std::string("SPIRV-Cross cannot ") + step + ": " + reason);
}

Status Translation::chooseEntryPoint(const std::string &wanted) {
  const spvc_entry_point *entries = nullptr;
  size_t count = 0;
  PUMICE_RETURN_IF_ERROR(
      checked(spvc_compiler_get_entry_points(compiler, &entries, &count), "list the entry points"));
  std::string seen;
  for (size_t i = 0; i < count; ++i) {
    if (entries[i].execution_model != SpvExecutionModelGLCompute)
      continue;
    if (wanted.empty() || wanted == entries[i].name) {
      entry = entries[i].name;
      return checked(
          spvc_compiler_set_entry_point(compiler, entries[i].name, SpvExecutionModelGLCompute),
          "choose the entry point");
    }
    seen += (seen.empty() ? "" : ", ") + std::string(entries[i].name);
  }
  return Status(StatusCode::NotFound, "the module has no compute entry point" +
                                          (wanted.empty() ? "" : " '" + wanted + "'") +
                                          (seen.empty() ? "" : "; there are: " + seen));
}

Status Translation::setOptions(const MslOptions &options) {
  spvc_compiler_options made = nullptr;
  PUMICE_RETURN_IF_ERROR(
      checked(spvc_compiler_create_compiler_options(compiler, &made), "make options"));
  struct {
    spvc_compiler_option option;
    unsigned value;
  } const settings[] = {
      {SPVC_COMPILER_OPTION_MSL_VERSION,
       SPVC_MAKE_MSL_VERSION(options.versionMajor, options.versionMinor, 0)},
      {SPVC_COMPILER_OPTION_MSL_PLATFORM,
       static_cast<unsigned>(options.ios ? SPVC_MSL_PLATFORM_IOS : SPVC_MSL_PLATFORM_MACOS)},
      {SPVC_COMPILER_OPTION_MSL_IOS_USE_SIMDGROUP_FUNCTIONS, 1},
      {SPVC_COMPILER_OPTION_MSL_BUFFER_SIZE_BUFFER_INDEX, sizesIndex},
      {SPVC_COMPILER_OPTION_MSL_FIXED_SUBGROUP_SIZE, options.fixedSubgroupSize},
  };
  for (const auto &[option, value] : settings)
    PUMICE_RETURN_IF_ERROR(
        checked(spvc_compiler_options_set_uint(made, option, value), "take an option"));
  return checked(spvc_compiler_install_compiler_options(compiler, made), "take the options");
}

Status Translation::bind(uint32_t set, uint32_t binding, uint32_t index) {
  spvc_msl_resource_binding place;
  spvc_msl_resource_binding_init(&place);
  place.stage = SpvExecutionModelGLCompute;
  place.desc_set = set;
  place.binding = binding;
  place.msl_buffer = index;
  return checked(spvc_compiler_msl_add_resource_binding(compiler, &place), "place a buffer");
}

Status Translation::addBuffers(spvc_resources resources, spvc_resource_type type,
                               executable::MslLayout &layout) {
  const spvc_reflected_resource *list = nullptr;
  size_t count = 0;
  PUMICE_RETURN_IF_ERROR(
      checked(spvc_resources_get_resource_list_for_type(resources, type, &list, &count),
              "list the resources"));
  for (size_t i = 0; i < count; ++i) {
    spvc_type shape = spvc_compiler_get_type_handle(compiler, list[i].type_id);
    if (spvc_type_get_num_array_dimensions(shape) != 0)
      return Status(StatusCode::Unsupported, "an array of descriptors has no layout in MSL");
    layout.buffers.push_back(
        {0, spvc_compiler_get_decoration(compiler, list[i].id, SpvDecorationDescriptorSet),
         spvc_compiler_get_decoration(compiler, list[i].id, SpvDecorationBinding)});
  }
  return Status::ok();
}

/// Gives each buffer its index: sorted by set and binding, and then the push constants.
Status Translation::placeBuffers(executable::MslLayout &layout) {
  spvc_resources resources = nullptr;
  PUMICE_RETURN_IF_ERROR(
      checked(spvc_compiler_create_shader_resources(compiler, &resources), "list the resources"));
  PUMICE_RETURN_IF_ERROR(addBuffers(resources, SPVC_RESOURCE_TYPE_STORAGE_BUFFER, layout));
  PUMICE_RETURN_IF_ERROR(addBuffers(resources, SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, layout));
  std::ranges::sort(layout.buffers, {}, [](const executable::MslLayout::Buffer &buffer) {
    return std::pair(buffer.set, buffer.binding);
  });
  uint32_t next = 0;
  for (executable::MslLayout::Buffer &buffer : layout.buffers) {
    buffer.index = next++;
    PUMICE_RETURN_IF_ERROR(bind(buffer.set, buffer.binding, buffer.index));
  }
  const spvc_reflected_resource *constants = nullptr;
  size_t count = 0;
  PUMICE_RETURN_IF_ERROR(
      checked(spvc_resources_get_resource_list_for_type(resources, SPVC_RESOURCE_TYPE_PUSH_CONSTANT,
                                                        &constants, &count),
              "list the resources"));
  if (count == 0)
    return Status::ok();
  layout.parameters = next;
  return bind(SPVC_MSL_PUSH_CONSTANT_DESC_SET, SPVC_MSL_PUSH_CONSTANT_BINDING, next);
}

/// Returns the name of a scalar type in MSL, or an empty text.
static std::string scalarName(spvc_basetype type) {
  switch (type) {
  case SPVC_BASETYPE_BOOLEAN:
    return "bool";
  case SPVC_BASETYPE_INT8:
    return "char";
  case SPVC_BASETYPE_UINT8:
    return "uchar";
  case SPVC_BASETYPE_INT16:
    return "short";
  case SPVC_BASETYPE_UINT16:
    return "ushort";
  case SPVC_BASETYPE_INT32:
    return "int";
  case SPVC_BASETYPE_UINT32:
    return "uint";
  case SPVC_BASETYPE_INT64:
    return "long";
  case SPVC_BASETYPE_UINT64:
    return "ulong";
  case SPVC_BASETYPE_FP16:
    return "half";
  case SPVC_BASETYPE_FP32:
    return "float";
  default:
    return "";
  }
}

/// Reads the specialization constants, which become function constants, and the workgroup's size.
Status Translation::readConstants(executable::MslLayout &layout) {
  const spvc_specialization_constant *list = nullptr;
  size_t count = 0;
  PUMICE_RETURN_IF_ERROR(checked(
      spvc_compiler_get_specialization_constants(compiler, &list, &count), "list the constants"));
  for (size_t i = 0; i < count; ++i) {
    spvc_constant constant = spvc_compiler_get_constant_handle(compiler, list[i].id);
    std::string type = scalarName(spvc_type_get_basetype(
        spvc_compiler_get_type_handle(compiler, spvc_constant_get_type(constant))));
    if (type.empty())
      return Status(StatusCode::Unsupported, "specialization constant " +
                                                 std::to_string(list[i].constant_id) +
                                                 " has a type that MSL lacks");
    layout.constants.push_back(
        {list[i].constant_id, type, spvc_constant_get_scalar_u32(constant, 0, 0)});
  }
  std::ranges::sort(layout.constants, {}, &executable::MslLayout::Constant::id);
  spvc_specialization_constant sizes[3] = {};
  (void)spvc_compiler_get_work_group_size_specialization_constants(compiler, &sizes[0], &sizes[1],
                                                                   &sizes[2]);
  for (unsigned d = 0; d < 3; ++d) {
    layout.threadgroup[d].threads =
        spvc_compiler_get_execution_mode_argument_by_index(compiler, SpvExecutionModeLocalSize, d);
    if (sizes[d].id != 0)
      layout.threadgroup[d].constant = sizes[d].constant_id;
  }
  return Status::ok();
}

Result<std::string> Translation::run(std::span<const uint32_t> spirv, const MslOptions &options,
                                     executable::MslLayout *layout) {
  if (!context)
    return Status(StatusCode::ResourceExhausted, "no memory for SPIRV-Cross");
  spvc_parsed_ir parsed = nullptr;
  PUMICE_RETURN_IF_ERROR(checked(
      spvc_context_parse_spirv(context, spirv.data(), spirv.size(), &parsed), "read the module"));
  PUMICE_RETURN_IF_ERROR(
      checked(spvc_context_create_compiler(context, SPVC_BACKEND_MSL, parsed,
                                           SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler),
              "start"));
  PUMICE_RETURN_IF_ERROR(chooseEntryPoint(options.entryPoint));
  PUMICE_RETURN_IF_ERROR(setOptions(options));
  if (layout) {
    PUMICE_RETURN_IF_ERROR(placeBuffers(*layout));
    PUMICE_RETURN_IF_ERROR(readConstants(*layout));
  }
  const char *source = nullptr;
  PUMICE_RETURN_IF_ERROR(checked(spvc_compiler_compile(compiler, &source), "write MSL"));
  if (layout && spvc_compiler_msl_needs_buffer_size_buffer(compiler))
    layout->sizes = sizesIndex;
  if (layout)
    layout->kernel = spvc_compiler_get_cleansed_entry_point_name(compiler, entry.c_str(),
                                                                 SpvExecutionModelGLCompute);
  return std::string(source);
}

} // namespace

static Status checkMagic(std::span<const uint32_t> spirv) {
  if (spirv.size() < 5 || spirv[0] != spirvMagic)
    return Status(StatusCode::DataCorrupt, "the code is not a SPIR-V module");
  return Status::ok();
}

Result<std::string> toMsl(std::span<const uint32_t> spirv, const MslOptions &options) {
  PUMICE_RETURN_IF_ERROR(checkMagic(spirv));
  Translation translation;
  return translation.run(spirv, options, nullptr);
}

/// SPIRV-Cross 1.3.239 writes additions to floats in memory as GLSL's function, which MSL lacks.
/// Defines that function.
static void defineFloatAtomics(std::string &source) {
  constexpr std::string_view begin = "using namespace metal;\n";
  size_t at = source.find(begin);
  if (source.find("atomicAdd(") == source.npos || at == source.npos)
    return;
  source.insert(at + begin.size(),
                "\ninline float atomicAdd(device float &at, float value)\n{\n"
                "    return atomic_fetch_add_explicit((device atomic_float*)&at, value, "
                "memory_order_relaxed);\n}\n");
}

/// SPIRV-Cross 1.3.239 takes memory behind an address in the push constants for constant memory.
/// Atomics are never there.
static void correctAtomicSpaces(std::string &source) {
  constexpr std::string_view wrong = "(constant atomic_", right = "(device atomic_";
  for (size_t at = source.find(wrong); at != source.npos; at = source.find(wrong, at))
    source.replace(at, wrong.size(), right);
}

Result<std::string> toMslWithLayout(std::span<const uint32_t> spirv, const MslOptions &options) {
  PUMICE_RETURN_IF_ERROR(checkMagic(spirv));
  Translation translation;
  executable::MslLayout layout;
  MslOptions asked = options;
  std::vector<uint32_t> changed;
  if (usesMatrices(spirv)) {
    if (!translatesMatrices())
      return Status(StatusCode::Unsupported,
                    "the SPIRV-Cross of this build does not translate cooperative matrices; "
                    "setup/spirv-cross.sh unpacks a newer one");
    PUMICE_TRY(changed, callFilledMatrices(spirv));
    spirv = changed;
    // SPIRV-Cross asks for 3.1, which has bfloat. The functions that it uses are in 2.3, too.
    if (std::pair(asked.versionMajor, asked.versionMinor) < std::pair(3u, 1u))
      asked.versionMajor = 3, asked.versionMinor = 1;
  }
  PUMICE_TRY(std::string source, translation.run(spirv, asked, &layout));
  defineFilledMatrices(source);
  defineFloatAtomics(source);
  correctAtomicSpaces(source);
  return executable::mslLayoutText(layout) + source;
}

} // namespace pumice::metal
