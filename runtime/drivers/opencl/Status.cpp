//===- Status.cpp - results of OpenCL as a Status ---------------------------===//
#include "runtime/drivers/opencl/Status.h"

#include <algorithm>
#include <iterator>

namespace pumice::opencl_driver {
namespace {

struct Known {
  cl_int result;
  const char *name;
  const char *meaning; // empty: the name says it
  StatusCode code;
};

using enum StatusCode;
constexpr Known known[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", "", NotFound},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE", "the device stopped answering",
     DeviceLost},
    {-3, "CL_COMPILER_NOT_AVAILABLE", "", Unsupported},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE",
     "the device has no memory left", ResourceExhausted},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", "the device has no resources left",
     ResourceExhausted},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", "the host has no memory left",
     ResourceExhausted},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE", "", Unsupported},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", "the driver does not compile the code",
     Unsupported},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
     "work that it waited for has failed", Internal},
    {-15, "CL_COMPILE_PROGRAM_FAILURE", "the driver does not compile the code", Unsupported},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE", "", Internal},
    {-33, "CL_INVALID_DEVICE", "", Internal},
    {-34, "CL_INVALID_CONTEXT", "", Internal},
    {-35, "CL_INVALID_QUEUE_PROPERTIES", "", Unsupported},
    {-36, "CL_INVALID_COMMAND_QUEUE", "", Internal},
    {-38, "CL_INVALID_MEM_OBJECT", "", Internal},
    {-42, "CL_INVALID_BINARY", "", Unsupported},
    {-43, "CL_INVALID_BUILD_OPTIONS", "", Internal},
    {-44, "CL_INVALID_PROGRAM", "", Unsupported},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE", "", Internal},
    {-46, "CL_INVALID_KERNEL_NAME", "", InvalidArgument},
    {-47, "CL_INVALID_KERNEL_DEFINITION", "", Internal},
    {-49, "CL_INVALID_ARG_INDEX", "", Internal},
    {-50, "CL_INVALID_ARG_VALUE", "", Internal},
    {-51, "CL_INVALID_ARG_SIZE", "", Internal},
    {-52, "CL_INVALID_KERNEL_ARGS", "", Internal},
    {-53, "CL_INVALID_WORK_DIMENSION", "", Internal},
    {-54, "CL_INVALID_WORK_GROUP_SIZE", "the device cannot run workgroups of this size",
     Unsupported},
    {-55, "CL_INVALID_WORK_ITEM_SIZE", "the device cannot run workgroups of this size",
     Unsupported},
    {-56, "CL_INVALID_GLOBAL_OFFSET", "", Unsupported},
    {-57, "CL_INVALID_EVENT_WAIT_LIST", "", Internal},
    {-58, "CL_INVALID_EVENT", "", Internal},
    {-59, "CL_INVALID_OPERATION", "", Unsupported},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE", "the device rejects buffers of this size",
     ResourceExhausted},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE", "", Unsupported},
    {-71, "CL_INVALID_SPEC_ID", "", InvalidArgument},
    {CL_PLATFORM_NOT_FOUND_KHR, "CL_PLATFORM_NOT_FOUND_KHR", "no OpenCL driver is installed",
     NotFound},
};

const Known *find(cl_int result) {
  const auto *found = std::ranges::find(known, result, &Known::result);
  return found == std::end(known) ? nullptr : found;
}

} // namespace

std::string describe(cl_int result) {
  const Known *found = find(result);
  if (!found)
    return "error " + std::to_string(result);
  return std::string(found->name) + (*found->meaning ? " (" : "") + found->meaning +
         (*found->meaning ? ")" : "");
}

Status toStatus(cl_int result, std::string_view call) {
  if (result == CL_SUCCESS)
    return Status::ok();
  const Known *found = find(result);
  StatusCode code = found ? found->code : meansLost(result) ? DeviceLost : Internal;
  return Status(code, std::string(call) + " returned " + describe(result));
}

bool meansLost(cl_int result) {
  // Drivers report the end of a device by numbers of their own, which are below all of the API's
  // and its extensions'. NVIDIA's is -9999.
  return result == CL_DEVICE_NOT_AVAILABLE || result <= -5000;
}

} // namespace pumice::opencl_driver
