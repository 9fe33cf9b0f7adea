//===- Checks.h - run-time checks in kernels --------------------------------===//
// In a module with the attribute `tt.check`, each access is checked before it is made. A failed
// check prints a record between two marks. The marks let launchers distinguish it from the kernel's
// own output. The wrong access is left out, and the kernel continues.
//
// A checked kernel has additional arguments behind its own. The first is a table of i64 numbers.
// The table begins with three numbers for each pointer argument, in the order of the arguments.
// They are the number of bytes of its storage before its address, the size of the storage in bytes,
// and the address. An unknown address is -1, and then no access counts as outside. Two numbers
// follow that limit where memory can be: the first address, and the number of bytes from there. The
// next number counts the other storages to which pointers in memory may lead. Each of these
// storages has two more numbers: its first address, and its size in bytes.
//
// The next arguments are for pointers through which the kernel makes plain stores. For each of them
// there is an array of i32, with one entry for each element. It records the last writer of the
// element. If the kernel also reads through the pointer, a second array records the reader.
// Pointers that the kernel only reads and updates atomically also have both arrays. Pointers that
// the kernel only reads have the first array if the check looks for unwritten memory.
//
// The low 20 bits of an entry identify the program, and the bits above hold the number of a site,
// from 1 on. Sites of plain accesses come before those of atomic operations. Entries without a site
// have special meanings: 0 is nobody, -1 is memory that nothing has written, -2 is several readers,
// and -3 is atomics of several programs.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/distribute/Distribution.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace pumice::triton::distribute {

/// An integer attribute of a module. It names the checks in its kernels.
inline constexpr char checkAttrName[] = "tt.check";

/// The kinds of checks, as bits of `tt.check`.
enum class Check : uint32_t {
  Bounds = 1,
  Overflow = 2,
  Division = 4,
  Races = 8,
  Unwritten = 16,
  Alignment = 32,
  Lanes = 64,  // a store writes several elements of a block to one place
  Shared = 128 // not a check: arguments share memory and can race
};

/// The facts about an access that its checks need.
struct CheckedAccess {
  mlir::Operation *op = nullptr;
  mlir::Value pointer; // the pointer in the kernel
  Layout layout;
  mlir::Value memory;  // null: offsets are addresses
  mlir::Value offsets; // a tile
  mlir::Value mask;    // a tile, or null
  mlir::Type stored;
};

class Checks {
public:
  /// Appends the additional arguments of a checked kernel to the function. Loads from the table are
  /// emitted at `b`.
  Checks(mlir::OpBuilder &b, FuncOp kernel, mlir::gpu::GPUFuncOp function, uint32_t which);

  bool looksFor(Check check) const { return which & static_cast<uint32_t>(check); }

  /// Emits the checks of an access. Failures are reported at the end of the block. Returns the mask
  /// of the valid elements.
  mlir::FailureOr<mlir::Value> guard(Distribution &d, const CheckedAccess &access) const;

  /// Emits a check after the store of `stored`, whose mask is in `access`. The check finds elements
  /// that the store wrote to one place with different values.
  void checkLanes(Distribution &d, const CheckedAccess &access, mlir::Value stored) const;

  /// Emits code that reports the failures, at the end of a block.
  static mlir::LogicalResult tell(Distribution &d, llvm::ArrayRef<Report> reports);

  /// Emits the check for zero divisors.
  mlir::LogicalResult checkDivision(Distribution &d, mlir::Operation *op) const;

private:
  struct Argument {
    mlir::Value pointer;                // the pointer in the function
    std::string name;                   // the name in the kernel's source
    mlir::Value before, bytes, address; // i64
    mlir::Value writers, readers;       // memrefs of i32; null if nothing can race
    bool isWrittenUnseen = false;       // also written by accesses that histories do not record
  };

  const Argument *argumentOf(mlir::Value memory) const;
  mlir::Value insideOfOthers(Distribution &d, const CheckedAccess &access,
                             mlir::Value inside) const;
  mlir::Value addressesIn(Distribution &d, const CheckedAccess &access, mlir::Value first,
                          mlir::Value bytes) const;
  mlir::Value insideOfAny(Distribution &d, const CheckedAccess &access,
                          const llvm::DenseSet<mlir::Value> &roots, const Argument *&only) const;
  mlir::FailureOr<mlir::Value> guardUnnamed(Distribution &d, const CheckedAccess &access,
                                            const Report &stray) const;
  void checkAlignment(Distribution &d, const CheckedAccess &access) const;
  mlir::LogicalResult checkOverflow(Distribution &d, const CheckedAccess &access) const;
  void checkRaces(Distribution &d, const CheckedAccess &access, const Argument &argument,
                  mlir::Value mask) const;
  void addHistories(mlir::OpBuilder &b, FuncOp kernel, mlir::gpu::GPUFuncOp function);
  void addSites(FuncOp kernel, llvm::function_ref<bool(mlir::Operation *)> isKnown);

  std::vector<Argument> arguments;
  mlir::Value others;                           // the table
  mlir::Value program;                          // i32: the number of this program in histories
  llvm::DenseMap<mlir::Operation *, int> sites; // numbers of recorded accesses, from 1 on
  int plainSites = 0;                           // the number of sites that are plain accesses
  std::string sitePlaces;                       // "1=k.py:7:4;2=…"
  uint32_t which;
};

} // namespace pumice::triton::distribute
