//===- DeviceInfo.cpp - a device as plain data ------------------------------===//
#include "runtime/hal/DeviceInfo.h"

#include "executable/SpirvNeeds.h"

namespace pumice::hal {

std::string_view toString(DeviceKind kind) {
  switch (kind) {
  case DeviceKind::Other:
    return "other";
  case DeviceKind::Integrated:
    return "integrated GPU";
  case DeviceKind::Discrete:
    return "discrete GPU";
  case DeviceKind::Virtual:
    return "virtual GPU";
  case DeviceKind::Cpu:
    return "CPU";
  }
  return "unknown";
}

bool DeviceInfo::isOpenCl() const {
  // OpenCL devices may also run shaders, which the compiler turns into kernels.
  return !kinds.empty() && kinds.front() == executable::VariantKind::OpenclSpirv;
}

bool DeviceInfo::hasExtension(std::string_view extension) const {
  return extensions.contains(extension) ||
         executable::hasBuiltIn(versionMajor, versionMinor, executable::promotedIn(extension));
}

} // namespace pumice::hal
