//===- GenOps.td - positions, barriers and exchange of values ---------------===//
#ifndef PUMICE_GEN_OPS
#define PUMICE_GEN_OPS

include "compiler/dialect/gen/GenBlocks.td"
include "compiler/dialect/gen/GenDialect.td"

include "mlir/Interfaces/SideEffectInterfaces.td"

//===-------------------------------------------------------------------------===//
// Positions in the grid
//===-------------------------------------------------------------------------===//

class Gen_GridOp<string mnemonic> : Gen_Op<mnemonic, [Pure]> {
  let arguments = (ins I32:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$dimension attr-dict";
  let hasFolder = 1;
}

def Gen_LocalIdOp : Gen_GridOp<"local_id"> {
  let summary = "the number of a work-item in its work-group";
  let description = [{
    The dimension is 0, 1 or 2. It may differ between work-items. The result for any other dimension
    is 0. This is `get_local_id` of OpenCL.

    ```mlir
    %c0_i32 = arith.constant 0 : i32
    %0 = gen.local_id %c0_i32
    ```
  }];
}

def Gen_WorkGroupIdOp : Gen_GridOp<"work_group_id"> {
  let summary = "the number of a work-item's work-group";
  let description = [{
    The dimension is 0, 1 or 2. It may differ between work-items. The result for any other dimension
    is 0. This is `get_group_id` of OpenCL.

    ```mlir
    %0 = gen.work_group_id %dimension
    ```
  }];
}

def Gen_WorkGroupSizeOp : Gen_GridOp<"work_group_size"> {
  let summary = "the number of work-items in a work-item's work-group";
  let description = [{
    The dimension is 0, 1 or 2. It may differ between work-items. The result for any other dimension
    is 1. This is `get_local_size` of OpenCL. The last work-groups of a dimension are smaller if the
    launch has a size that work-groups do not divide.

    ```mlir
    %0 = gen.work_group_size %dimension
    ```
  }];
}

def Gen_NumWorkGroupsOp : Gen_GridOp<"num_work_groups"> {
  let summary = "the number of work-groups of the launch";
  let description = [{
    The dimension is 0, 1 or 2. It may differ between work-items. The result for any other dimension
    is 1. This is `get_num_groups` of OpenCL.

    ```mlir
    %0 = gen.num_work_groups %dimension
    ```
  }];
}

//===-------------------------------------------------------------------------===//
// Positions in sub-groups
//===-------------------------------------------------------------------------===//

class Gen_SubGroupPositionOp<string mnemonic> : Gen_Op<mnemonic, [Pure]> {
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Gen_SubGroupLocalIdOp : Gen_SubGroupPositionOp<"sub_group_local_id"> {
  let summary = "the number of a work-item in its sub-group";
  let description = [{
    ```mlir
    %lane = gen.sub_group_local_id
    ```
  }];
}

def Gen_SubGroupSizeOp : Gen_SubGroupPositionOp<"sub_group_size"> {
  let summary = "the number of work-items in a work-item's sub-group";
  let description = [{
    ```mlir
    %lanes = gen.sub_group_size
    ```
  }];
}

def Gen_SubGroupIdOp : Gen_SubGroupPositionOp<"sub_group_id"> {
  let summary = "the number of a work-item's sub-group in its work-group";
  let description = [{
    ```mlir
    %number = gen.sub_group_id
    ```
  }];
}

def Gen_NumSubGroupsOp : Gen_SubGroupPositionOp<"num_sub_groups"> {
  let summary = "the number of sub-groups in a work-item's work-group";
  let description = [{
    ```mlir
    %count = gen.num_sub_groups
    ```
  }];
}

//===-------------------------------------------------------------------------===//
// Work-groups together
//===-------------------------------------------------------------------------===//

def Gen_Memory : Gen_Enum<"Memory", "memory whose accesses a barrier orders", [
  I32EnumAttrCase<"Local", 1, "local">,
  I32EnumAttrCase<"Global", 2, "global">,
  I32EnumAttrCase<"All", 3, "all">,
]>;
def Gen_MemoryAttr : EnumAttr<GenDialect, Gen_Memory, "memory">;

def Gen_BarrierOp : Gen_Op<"barrier"> {
  let summary = "waits until all work-items of the work-group have arrived";
  let description = [{
    Accesses before the barrier are visible to all work-items of the work-group after it. Without a
    word, this holds for all memory. `local` and `global` name one kind. Either all work-items of
    the work-group reach the barrier, or none does.

    ```mlir
    gen.barrier
    gen.barrier local
    ```
  }];
  let arguments = (ins DefaultValuedAttr<Gen_MemoryAttr, "::pumice::gen::Memory::All">:$memory);
  let assemblyFormat = "`` custom<Memory>($memory) attr-dict";
}

//===-------------------------------------------------------------------------===//
// Sub-groups together
//===-------------------------------------------------------------------------===//

def Gen_Scalar : AnyTypeOf<[I8, I16, I32, I64, F16, BF16, F32, F64]>;

def Gen_ShuffleKind : Gen_Enum<"ShuffleKind", "how a shuffle chooses the source of a value", [
  I32EnumAttrCase<"Xor", 0, "xor">,
  I32EnumAttrCase<"Up", 1, "up">,
  I32EnumAttrCase<"Down", 2, "down">,
  I32EnumAttrCase<"Idx", 3, "idx">,
]>;
def Gen_ShuffleKindAttr : EnumAttr<GenDialect, Gen_ShuffleKind, "shuffle_kind">;

def Gen_SubGroupShuffleOp : Gen_Op<"sub_group_shuffle", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of another work-item of the sub-group";
  let description = [{
    The work-item with the number `l` in its sub-group gets the value of this work-item:

    | kind | source |
    |---|---|
    | `xor` | `l ^ lane` |
    | `up` | `l - lane` |
    | `down` | `l + lane` |
    | `idx` | `lane` |

    The result is undefined if the sub-group has no such work-item, or if that work-item does not
    execute the operation.

    ```mlir
    %0 = gen.sub_group_shuffle xor %value, %mask : f32
    ```
  }];
  let arguments = (ins Gen_ShuffleKindAttr:$kind, Gen_Scalar:$value, I32:$lane);
  let results = (outs Gen_Scalar:$result);
  let assemblyFormat = "$kind $value `,` $lane attr-dict `:` type($value)";
}

def Gen_Reduction : Gen_Enum<"Reduction", "how values are combined", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Mul", 1, "mul">,
  I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"Max", 3, "max">,
  I32EnumAttrCase<"SMin", 4, "smin">,
  I32EnumAttrCase<"SMax", 5, "smax">,
  I32EnumAttrCase<"UMin", 6, "umin">,
  I32EnumAttrCase<"UMax", 7, "umax">,
  I32EnumAttrCase<"And", 8, "and">,
  I32EnumAttrCase<"Or", 9, "or">,
  I32EnumAttrCase<"Xor", 10, "xor">,
]>;
def Gen_ReductionAttr : EnumAttr<GenDialect, Gen_Reduction, "reduction">;
def Gen_ReducedScalar : AnyTypeOf<[I8, I16, I32, I64, F16, F32, F64]>;

