//===- Context.cpp - an OpenCL context for one device -----------------------===//
#include "runtime/drivers/opencl/Context.h"

#include "runtime/drivers/opencl/Loader.h"

namespace pumice::opencl_driver {

Result<std::shared_ptr<Context>> Context::create(const Functions &cl, const DeviceFacts &facts,
                                                 Addressing addressing) {
  UsmFunctions usm;
  if (addressing == Addressing::Usm)
    usm = findUsm(cl, facts.platform).value_or(UsmFunctions());
  std::shared_ptr<Context> context(new Context(cl, usm, facts, addressing));
  cl_int result = CL_SUCCESS;
  context->handle =
      PUMICE_CL_MAKE(result, cl, clCreateContext, nullptr, 1, &facts.device, nullptr, nullptr);
  PUMICE_RETURN_IF_ERROR(toStatus(result, "clCreateContext"));
  if (addressing != Addressing::CoarseSvm)
    return context;
  context->mapping = PUMICE_CL_MAKE(result, cl, clCreateCommandQueueWithProperties, context->handle,
                                    facts.device, nullptr);
  PUMICE_RETURN_IF_ERROR(toStatus(result, "clCreateCommandQueueWithProperties"));
  return context;
}

Context::~Context() {
  if (isAbandoned())
    return;
  if (mapping)
    cl.clReleaseCommandQueue(mapping);
  if (handle)
    cl.clReleaseContext(handle);
}

} // namespace pumice::opencl_driver
