//===- Msl.cpp - SPIR-V to Metal's shading language -------------------------===//
// SPIRV-Cross reports errors by C++ exceptions, which this code does not support. Its C interface
// turns them into codes.
//===-------------------------------------------------------------------------===//
#include "compiler/metal/Msl.h"

#include <spirv_cross/spirv_cross_c.h>

#include <memory>

namespace pumice::metal {
namespace {

constexpr uint32_t spirvMagic = 0x07230203;

/// Owns all SPIRV-Cross objects of one translation, and returns the last message of SPIRV-Cross.
class Translation {
public:
  Translation() { spvc_context_create(&context); }
  ~Translation() { spvc_context_destroy(context); }
  Translation(const Translation &) = delete;
  Translation &operator=(const Translation &) = delete;

  Result<std::string> run(std::span<const uint32_t> spirv, const MslOptions &options);

private:
  Status checked(spvc_result result, const char *step) const;
  Status chooseEntryPoint(const std::string &wanted);
  Status setOptions(const MslOptions &options);

  spvc_context context = nullptr;
  spvc_compiler compiler = nullptr;
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
    if (wanted.empty() || wanted == entries[i].name)
      return checked(
          spvc_compiler_set_entry_point(compiler, entries[i].name, SpvExecutionModelGLCompute),
          "choose the entry point");
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
      {SPVC_COMPILER_OPTION_MSL_FIXED_SUBGROUP_SIZE, options.fixedSubgroupSize},
  };
  for (const auto &[option, value] : settings)
    PUMICE_RETURN_IF_ERROR(
        checked(spvc_compiler_options_set_uint(made, option, value), "take an option"));
  return checked(spvc_compiler_install_compiler_options(compiler, made), "take the options");
}

Result<std::string> Translation::run(std::span<const uint32_t> spirv, const MslOptions &options) {
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
  const char *source = nullptr;
  PUMICE_RETURN_IF_ERROR(checked(spvc_compiler_compile(compiler, &source), "write MSL"));
  return std::string(source);
}

} // namespace

Result<std::string> toMsl(std::span<const uint32_t> spirv, const MslOptions &options) {
  if (spirv.size() < 5 || spirv[0] != spirvMagic)
    return Status(StatusCode::DataCorrupt, "the code is not a SPIR-V module");
  Translation translation;
  return translation.run(spirv, options);
}

} // namespace pumice::metal
