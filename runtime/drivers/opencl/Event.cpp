//===- Event.cpp - the end of work that the device has ----------------------===//
#include "runtime/drivers/opencl/Event.h"

namespace pumice::opencl_driver {

Event::Event(const Event &other) : context(other.context), handle(other.handle) {
  if (handle)
    context->cl.clRetainEvent(handle);
}

Event::~Event() {
  if (handle && !context->isAbandoned())
    context->cl.clReleaseEvent(handle);
}

cl_int Event::status() const {
  cl_int status = CL_COMPLETE;
  cl_int result = PUMICE_CL(context->cl, clGetEventInfo, handle, CL_EVENT_COMMAND_EXECUTION_STATUS,
                            sizeof status, &status, nullptr);
  return result == CL_SUCCESS ? status : result;
}

bool Event::wait() const {
  return PUMICE_CL(context->cl, clWaitForEvents, 1, &handle) == CL_SUCCESS;
}

uint64_t Event::time(cl_uint what) const {
  cl_ulong time = 0;
  if (!handle || PUMICE_CL(context->cl, clGetEventProfilingInfo, handle, what, sizeof time, &time,
                           nullptr) != CL_SUCCESS)
    return 0;
  return time;
}

} // namespace pumice::opencl_driver
