//===- LaneOps.td - the operations of the lane dialect ----------------------===//
#ifndef PUMICE_LANE_OPS
#define PUMICE_LANE_OPS

include "compiler/dialect/lane/LaneDialect.td"

include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/MemorySlotInterfaces.td"

def Lane_Pointer : Type<CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">, "address",
                      "::mlir::LLVM::LLVMPointerType">,
                   BuildableType<"::mlir::LLVM::LLVMPointerType::get($_builder.getContext())">;
def Lane_Scalar : AnyTypeOf<[I1, I8, I16, I32, I64, F16, BF16, F32, F64, Lane_Pointer],
                            "scalar of one invocation">;

//===-------------------------------------------------------------------------===//
// The position of an invocation
//===-------------------------------------------------------------------------===//

def Lane_BuiltinOp : Lane_Op<"builtin", [Pure]> {
  let summary = "a number that the launch gives to the invocation";
  let description = [{
    Names: `local_id_x|y|z`, `workgroup_id_x|y|z`, `num_workgroups_x|y|z`, `workgroup_size_x|y|z`,
    `global_offset_x|y|z`, `local_index`, `subgroup_id`, `num_subgroups`, `subgroup_lane`,
    `subgroup_size`. All are i32. The subgroup's lane masks have no name, since other values give
    them.

    ```mlir
    %x = lane.builtin local_id_x
    ```
  }];
  let arguments = (ins StrAttr:$which);
  let results = (outs I32:$result);
  let assemblyFormat = "custom<BareName>($which) attr-dict";
  let hasVerifier = 1;
}

def Lane_ClockOp : Lane_Op<"clock"> {
  let summary = "the time of a clock that all threads share";
  let description = [{
    The time never decreases. Its unit is a nanosecond with `nanoseconds`, and otherwise depends on
    the processor. All lanes get the same time.
  }];
  let arguments = (ins UnitAttr:$nanoseconds);
  let results = (outs I64:$time);
  let assemblyFormat = "(`nanoseconds` $nanoseconds^)? attr-dict";
}

//===-------------------------------------------------------------------------===//
// Memory
//===-------------------------------------------------------------------------===//

def Lane_BufferOp : Lane_Op<"buffer", [Pure]> {
  let summary = "the address of the buffer bound at a set and binding (and array element)";
  let arguments = (ins I32Attr:$set, I32Attr:$binding, DefaultValuedAttr<I32Attr, "0">:$element);
  let results = (outs Lane_Pointer:$address);
  let assemblyFormat = "$set `,` $binding (`element` $element^)? attr-dict";
}

def Lane_BufferBytesOp : Lane_Op<"buffer_bytes", [Pure]> {
  let summary = "the length of the bound range";
  let arguments = (ins I32Attr:$set, I32Attr:$binding, DefaultValuedAttr<I32Attr, "0">:$element);
  let results = (outs I64:$bytes);
  let assemblyFormat = "$set `,` $binding (`element` $element^)? attr-dict";
}

def Lane_PushConstantsOp : Lane_Op<"push_constants", [Pure]> {
  let summary = "the address of the launch's push constants";
  let results = (outs Lane_Pointer:$address);
  let assemblyFormat = "attr-dict";
}

def Lane_SharedOp : Lane_Op<"shared", [Pure]> {
  let summary = "an address in the workgroup's memory, at a constant offset";
  let arguments = (ins I64Attr:$offset);
  let results = (outs Lane_Pointer:$address);
  let assemblyFormat = "$offset attr-dict";
}

def Lane_ProgramOp : Lane_Op<"program", [Pure]> {
  let summary = "an address in the program's memory, at a constant offset";
  let description = "All kernels of a module share this memory. It keeps its contents from launch to launch.";
  let arguments = (ins I64Attr:$offset);
  let results = (outs Lane_Pointer:$address);
  let assemblyFormat = "$offset attr-dict";
}

def Lane_TableOp : Lane_Op<"table", [Pure]> {
  let summary = "the address of constant bytes";
  let description = "Holds a constant composite that is indexed at run time, aligned to 16 bytes.";
  let arguments = (ins DenseI8ArrayAttr:$bytes);
  let results = (outs Lane_Pointer:$address);
  let assemblyFormat = "$bytes attr-dict";
}

