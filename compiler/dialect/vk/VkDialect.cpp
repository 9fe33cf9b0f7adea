//===- VkDialect.cpp - Vulkan target environments and kernel interfaces -----===//
#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::vk;

#include "compiler/dialect/vk/VkDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/vk/VkAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/vk/VkOps.cpp.inc"

void VkDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/vk/VkAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/vk/VkOps.cpp.inc"
      >();
}
