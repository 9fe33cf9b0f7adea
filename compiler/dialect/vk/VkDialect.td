//===- VkDialect.td - Vulkan target environments and kernel interfaces ------===//
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def VkDialect : Dialect {
  let name = "vk";
  let cppNamespace = "::pumice::vk";
  let summary = "capabilities of Vulkan devices, and interfaces of kernels";
  let description = [{
    `#vk.target_env` describes a Vulkan implementation as plain data. The operations represent a
    compute shader's interface: the parameter block and bound storage buffers. They
    appear when a kernel loses its arguments, and become SPIR-V variables at the end.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

//===-------------------------------------------------------------------------===//
// Attributes
//===-------------------------------------------------------------------------===//

def Vk_TargetEnvAttr : AttrDef<VkDialect, "TargetEnv"> {
  let mnemonic = "target_env";
  let summary = "a Vulkan or OpenCL implementation: version, extensions, limits and features";
  let description = [{
    ```mlir
    #vk.target_env<v1.1, r(120),
      [VK_KHR_spirv_1_4, VK_KHR_storage_buffer_storage_class],
      {maxComputeSharedMemorySize = 16384 : i32, subgroupSize = 64 : i32}>
    ```
    The dictionary's keys are limits (compiler/target/Limits.def), features (Features.def; these
    have no value), `cooperativeMatrixPropertiesKHR` and similar arrays (MatrixText.h), and
    `deviceName`, which only messages use. Limits that are left out have Vulkan's required minimum,
    and features that are left out are absent. A feature needs the version or extension that
    provides it. docs/targets.md describes all of this.

    The same attribute describes an OpenCL device. There, the features follow from the extensions:

    ```mlir
    #vk.target_env<opencl v3.0, r(0), [cl_khr_fp16, cl_khr_fp64], {spirvMinor = 2 : i32}>
    ```
  }];
  let parameters = (ins
    "bool":$openCl, "uint32_t":$versionMajor, "uint32_t":$versionMinor, "uint32_t":$revision,
    "::mlir::ArrayAttr":$extensions, "::mlir::DictionaryAttr":$capabilities);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===-------------------------------------------------------------------------===//
// Types
//===-------------------------------------------------------------------------===//

def Vk_FactorType : TypeDef<VkDialect, "Factor"> {
  let mnemonic = "factor";
  let summary = "a factor of a product that a subgroup multiplies at once";
  let description = [{
    Corresponds to `!gpu.mma_matrix` for the first ("a") or second ("b") factor. It supports all
    types that devices multiply, including bf16, and signed and unsigned integers. It exists only
    between its load and its products.

    ```mlir
    !vk.factor<16x16xbf16, a>
    !vk.factor<32x16xsi8, b>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                    "bool":$isSecond);
  let hasCustomAssemblyFormat = 1;
}

//===-------------------------------------------------------------------------===//
// Operations
//===-------------------------------------------------------------------------===//

class Vk_Op<string mnemonic, list<Trait> traits = []> : Op<VkDialect, mnemonic, traits>;

def Vk_ParameterOp : Vk_Op<"parameter", [Pure]> {
  let summary = "a value of the kernel's parameter block";
  let description = [{
    Reads the value at `offset` bytes of the block that a launch passes to a kernel. A result of
    memref type is the buffer whose device address the block holds there.

    ```mlir
    %n = vk.parameter 16 : i32
    %x = vk.parameter 0 : memref<?xf32>
    ```
  }];
  let arguments = (ins I32Attr:$offset);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$offset attr-dict `:` type($result)";
}

def Vk_BindingOp : Vk_Op<"binding", [Pure]> {
  let summary = "the storage buffer bound to a descriptor set and binding";
  let description = [{
    ```mlir
    %x = vk.binding set(0) binding(1) : memref<?xf32>
    ```
  }];
  let arguments = (ins I32Attr:$set, I32Attr:$binding);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "`set` `(` $set `)` `binding` `(` $binding `)` attr-dict `:` type($result)";
}

def Vk_AddressOfOp : Vk_Op<"address_of"> {
  let summary = "the address of a kernel's argument";
  let description = [{
    Returns a device address, in bytes. Addresses computed from it may access the whole buffer.
    Targets whose buffers are descriptors reject this operation.

    ```mlir
    %a = vk.address_of %x : memref<?xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$memref);
  let results = (outs I64:$address);
  let assemblyFormat = "$memref attr-dict `:` type($memref)";
}

def Vk_AtAddressOp : Vk_Op<"at_address", [Pure]> {
  let summary = "the memory at a device address";
  let description = [{
    Each invocation may use a different address. It must be a multiple of an element's size.

    ```mlir
    %x = vk.at_address %a : memref<?xf32>
    ```
  }];
  let arguments = (ins I64:$address);
  let results = (outs MemRefRankOf<[AnyType], [1]>:$result);
  let assemblyFormat = "$address attr-dict `:` type($result)";
}

def Vk_DynamicWorkgroupMemoryOp : Vk_Op<"dynamic_workgroup_memory", [Pure]> {
  let summary = "the workgroup memory whose size the launch chooses";
  let description = [{
    `gpu.dynamic_shared_memory` is always bytes; this is the same memory in the element type that
    the target stores.

    ```mlir
    %m = vk.dynamic_workgroup_memory : memref<?xi32, #gpu.address_space<workgroup>>
    ```
  }];
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

class Vk_IsElementOf<string value>
    : TypesMatchWith<value # " has the memory's element type", "memref", value,
                     "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">;

def Vk_AtomicCmpxchgOp : Vk_Op<"atomic_cmpxchg", [
    Vk_IsElementOf<"expected">, Vk_IsElementOf<"desired">, Vk_IsElementOf<"old">]> {
  let summary = "atomic compare-and-exchange of an integer in memory";
  let description = [{
    Stores `desired` if memory holds `expected`, and always returns the previous value. This is one
    atomic step at device scope (workgroup memory: workgroup scope), and orders no other access.

    ```mlir
    %old = vk.atomic_cmpxchg %expected, %desired, %x[%i] : memref<?xi32>
    ```
  }];
  let arguments = (ins AnySignlessInteger:$expected, AnySignlessInteger:$desired,
                   Arg<MemRefRankOf<[AnySignlessInteger], [1]>, "", [MemRead, MemWrite]>:$memref,
                   Index:$index);
  let results = (outs AnySignlessInteger:$old);
  let assemblyFormat =
      "$expected `,` $desired `,` $memref `[` $index `]` attr-dict `:` type($memref)";
}

def Vk_MemoryBarrierOp : Vk_Op<"memory_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders the accesses before it and those after it";
  let description = [{
    Orders the invocation's accesses to buffers and to workgroup memory, for all of the device. With
    it, atomic operations that have no order themselves can publish written data.
  }];
  let assemblyFormat = "attr-dict";
}

def Vk_ReadClockOp : Vk_Op<"read_clock", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the time of a clock";
  let description = [{
    Reads the device's clock, which all programs share, or the subgroup's. Neither goes backwards.
    The unit depends on the device. On Pumice's CPU device and on NVIDIA's GPUs, the device's clock
    counts nanoseconds, and the subgroup's counts cycles. Needs the features shaderDeviceClock and
    shaderSubgroupClock.
  }];
  let arguments = (ins UnitAttr:$subgroup);
  let results = (outs I64:$time);
  let assemblyFormat = "(`subgroup` $subgroup^)? attr-dict";
}

def Vk_LoadFactorOp : Vk_Op<"load_factor"> {
  let summary = "a subgroup loads a factor from memory";
  let description = [{
    The factor consists of lines, which are rows, or columns if `transposed`. The first line begins
    at `index`, and each further one `stride` elements of the memory later. The memory may have
    elements of another type, for example words of several elements of the factor.

    ```mlir
    %a = vk.load_factor %m[%i] stride 36 : memref<4096xi32, #gpu.address_space<workgroup>>
         -> <16x16xbf16, a>
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[AnySignlessInteger, AnyFloat], [1]>, "", [MemRead]>:$memref,
                   Index:$index, ConfinedAttr<I32Attr, [IntPositive]>:$stride, UnitAttr:$transposed);
  let results = (outs Vk_FactorType:$result);
  let assemblyFormat = [{
    $memref `[` $index `]` `stride` $stride (`transposed` $transposed^)? attr-dict `:` type($memref)
    `->` type($result)
  }];
}

def Vk_MultiplyFactorsOp : Vk_Op<"multiply_factors", [
    Pure, TypesMatchWith<"the result is a sum like the one that comes in", "sum", "result", "$_self">]> {
  let summary = "a subgroup multiplies two factors and adds the product to a sum";
  let description = [{
    ```mlir
    %d = vk.multiply_factors %a, %b, %c
       : <16x16xbf16, a>, <16x16xbf16, b>, !gpu.mma_matrix<16x16xf32, "COp">
    ```
  }];
  let arguments = (ins Vk_FactorType:$a, Vk_FactorType:$b, AnyType:$sum);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$a `,` $b `,` $sum attr-dict `:` type($a) `,` type($b) `,` type($sum)";
  let hasVerifier = 1;
}
