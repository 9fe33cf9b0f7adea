//===- Loader.cpp - finds OpenCL at run time --------------------------------===//
#include "runtime/drivers/opencl/Loader.h"

#include "support/Platform.h"

#include <cstdlib>

namespace pumice::opencl_driver {

#if defined(_WIN32)
static constexpr char defaultLibrary[] = "OpenCL.dll";
#elif defined(__APPLE__)
static constexpr char defaultLibrary[] = "libOpenCL.1.dylib";
#else
static constexpr char defaultLibrary[] = "libOpenCL.so.1";
#endif

bool hasLoader() { return SharedLibrary::open(defaultLibrary).isOk(); }

std::string loaderHint() {
  return std::string("there is no ") + defaultLibrary +
         "; install an OpenCL loader (Debian: ocl-icd-libopencl1), or name one in "
         "PUMICE_OPENCL_LIBRARY";
}

Result<Functions> loadFunctions() {
  const char *given = std::getenv("PUMICE_OPENCL_LIBRARY");
  std::string path = given && *given ? given : defaultLibrary;
  PUMICE_TRY(SharedLibrary library, SharedLibrary::open(path));
  Functions found;
  std::string missing;
#define PUMICE_CL_FIND(result, name, parameters)                                                   \
  found.name = reinterpret_cast<result(*) parameters>(library.symbol(#name));                      \
  if (!found.name && missing.empty())                                                              \
    missing = #name;
  PUMICE_CL_FUNCTIONS(PUMICE_CL_FIND)
#undef PUMICE_CL_FIND
  if (!missing.empty())
    return Status(StatusCode::NotFound, path + " has no " + missing +
                                            "; install an OpenCL loader for OpenCL 3.0 (Debian: "
                                            "ocl-icd-libopencl1)");
  return found;
}

std::optional<UsmFunctions> findUsm(const Functions &cl, cl_platform_id platform) {
  UsmFunctions found;
  bool all = true;
#define PUMICE_CL_FIND(result, name, parameters)                                                   \
  found.name = reinterpret_cast<result(*) parameters>(                                             \
      cl.clGetExtensionFunctionAddressForPlatform(platform, #name));                               \
  all &= found.name != nullptr;
  PUMICE_CL_USM_FUNCTIONS(PUMICE_CL_FIND)
#undef PUMICE_CL_FIND
  return all ? std::optional(found) : std::nullopt;
}

} // namespace pumice::opencl_driver
