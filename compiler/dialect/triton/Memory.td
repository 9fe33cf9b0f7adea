//===- Memory.td - accesses by pointers -------------------------------------===//
include "compiler/dialect/triton/TritonAttributes.td"

include "mlir/Interfaces/SideEffectInterfaces.td"

def TT_LoadOp : TT_Op<"load", [AttrSizedOperandSegments,
                               DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "loads the values at pointers";
  let description = [{
    Elements that are masked off have the value of `other`, or an unspecified one without `other`.
    Their memory is not accessed.

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
  let summary = "stores values at pointers";
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
  let summary = "an atomic operation on each element in memory, which returns the previous values";
  let description = "The result is unspecified for elements that are masked off.";
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
  let summary = "stores a value if memory holds the other one, bit for bit; returns the previous value";
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
  let summary = "loads each element atomically";
  let description = "The order is relaxed or acquire. Elements that are masked off are unspecified.";
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
  let summary = "stores each element atomically";
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
  let summary = "waits until each element in memory has the expected value, or until a time limit";
  let description = [{
    The result is true for elements whose expected value was read. Each element is read at least
    once. The time is in nanoseconds, for all elements together. Without it, there is no limit.

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
