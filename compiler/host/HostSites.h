//===- HostSites.h - the gpu operations of a host program as plain data -----===//
// Compiled host code calls the runtime with the number of a site. This file describes what the
// compiler knows about a site. LowerHostGpu writes the sites into the module, and the code that
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

/// Describes one entry of the operand array. In the array, compiled code stores a pointer to the
/// operand.
struct Operand {
  static constexpr int64_t scalar = -1, unranked = -2;
  int64_t rank = scalar; // of a memref; the pointer is to its descriptor
  int64_t bytes = 0;     // of the scalar, or of the memref's elements in memory
  std::string type = {}; // of the scalar, of the elements, or of a vector's components: "f32"
};

/// The kinds of calls, in the order of the functions' names in `functionOf`. Place precedes the
/// call for a memref.alloc or memref.dealloc, since the function for these does not get a location.
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
  std::vector<Operand> operands; // of a launch: `launchOperands`, then the kernel's arguments
};

/// The number of operands before a kernel's arguments. They are the grid (x, y, z), the workgroup
/// (x, y, z), and the bytes of dynamic workgroup memory. Each is an i64.
inline constexpr size_t launchOperands = 7;

/// Returns the function's name, such as "pumice_host_launch".
llvm::StringRef functionOf(Action action);

/// Returns, for example, "file.mlir:12:3", or "unknown place".
std::string placeOf(mlir::Location loc);

mlir::Attribute toAttr(mlir::MLIRContext *context, const Site &site);
/// Returns the sites of a module that LowerHostGpu has lowered.
std::vector<Site> readSites(mlir::ModuleOp module);

} // namespace pumice::host
