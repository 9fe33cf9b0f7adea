//===- Barrier.td - the one operation of ttg that TTIR may hold -------------===//
// The ttg dialect belongs to Triton's later stages. From 3.7 on, `tl.debug_barrier` is its barrier.
//===-------------------------------------------------------------------------===//
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TritonGpuDialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::pumice::triton";
  let summary = "the barrier of Triton's later stages, which its front end emits";
}

def TTG_Local : I32BitEnumAttrCaseBit<"Local", 0, "local">;
def TTG_GlobalRead : I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">;
def TTG_GlobalWrite : I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">;
def TTG_TensorRead : I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">;
def TTG_TensorWrite : I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">;
def TTG_Memory : I32BitEnumAttr<"BarrierMemory", "the memory whose accesses a barrier orders", [
  I32BitEnumAttrCaseNone<"None", "none">, TTG_Local, TTG_GlobalRead, TTG_GlobalWrite,
  TTG_TensorRead, TTG_TensorWrite,
  I32BitEnumAttrCaseGroup<"All", [TTG_Local, TTG_GlobalRead, TTG_GlobalWrite, TTG_TensorRead,
                                  TTG_TensorWrite], "all">]> {
  let cppNamespace = "::pumice::triton";
  let separator = "|";
}

def TTG_ProgramBarrierOp : Op<TritonGpuDialect, "barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for all lanes of the program; here every barrier orders all memory";
  let arguments = (ins TTG_Memory:$memory);
  let assemblyFormat = "custom<Memory>($memory) attr-dict";
}
