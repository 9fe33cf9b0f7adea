//===- Memory.td - accesses by pointers -------------------------------------===//
include "compiler/dialect/triton/TritonAttributes.td"

include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_LoadOp : TT_Op<"load", [AttrSizedOperandSegments,
                               DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "what pointers point to";
  let description = [{
    Elements that the mask leaves out are those of `other`, or not said without it, and their memory
    is not touched.

    ```mlir
    %v = tt.load %p, %mask, %other cacheModifier = cg : tensor<16x!tt.ptr<f32>>
    ```
  }];
  let arguments = (ins TT_Pointers:$pointer, Optional<TT_Booleans>:$mask, Optional<TT_Values>:$other,
                       DefaultValuedAttr<TT_CacheModifier, "CacheModifier::None">:$cacheModifier,
                       DefaultValuedAttr<TT_EvictionPolicy, "EvictionPolicy::Normal">:$evictionPolicy,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
                       OptionalAttr<TT_CachePolicy>:$cachePolicy);
  let results = (outs TT_Values:$result);
  let assemblyFormat = [{
    $pointer (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cacheModifier | `evictionPolicy` `=` $evictionPolicy)
    attr-dict `:` custom<AccessTypes>(type($pointer), ref($mask), type($mask), ref($other),
                                      type($other), type($result))
  }];
  let hasVerifier = 1;
}

def TT_StoreOp : TT_Op<"store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "values to where pointers point";
  let arguments = (ins TT_Pointers:$pointer, TT_Values:$value, Optional<TT_Booleans>:$mask,
                       DefaultValuedAttr<TT_CacheModifier, "CacheModifier::None">:$cacheModifier,
                       DefaultValuedAttr<TT_EvictionPolicy, "EvictionPolicy::Normal">:$evictionPolicy,
                       OptionalAttr<TT_CachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $pointer `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cacheModifier | `evictionPolicy` `=` $evictionPolicy)
    attr-dict `:` custom<StoreTypes>(type($pointer), type($value), ref($mask), type($mask))
  }];
  let hasVerifier = 1;
}

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "an atomic operation on each element in memory; the result is what was there before";
  let description = "The result is not said where the mask leaves an element out.";
  let arguments = (ins TT_AtomicKind:$kind, TT_Pointers:$pointer, TT_Numbers:$value,
                       Optional<TT_Booleans>:$mask, TT_MemoryOrder:$order, TT_MemoryScope:$scope);
  let results = (outs TT_Numbers:$result);
  let assemblyFormat = [{
    $kind `,` $order `,` $scope `,` $pointer `,` $value (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "stores a value where the other one, bit for bit, is found; gives what was found";
  let arguments = (ins TT_Pointers:$pointer, TT_Numbers:$expected, TT_Numbers:$value,
                       TT_MemoryOrder:$order, TT_MemoryScope:$scope);
  let results = (outs TT_Numbers:$result);
  let assemblyFormat = [{
    $order `,` $scope `,` $pointer `,` $expected `,` $value attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicLoadOp : TT_Op<"atomic_load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "each element of memory, read atomically";
  let description = "The order is relaxed or acquire. What the mask leaves out is not said.";
  let arguments = (ins TT_Pointers:$pointer, Optional<TT_Booleans>:$mask, TT_MemoryOrder:$order,
                       TT_MemoryScope:$scope);
  let results = (outs TT_Numbers:$result);
  let assemblyFormat = [{
    $order `,` $scope `,` $pointer (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicStoreOp : TT_Op<"atomic_store", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "values to memory, each written atomically";
  let description = "The order is relaxed or release.";
  let arguments = (ins TT_Pointers:$pointer, TT_Numbers:$value, Optional<TT_Booleans>:$mask,
                       TT_MemoryOrder:$order, TT_MemoryScope:$scope);
  let assemblyFormat = [{
    $order `,` $scope `,` $pointer `,` $value (`,` $mask^)? attr-dict `:`
    custom<StoreTypes>(type($pointer), type($value), ref($mask), type($mask))
  }];
  let hasVerifier = 1;
}

def TT_AtomicPollOp : TT_Op<"atomic_poll", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "waits until each element in memory is the expected one, or time is up";
  let description = [{
    The result is true where the value was seen. Each element is read at least once. The time is in
    nanoseconds, and holds for all elements together; without it there is no limit.

    ```mlir
    %seen = tt.atomic_poll acquire, gpu, %p, %e timeout %t : !tt.ptr<i32>, i32 -> i1
    ```
  }];
  let arguments = (ins TT_Pointers:$pointer, TT_Integers:$expected, Optional<I64>:$timeout,
                       TT_MemoryOrder:$order, TT_MemoryScope:$scope);
  let results = (outs TT_Booleans:$result);
  let assemblyFormat = [{
    $order `,` $scope `,` $pointer `,` $expected (`timeout` $timeout^)? attr-dict `:`
    type($pointer) `,` type($expected) `->` type($result)
  }];
  let hasVerifier = 1;
}