def Gen_SubGroupReduceOp : Gen_Op<"sub_group_reduce", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the combined values of the work-items of the sub-group";
  let description = [{
    Floats are combined by `add`, `mul`, `min` and `max`. Integers are combined by `add`, `mul`,
    `smin`, `smax`, `umin`, `umax`, `and`, `or` and `xor`. The order of combinations is free. `min`
    and `max` ignore values that are NaN, unless all are.

    The values are those of the work-items that execute the operation together. `uniform` promises
    that these are all of the sub-group. Many devices then need no extension for `add` and for
    minima and maxima of integers.

    ```mlir
    %sum = gen.sub_group_reduce add %value : f32
    %all = gen.sub_group_reduce add %value uniform : f32
    ```
  }];
  let arguments = (ins Gen_ReductionAttr:$kind, Gen_ReducedScalar:$value, UnitAttr:$uniform);
  let results = (outs Gen_ReducedScalar:$result);
  let assemblyFormat = "$kind $value (`uniform` $uniform^)? attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def Gen_SubGroupScanOp : Gen_Op<"sub_group_scan", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the combined values of the work-items up to each one";
  let description = [{
    Values are combined as by `gen.sub_group_reduce`, and `uniform` has the same meaning. A work-item gets the combination of the values
    of all work-items with lower numbers, and of its own value unless the scan is `exclusive`. The
    first result of an exclusive scan is the value that changes nothing: 0 for `add`, for example.

    ```mlir
    %prefix = gen.sub_group_scan add %value : i32
    %before = gen.sub_group_scan add %value exclusive : i32
    ```
  }];
  let arguments = (ins Gen_ReductionAttr:$kind, Gen_ReducedScalar:$value, UnitAttr:$exclusive,
                       UnitAttr:$uniform);
  let results = (outs Gen_ReducedScalar:$result);
  let assemblyFormat = [{
    $kind $value (`exclusive` $exclusive^)? (`uniform` $uniform^)? attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Gen_SubGroupBroadcastOp : Gen_Op<"sub_group_broadcast", [AllTypesMatch<["value", "result"]>]> {
  let summary = "the value of one work-item for the whole sub-group";
  let description = [{
    `lane` is the number of that work-item, and the same in the whole sub-group. All work-items of
    the sub-group execute the operation together.

    ```mlir
    %first = gen.sub_group_broadcast %value, %c0_i32 : f32
    ```
  }];
  let arguments = (ins Gen_Scalar:$value, I32:$lane);
  let results = (outs Gen_Scalar:$result);
  let assemblyFormat = "$value `,` $lane attr-dict `:` type($value)";
}

def Gen_BallotMask : Type<CPred<"$_self == ::mlir::VectorType::get({4}, ::mlir::IntegerType::get($_self.getContext(), 32))">,
                          "vector of four words", "::mlir::VectorType">,
                     BuildableType<"::mlir::VectorType::get({4}, $_builder.getI32Type())">;

def Gen_SubGroupBallotOp : Gen_Op<"sub_group_ballot"> {
  let summary = "a bit for each work-item of the sub-group whose predicate holds";
  let description = [{
    Bit `l % 32` of word `l / 32` belongs to the work-item with the number `l`. Bits of work-items
    that do not execute the operation are 0.

    ```mlir
    %mask = gen.sub_group_ballot %predicate
    ```
  }];
  let arguments = (ins I1:$predicate);
  let results = (outs Gen_BallotMask:$result);
  let assemblyFormat = "$predicate attr-dict";
}

#endif