def Lane_PrivateOp : Lane_Op<"private"> {
  let summary = "memory of one invocation that is reached by address";
  let description = [{
    Each invocation has its own `bytes` consecutive bytes. A variable needs this operation if its
    address is stored, cast, or used in arithmetic. Other variables are a lane.var or a lane.array.
    The operation must be in the function's entry block.
  }];
  let arguments = (ins I64Attr:$bytes, DefaultValuedAttr<I64Attr, "16">:$alignment);
  let results = (outs Lane_Pointer:$address);
  let assemblyFormat = "$bytes (`align` $alignment^)? attr-dict";
}

def Lane_OffsetOp : Lane_Op<"offset", [Pure]> {
  let summary = "an address at an offset in bytes from another";
  let arguments = (ins Lane_Pointer:$base, I64:$bytes);
  let results = (outs Lane_Pointer:$result);
  let assemblyFormat = "$base `[` $bytes `]` attr-dict";
}

def Lane_LoadOp : Lane_Op<"load"> {
  let summary = "consecutive scalars of one type, from an address";
  let description = [{
    The results are consecutive in memory: a vec4 is one load of four. An i1 is stored as one byte.
    Optional unit attributes are `volatile`, `nontemporal` and `coherent`. `atomic_order` is an
    order as LLVM names it, for a single result. `restrict = array<i32: n, count>` says that the
    kernel has `count` buffers that nothing else overlaps. The load accesses buffer n, or none of
    these buffers if n is -1.

    ```mlir
    %x:4 = lane.load %p align 16 : f32, f32, f32, f32
    ```
  }];
  let arguments = (ins Lane_Pointer:$address, I64Attr:$alignment);
  let results = (outs Variadic<Lane_Scalar>:$values);
  let assemblyFormat = "$address `align` $alignment attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Lane_StoreOp : Lane_Op<"store"> {
  let summary = "consecutive scalars of one type, to an address";
  let arguments = (ins Variadic<Lane_Scalar>:$values, Lane_Pointer:$address, I64Attr:$alignment);
  let assemblyFormat = "$values `to` $address `align` $alignment attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Lane_VarOp : Lane_Op<"var", [
    DeclareOpInterfaceMethods<PromotableAllocationOpInterface>]> {
  let summary = "a scalar variable of one invocation, undefined at first";
  let description = "Only lane.get, lane.set and lane.reset use it. Any region may declare one.";
  let arguments = (ins TypeAttr:$type);
  let results = (outs Lane_Pointer:$slot);
  let assemblyFormat = "$type attr-dict";
}

def Lane_GetOp : Lane_Op<"get", [DeclareOpInterfaceMethods<PromotableMemOpInterface>]> {
  let summary = "the value of a variable";
  let arguments = (ins Lane_Pointer:$slot);
  let results = (outs Lane_Scalar:$value);
  let assemblyFormat = "$slot attr-dict `:` type($value)";
}

def Lane_SetOp : Lane_Op<"set", [DeclareOpInterfaceMethods<PromotableMemOpInterface>]> {
  let summary = "a new value for a variable";
  let description = [{
    Inactive invocations keep their value. `overwrite` promises that they never read this value, so
    that SIMD code need not blend.
  }];
  let arguments = (ins Lane_Pointer:$slot, Lane_Scalar:$value, UnitAttr:$overwrite);
  let assemblyFormat = "$slot `,` $value (`overwrite` $overwrite^)? attr-dict `:` type($value)";
}

def Lane_ResetOp : Lane_Op<"reset"> {
  let summary = "makes a variable undefined for all invocations, including inactive ones";
  let arguments = (ins Lane_Pointer:$slot);
  let assemblyFormat = "$slot attr-dict";
}

def Lane_ArrayOp : Lane_Op<"array"> {
  let summary = "an array of scalars of one invocation, accessed by index only";
  let description = [{
    The elements are undefined at first. In SIMD code, all lanes' values of one element are
    consecutive in memory. An index out of range is undefined behaviour. The operation must be in
    the function's entry block.
  }];
  let arguments = (ins TypeAttr:$type, I64Attr:$count);
  let results = (outs Lane_Pointer:$array);
  let assemblyFormat = "$count `x` $type attr-dict";
}

