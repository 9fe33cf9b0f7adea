//===- Autocast.cpp - torch.autocast("vk") ----------------------------------===//
// PyTorch lists the operators that run in the lower precision, and those that do not.
//===-------------------------------------------------------------------------===//
#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace pumice::vk {
namespace {

using namespace at; // PyTorch's macros name its types

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

#define PUMICE_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define PUMICE_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define PUMICE_FP32_TYPE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define PUMICE_PROMOTE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  AT_FORALL_LOWER_PRECISION_FP(PUMICE_LOWER)
  AT_FORALL_FP32(PUMICE_FP32)
  AT_FORALL_FP32_SET_OPT_DTYPE(PUMICE_FP32_TYPE)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
  AT_FORALL_PROMOTE(PUMICE_PROMOTE)
}

} // namespace
} // namespace pumice::vk
