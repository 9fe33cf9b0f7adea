//===- HostSites.h - the gpu operations of a host program as plain data -----===//
// Compiled host code calls the runtime with the number of a site; this file describes what the
// compiler knew about the site. LowerHostGpu writes the sites into the module, and the code that
// runs the program reads them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace pumice::host {

/// ArrayAttr of a lowered host module.
inline constexpr llvm::StringLiteral sitesAttrName = "pumice.sites";
/// i64 attribute of a gpu.launch_func: the number of the kernel that it launches.
inline constexpr llvm::StringLiteral kernelAttrName = "pumice.kernel";

/// One entry of the operand array. The compiled code stores a pointer to the operand there.
struct Operand {
  static constexpr int64_t scalar = -1, unranked = -2;
  int64_t rank = scalar; // of a memref; the pointer is to its descriptor
  int64_t bytes = 0;     // of the scalar, or of the memref's elements in memory
  std::string type = {}; // of the scalar, of the elements, or of a vector's components: "f32"
};

/// The order is that of the functions' names in `functionOf`. Place comes before a memref.alloc or
/// memref.dealloc, since the function that it calls does not learn the location.
enum class Action : uint8_t {
  Launch,
  Alloc,
  Dealloc,
  Copy,
  Fill,
  Wait,
  Register,
  Unregister,
  Place,
  Fail
};

struct Site {
  Action action = Action::Wait;
  std::string location; // "file.mlir:12:3"
  bool async = false;
  bool hostShared = false;       // of gpu.alloc
  std::string symbol;            // of the kernel: "@kernels::@add"
  std::string message;           // of an assertion
  int64_t kernel = -1;           // its number
  std::vector<Operand> operands; // launches: the kernel's arguments, after `launchOperands`
};

/// The number of operands before a kernel's arguments: grid x, y, z, workgroup x, y, z, and bytes
/// of dynamic workgroup memory. Each is an i64.
inline constexpr size_t launchOperands = 7;

/// Returns the function's name, such as "pumice_host_launch".
llvm::StringRef functionOf(Action action);

/// Returns, for example, "file.mlir:12:3", or "unknown place".
std::string placeOf(mlir::Location loc);

mlir::Attribute toAttr(mlir::MLIRContext *context, const Site &site);
/// Returns the sites of a module that LowerHostGpu has lowered.
std::vector<Site> readSites(mlir::ModuleOp module);

} // namespace pumice::host