def Lane_ArrayGetOp : Lane_Op<"array_get"> {
  let summary = "an element of an array";
  let arguments = (ins Lane_Pointer:$array, I32:$index);
  let results = (outs Lane_Scalar:$value);
  let assemblyFormat = "$array `[` $index `]` attr-dict `:` type($value)";
}

def Lane_ArraySetOp : Lane_Op<"array_set"> {
  let summary = "a new value for an element of an array";
  let arguments = (ins Lane_Pointer:$array, I32:$index, Lane_Scalar:$value);
  let assemblyFormat = "$array `[` $index `]` `,` $value attr-dict `:` type($value)";
}

//===-------------------------------------------------------------------------===//
// Atomics and barriers
//===-------------------------------------------------------------------------===//

def Lane_AtomicOp : Lane_Op<"atomic"> {
  let summary = "an atomic update, which returns the previous value";
  let description = [{
    `kind`: add, sub, and, or, xor, smin, smax, umin, umax, exchange, fadd, fmin, fmax, inc_wrap,
    dec_wrap. `order` is an order as LLVM names it. `exclusive` means that no other thread can
    access the memory (it is workgroup memory), so plain code suffices. fmin and fmax prefer numbers
    to NaN.

    ```mlir
    %old = lane.atomic add monotonic %p, %v exclusive : i32
    ```
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$order, Lane_Pointer:$address, Lane_Scalar:$value,
                       UnitAttr:$exclusive);
  let results = (outs Lane_Scalar:$old);
  let assemblyFormat = [{
    custom<BareName>($kind) custom<BareName>($order) $address `,` $value
    (`exclusive` $exclusive^)? attr-dict `:` custom<SameType>(type($value), type($old))
  }];
  let hasVerifier = 1;
}

def Lane_CompareExchangeOp : Lane_Op<"compare_exchange", [AllTypesMatch<["compare", "value", "old"]>]> {
  let summary = "an atomic compare-and-exchange, which returns the previous value";
  let arguments = (ins StrAttr:$order, Lane_Pointer:$address, Lane_Scalar:$compare,
                       Lane_Scalar:$value, UnitAttr:$exclusive);
  let results = (outs Lane_Scalar:$old);
  let assemblyFormat = [{
    custom<BareName>($order) $address `,` $compare `,` $value (`exclusive` $exclusive^)? attr-dict
    `:` type($old)
  }];
}

def Lane_FenceOp : Lane_Op<"fence"> {
  let summary = "orders memory accesses as seen by other threads";
  let arguments = (ins StrAttr:$order);
  let assemblyFormat = "custom<BareName>($order) attr-dict";
}

def Lane_BarrierOp : Lane_Op<"barrier"> {
  let summary = "waits for the whole workgroup; orders its memory accesses";
  let description = [{
    All invocations of the workgroup must reach it. If there is an `order`, the barrier is also a
    fence for other workgroups. A barrier of the subgroup is a `lane.subgroup_fence`.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$order);
  let assemblyFormat = "(`order` $order^)? attr-dict";
}

def Lane_SubgroupFenceOp : Lane_Op<"subgroup_fence"> {
  let summary = "orders the memory accesses of a subgroup's invocations among themselves";
  let assemblyFormat = "attr-dict";
}

//===-------------------------------------------------------------------------===//
// Exchange within the subgroup
//===-------------------------------------------------------------------------===//

def Lane_ShuffleOp : Lane_Op<"shuffle", [TypesMatchWith<"", "value", "result", "$_self">]> {
  let summary = "another lane's value";
  let description = [{
    The result is undefined (never a trap) if the lane does not exist or is inactive. Broadcasts,
    quads, and rotations are shuffles with computed lanes.
  }];
  let arguments = (ins Lane_Scalar:$value, I32:$from);
  let results = (outs Lane_Scalar:$result);
  let assemblyFormat = "$value `,` $from attr-dict `:` type($value)";
}

def Lane_BallotOp : Lane_Op<"ballot"> {
  let summary = "a bit for each active lane whose condition holds";
  let description = "Lane 0 is the lowest bit. A subgroup has at most 64 lanes. All get the same result.";
  let arguments = (ins I1:$condition);
  let results = (outs I64:$bits);
  let assemblyFormat = "$condition attr-dict";
}

def Lane_ReduceOp : Lane_Op<"reduce", [TypesMatchWith<"", "value", "result", "$_self">]> {
  let summary = "combines the values of the active lanes";
  let description = [{
    `kind`: add, mul, smin, smax, umin, umax, and, or, xor, fadd, fmul, fmin, fmax. `cluster` is the
    number of lanes in each aligned group (0: all). `scan`: `none`, `inclusive` or `exclusive`.

    ```mlir
    %s = lane.reduce fadd %x : f32
    %p = lane.reduce add scan "exclusive" %n : i32
    ```
  }];
  let arguments = (ins StrAttr:$kind, DefaultValuedStrAttr<StrAttr, "none">:$scan,
                       DefaultValuedAttr<I32Attr, "0">:$cluster, Lane_Scalar:$value);
  let results = (outs Lane_Scalar:$result);
  let assemblyFormat = [{
    custom<BareName>($kind) (`scan` $scan^)? (`cluster` $cluster^)? $value attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

//===-------------------------------------------------------------------------===//
// Matrices of a subgroup of W lanes: element e, in row-major order, is scalar e / W of lane e % W
//===-------------------------------------------------------------------------===//

def Lane_MatrixTransposeOp : Lane_Op<"matrix_transpose"> {
  let summary = "a matrix of the subgroup with its rows as columns";
  let description = [{
    `rows` and `columns` are the sizes of the operand, and powers of two. All lanes of the subgroup
    must be active.

    ```mlir
    %t:2 = lane.matrix_transpose 4, 8 (%a, %b : f32, f32)
    ```
  }];
  let arguments = (ins Variadic<Lane_Scalar>:$elements, I32Attr:$rows, I32Attr:$columns);
  let results = (outs Variadic<Lane_Scalar>:$results);
  let assemblyFormat = [{
    $rows `,` $columns `(` $elements `:` custom<SameTypes>(type($elements), type($results)) `)`
    attr-dict
  }];
  let hasVerifier = 1;
}

def Lane_MatrixProductOp : Lane_Op<"matrix_product", [AttrSizedOperandSegments]> {
  let summary = "the product of two matrices of the subgroup, plus a third";
  let description = [{
    Computes c + a·b. a has `rows` × `depth` elements, b has `depth` × `columns`, and c and the
    result have `rows` × `columns`. All sizes are powers of two. All lanes of the subgroup must be
    active. The elements of a and b may be narrower than those of c. Attributes say which integers
    are signed. Floats are summed in at least f32, in any order. Integers wrap. If `saturating`, the
    sum of c and the exact product is clamped instead.

    ```mlir
    %d = lane.matrix_product 4, 4, 4 (%a : f16) (%b : f16) (%c : f32)
    ```
  }];
  let arguments = (ins Variadic<Lane_Scalar>:$a, Variadic<Lane_Scalar>:$b, Variadic<Lane_Scalar>:$c,
                       I32Attr:$rows, I32Attr:$columns, I32Attr:$depth, UnitAttr:$signed_a,
                       UnitAttr:$signed_b, UnitAttr:$signed_c, UnitAttr:$saturating);
  let results = (outs Variadic<Lane_Scalar>:$results);
  let assemblyFormat = [{
    $rows `,` $columns `,` $depth (`signed_a` $signed_a^)? (`signed_b` $signed_b^)?
    (`signed_c` $signed_c^)? (`saturating` $saturating^)? `(` $a `:` type($a) `)`
    `(` $b `:` type($b) `)` `(` $c `:` custom<SameTypes>(type($c), type($results)) `)` attr-dict
  }];
  let hasVerifier = 1;
}

//===-------------------------------------------------------------------------===//
// Output
//===-------------------------------------------------------------------------===//

def Lane_PrintfOp : Lane_Op<"printf"> {
  let summary = "appends a message to the launch's printf buffer";
  let arguments = (ins StrAttr:$format, Variadic<Lane_Scalar>:$values);
  let assemblyFormat = "$format (`,` $values^ `:` type($values))? attr-dict";
}

//===-------------------------------------------------------------------------===//
// Control flow: labels of the flat form
//===-------------------------------------------------------------------------===//

def Lane_LabelOp : Lane_Op<"label"> {
  let summary = "opens a block that a header's terminator names";
  let arguments = (ins I32Attr:$number);
  let assemblyFormat = "$number attr-dict";
}

//===-------------------------------------------------------------------------===//
// Structured control flow. Each region is one block. Constructs have no results: values leave them
// through lane.var. Depth 0 is the innermost enclosing construct of this dialect.
//===-------------------------------------------------------------------------===//

def Lane_IfOp : Lane_Op<"if", [NoTerminator]> {
  let summary = "one of two regions";
  let description = [{
    `uniform_workgroup`: the condition is the same for the whole workgroup (the operation contains a
    barrier). `weights` are branch weights. `control` is SPIR-V's selection control mask.
  }];
  let arguments = (ins I1:$condition, OptionalAttr<DenseI32ArrayAttr>:$weights,
                       OptionalAttr<I32Attr>:$control);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat =
      "$condition (`control` $control^)? $thenRegion `else` $elseRegion attr-dict";
}

def Lane_SwitchOp : Lane_Op<"switch", [NoTerminator]> {
  let summary = "enters one of several regions by a number, and continues into the next one";
  let description = [{
    The number `cases[i]` enters region i. All other numbers enter the region at `defaultPosition`.
    A region that ends in lane.end falls through to the next one, and lane.exit 0 leaves the switch.
    `cases` has a number for each region; the entry at `defaultPosition` is ignored. To enter a
    region by several numbers, put empty regions before it, which contain only a lane.end.
  }];
  let arguments = (ins AnyInteger:$value, DenseI64ArrayAttr:$cases, I32Attr:$defaultPosition);
  let regions = (region VariadicRegion<SizedRegion<1>>:$entries);
  let assemblyFormat = "$value `:` type($value) $cases `default` $defaultPosition $entries attr-dict";
  let hasVerifier = 1;
}

def Lane_LoopOp : Lane_Op<"loop", [NoTerminator]> {
  let summary = "body, then continuing region, repeated until an exit";
  let description = [{
    The body's lane.end and lane.continue go to the continuing region, whose lane.end starts the
    body again. `control` is SPIR-V's loop control mask, `control_operands` its literals.
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$control,
                       OptionalAttr<DenseI32ArrayAttr>:$control_operands);
  let regions = (region SizedRegion<1>:$body, SizedRegion<1>:$continuing);
  let assemblyFormat = [{
    (`control` $control^)? (`operands` $control_operands^)? $body `continuing` $continuing attr-dict
  }];
}

def Lane_ScopeOp : Lane_Op<"scope", [NoTerminator]> {
  let summary = "a region that exits can leave, such as an inlined function's body";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

def Lane_EndOp : Lane_Op<"end", [Terminator]> {
  let summary = "the end of a region";
  let assemblyFormat = "attr-dict";
}

def Lane_ExitOp : Lane_Op<"exit", [Terminator]> {
  let summary = "continues after the construct that encloses it at this depth";
  let arguments = (ins I32Attr:$depth);
  let assemblyFormat = "$depth attr-dict";
  let hasVerifier = 1;
}

def Lane_ContinueOp : Lane_Op<"continue", [Terminator]> {
  let summary = "goes to the continuing region of the loop that encloses it at this depth";
  let arguments = (ins I32Attr:$depth);
  let assemblyFormat = "$depth attr-dict";
  let hasVerifier = 1;
}

def Lane_ReturnOp : Lane_Op<"return", [Terminator]> {
  let summary = "ends the invocation";
  let assemblyFormat = "attr-dict";
}

def Lane_UnreachableOp : Lane_Op<"unreachable", [Terminator]> {
  let summary = "is never reached";
  let assemblyFormat = "attr-dict";
}

#endif
