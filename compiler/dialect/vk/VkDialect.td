//===- VkDialect.td - Vulkan target environments and kernel interfaces ------===//
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def VkDialect : Dialect {
  let name = "vk";
  let cppNamespace = "::pumice::vk";
  let summary = "what a Vulkan device can do, and how a kernel reaches its arguments";
  let description = [{
    `#vk.target_env` describes a Vulkan implementation as plain data. The operations stand for what
    a compute shader finds at its interface: the parameter block and bound storage buffers. They
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
  let summary = "a Vulkan implementation: version, extensions, limits and features";
  let description = [{
    ```mlir
    #vk.target_env<v1.1, r(120),
      [VK_KHR_spirv_1_4, VK_KHR_storage_buffer_storage_class],
      {maxComputeSharedMemorySize = 16384 : i32, subgroupSize = 64 : i32}>
    ```
    The dictionary's keys are limits (compiler/target/Limits.def), features (Features.def; they stand
    alone), `cooperativeMatrixPropertiesKHR` and its relatives (MatrixText.h), and `deviceName`,
    which only messages use. What it leaves out has Vulkan's required minimum, or is absent. A
    feature needs the version or extension that brings it. docs/targets.md has it all.
  }];
  let parameters = (ins
    "uint32_t":$versionMajor, "uint32_t":$versionMinor, "uint32_t":$revision,
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
    What `!gpu.mma_matrix` is to the first ("a") or second ("b") factor, of any type that devices
    multiply: bf16 too, and integers that have a sign or none. It lives between its load and its
    products.

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
  let summary = "where a kernel's argument begins";
  let description = [{
    A device address, in bytes. What follows from it may read and write all of the buffer. Targets
    whose buffers are descriptors refuse it.

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
    Each invocation may name its own. The address is a multiple of an element's size.

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
    Stores `desired` if memory holds `expected`; yields what it held before, in either case. The
    two steps are one atomic step at device scope (workgroup memory: workgroup scope), and order
    no other access.

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
  let summary = "what came before it is seen before what comes behind it";
  let description = [{
    Orders the invocation's accesses to buffers and to workgroup memory, for all of the device. With
    it, atomic operations that order nothing themselves can pass on what was written.
  }];
  let assemblyFormat = "attr-dict";
}

def Vk_ReadClockOp : Vk_Op<"read_clock", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what a clock shows";
  let description = [{
    The device's, which all of its programs share, or the subgroup's. Neither goes back. The unit is
    the device's own; of Pumice's CPU device, and of NVIDIA's GPUs, a nanosecond of the device's clock
    and a cycle of the subgroup's. Needs the features shaderDeviceClock and shaderSubgroupClock.
  }];
  let arguments = (ins UnitAttr:$subgroup);
  let results = (outs I64:$time);
  let assemblyFormat = "(`subgroup` $subgroup^)? attr-dict";
}

def Vk_LoadFactorOp : Vk_Op<"load_factor"> {
  let summary = "a subgroup loads a factor from memory";
  let description = [{
    Its lines, which are rows or, `transposed`, columns, begin `stride` of the memory's elements after
    each other, the first at `index`. Memory may have elements of another type, words of several
    elements of the factor, say.

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
