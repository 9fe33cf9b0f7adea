//===- Refused.cpp - alternatives to unsupported instructions ---------------===//
// Maps the beginning of an opcode to the operation of triton.language that is closest to it. The
// longest match counts.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/ptx/Translation.h"

using namespace mlir;
using namespace pumice::triton;

namespace {
struct Refusal {
  StringLiteral opcode, wayOut;
};
} // namespace

static constexpr StringLiteral ofMatrices = "multiply matrices with tl.dot";
static constexpr StringLiteral ofCopies =
    "use tl.load, whose loads are prefetched in loops with num_stages";
static constexpr StringLiteral ofDescriptors =
    "use tl.make_tensor_descriptor, and its load and store";
static constexpr StringLiteral ofBarriers = "use tl.debug_barrier()";
static constexpr StringLiteral ofBranches = "write branches in Python: if, while, tl.where";
static constexpr StringLiteral ofLanes =
    "use tl.reduce, tl.associative_scan or tl.gather: lanes hold any element";

static constexpr Refusal refusals[] = {
    {"activemask", ofLanes},
    {"add.cc", "add integers of 64 bits: add.u64, or + of tl.int64"},
    {"addc", "add integers of 64 bits: add.u64, or + of tl.int64"},
    {"alloca", "keep values in tensors"},
    {"atom", "use tl.atomic_add, tl.atomic_cas, tl.atomic_xchg and their like"},
    {"bar", ofBarriers},
    {"barrier", ofBarriers},
    {"bra", ofBranches},
    {"brkpt", "use tl.device_assert or tl.device_print"},
    {"brx", ofBranches},
    {"call", "write the function in Python, with @triton.jit"},
    {"cp", ofCopies},
    {"cp.async.bulk", ofDescriptors},
    {"cp.reduce", ofDescriptors},
    {"cvt", "use x.to(dtype)"},
    {"elect", ofLanes},
    {"exit", ofBranches},
    {"getctarank", "num_ctas is 1 here"},
    {"isspacep", "pointers of kernels are global ones"},
    {"ld", "use tl.load"},
    {"ldmatrix", ofCopies},
    {"madc", "multiply integers of 64 bits: mul.wide, or * of tl.int64"},
    {"mapa", "num_ctas is 1 here"},
    {"match", ofLanes},
    {"mbarrier", ofBarriers},
    {"mma", ofMatrices},
    {"movmatrix", "use tl.trans"},
    {"multimem", "use tl.atomic_add"},
    {"pmevent", "remove it: it is for profilers"},
    {"red", "use tl.atomic_add, tl.atomic_max and their like"},
    {"redux", "use tl.reduce, tl.sum, tl.max"},
    {"ret", ofBranches},
    {"shfl", ofLanes},
    {"st", "use tl.store"},
    {"stmatrix", "use tl.store"},
    {"sub.cc", "subtract integers of 64 bits: sub.u64, or - of tl.int64"},
    {"subc", "subtract integers of 64 bits: sub.u64, or - of tl.int64"},
    {"suld", "use tl.load"},
    {"sured", "use tl.atomic_add"},
    {"sust", "use tl.store"},
    {"tcgen05", ofMatrices},
    {"tensormap", ofDescriptors},
    {"tex", "use tl.load"},
    {"tld4", "use tl.load"},
    {"trap", "use tl.device_assert"},
    {"vote", "use tl.reduce, tl.max or tl.min of the condition"},
    {"wgmma", ofMatrices},
    {"wmma", ofMatrices},
};

StringRef ptx::wayOutOf(StringRef opcode) {
  StringRef best, result = "write it with operations of triton.language; docs/inline-assembly.md "
                           "lists the instructions that are understood";
  for (const Refusal &refusal : refusals) {
    bool isMeant = opcode == refusal.opcode ||
                   (opcode.starts_with(refusal.opcode) && opcode[refusal.opcode.size()] == '.');
    if (isMeant && refusal.opcode.size() > best.size()) {
      best = refusal.opcode;
      result = refusal.wayOut;
    }
  }
  return result;
}
