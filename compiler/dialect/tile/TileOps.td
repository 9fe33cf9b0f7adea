//===- TileOps.td - the operations of the tile dialect ----------------------===//
#ifndef PUMICE_TILE_OPS
#define PUMICE_TILE_OPS

include "compiler/dialect/tile/TileDialect.td"

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Tile_TensorOf<code elements, string summary>
    : Type<CPred<"::pumice::tile::isDistributed($_self) && " # elements>, summary,
           "::mlir::RankedTensorType">;
class Tile_ElementIs<string predicate> {
  code check = "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()." # predicate;
}

def Tile_Tensor : Tile_TensorOf<Tile_ElementIs<"isIntOrFloat()">.check,
                                "tensor of numbers with a #tile.layout">;
def Tile_Offsets : Tile_TensorOf<Tile_ElementIs<"isInteger()">.check,
                                 "tensor of integers with a #tile.layout">;
def Tile_Mask : Tile_TensorOf<Tile_ElementIs<"isInteger(1)">.check,
                              "tensor of i1 with a #tile.layout">;
def Tile_Scalar : AnyTypeOf<[AnySignlessInteger, AnyFloat], "number">;
def Tile_Value : AnyTypeOf<[Tile_Tensor, Tile_Scalar]>;
def Tile_Memory : MemRefRankOf<[AnyType], [1]>;

//===-------------------------------------------------------------------------===//
// Sources of tensors
//===-------------------------------------------------------------------------===//

def Tile_RangeOp : Tile_Op<"range", [Pure]> {
  let summary = "consecutive numbers";
  let description = [{
    Each lane computes the numbers of its elements from its own number.

    ```mlir
    %i = tile.range 0 to 64 : tensor<64xi32, #l>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs Tile_Offsets:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "a tensor whose elements are all the same";
  let arguments = (ins Tile_Scalar:$value);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_UnsplatOp : Tile_Op<"unsplat", [Pure]> {
  let summary = "the only element of a tensor";
  let description = "All lanes of all subgroups hold it, since every layout of one element says so.";
  let arguments = (ins Tile_Tensor:$tensor);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AnyHeldOp : Tile_Op<"any_held", [Pure]> {
  let summary = "whether any element that a lane holds is true";
  let description = [{
    Each lane has its own answer, which needs no exchange. Code that depends on it must not exchange
    elements either.

    ```mlir
    %some = tile.any_held %m : tensor<64xi1, #l>
    scf.if %some { tile.print "%d\n"(%i) mask %m : (tensor<64xi32, #l>, tensor<64xi1, #l>) }
    ```
  }];
  let arguments = (ins Tile_Mask:$tensor);
  let results = (outs I1:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
}

//===-------------------------------------------------------------------------===//
// Memory
//===-------------------------------------------------------------------------===//

class Tile_MemoryOp<string mnemonic> : Tile_Op<mnemonic, [AttrSizedOperandSegments]> {
  string addresses = [{
    With a base, offsets are signed and count its elements. They are i32 if that is known to
    suffice. Without a base, they are i64 addresses in bytes. If an element's mask is false, memory
    is not accessed.
  }];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_MemoryOp<"load"> {
  let summary = "loads elements, each from its own place";
  let description = addresses # [{
    Elements that are masked off have the value of `other`, or zero. `cache` and `eviction` are
    hints, as Triton names them. A `volatile` load happens each time, in its order among other
    accesses.

    ```mlir
    %v = tile.load from %x at %i mask %m other %o
        : (memref<?xf32>, tensor<64xi32, #l>, tensor<64xi1, #l>, tensor<64xf32, #l>)
        -> tensor<64xf32, #l>
    ```
  }];
  let arguments = (ins Optional<Tile_Memory>:$base, Tile_Offsets:$offsets,
                       Optional<Tile_Mask>:$mask, Optional<Tile_Tensor>:$other);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    (`from` $base^)? `at` $offsets (`mask` $mask^)? (`other` $other^)? attr-dict
    `:` functional-type(operands, $result)
  }];
}

def Tile_StoreOp : Tile_MemoryOp<"store"> {
  let summary = "stores elements, each to its own place";
  let description = addresses # [{
    An element that several lanes hold is stored once.

    ```mlir
    tile.store %v to %x at %i : (tensor<64xf32, #l>, memref<?xf32>, tensor<64xi32, #l>)
    ```
  }];
  let arguments = (ins Tile_Tensor:$value, Optional<Tile_Memory>:$base, Tile_Offsets:$offsets,
                       Optional<Tile_Mask>:$mask);
  let assemblyFormat = [{
    $value (`to` $base^)? `at` $offsets (`mask` $mask^)? attr-dict `:` `(` type(operands) `)`
  }];
}

def Tile_AtomicRmwOp : Tile_MemoryOp<"atomic_rmw"> {
  let summary = "atomic updates of elements in memory, which return the previous values";
  let description = addresses # [{
    `kind`: add, fadd, and, or, xor, smax, smin, umax, umin, exchange. `order`: relaxed, acquire,
    release, acq_rel. An element that several lanes hold is updated once, and all of them get the
    result.
  }];
  let arguments = (ins StrAttr:$kind, StrAttr:$order, Tile_Tensor:$value,
                       Optional<Tile_Memory>:$base, Tile_Offsets:$offsets,
                       Optional<Tile_Mask>:$mask);
  let results = (outs Tile_Tensor:$old);
  let assemblyFormat = [{
    $kind $order $value (`to` $base^)? `at` $offsets (`mask` $mask^)? attr-dict
    `:` functional-type(operands, $old)
  }];
}

def Tile_AtomicCasOp : Tile_MemoryOp<"atomic_cas"> {
  let summary = "atomic compare-and-exchange of elements in memory, which returns the previous values";
  let description = addresses;
  let arguments = (ins StrAttr:$order, Tile_Tensor:$compare, Tile_Tensor:$value,
                       Optional<Tile_Memory>:$base, Tile_Offsets:$offsets,
                       Optional<Tile_Mask>:$mask);
  let results = (outs Tile_Tensor:$old);
  let assemblyFormat = [{
    $order $compare `,` $value (`to` $base^)? `at` $offsets (`mask` $mask^)? attr-dict
    `:` functional-type(operands, $old)
  }];
}

//===-------------------------------------------------------------------------===//
// Registers kept in a lane's private memory
//===-------------------------------------------------------------------------===//

class Tile_ArrayOp<string mnemonic> : Tile_Op<mnemonic> {
  string places = [{
    The array is private to a lane, and has an element for each register that it keeps. An i1 is
    kept as an i8. Register r of the tensor is element `first` + `registers`[r].
  }];
  let hasVerifier = 1;
}

def Tile_ArrayLoadOp : Tile_ArrayOp<"array_load"> {
  let summary = "a tensor whose registers each lane reads from its own array";
  let description = places # [{
    ```mlir
    %t = tile.array_load %a[%first] [0, 1] : memref<64xf32, #private> -> tensor<16xf32, #l>
    ```
  }];
  let arguments = (ins Arg<Tile_Memory, "", [MemRead]>:$array, I32:$first,
                       DenseI32ArrayAttr:$registers);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $array `[` $first `]` $registers attr-dict `:` type($array) `->` type($result)
  }];
}

def Tile_ArrayStoreOp : Tile_ArrayOp<"array_store"> {
  let summary = "stores a tensor's registers in each lane's own array";
  let description = places;
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_Memory, "", [MemWrite]>:$array, I32:$first,
                       DenseI32ArrayAttr:$registers);
  let assemblyFormat = [{
    $value `to` $array `[` $first `]` $registers attr-dict `:` type($value) `to` type($array)
  }];
}

//===-------------------------------------------------------------------------===//
// Views, which move nothing
//===-------------------------------------------------------------------------===//

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "another dimension of size 1";
  let arguments = (ins Tile_Tensor:$tensor, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$tensor `axis` $axis attr-dict `:` type($tensor) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats dimensions of size 1";
  let description = [{
    Each lane may hold the elements of the result that repeat its elements of the operand. The two
    layouts say which registers repeat which.
  }];
  let arguments = (ins Tile_Tensor:$tensor);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_TransOp : Tile_Op<"trans", [Pure]> {
  let summary = "dimensions in another order";
  let description = "Dimension i of the result is dimension order[i] of the operand.";
  let arguments = (ins Tile_Tensor:$tensor, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$tensor $order attr-dict `:` type($tensor) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "the same elements, counted row by row, in another shape";
  let arguments = (ins Tile_Tensor:$tensor);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, SameTypeOperands]> {
  let summary = "two tensors as one, with a last dimension of size 2";
  let description = "Registers of the two alternate.";
  let arguments = (ins Tile_Tensor:$first, Tile_Tensor:$second);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure]> {
  let summary = "the two halves along a last dimension of size 2";
  let description = "One bit of the registers' numbers must distinguish the halves, and nothing else.";
  let arguments = (ins Tile_Tensor:$tensor);
  let results = (outs Tile_Tensor:$first, Tile_Tensor:$second);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($first) `,` type($second)";
  let hasVerifier = 1;
}

def Tile_CatOp : Tile_Op<"cat", [Pure, SameTypeOperands]> {
  let summary = "two tensors one after the other, along the first dimension";
  let arguments = (ins Tile_Tensor:$first, Tile_Tensor:$second);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `->` type($result)";
  let hasVerifier = 1;
}

//===-------------------------------------------------------------------------===//
// Operations that move elements between lanes
//===-------------------------------------------------------------------------===//

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "the same tensor in another layout";
  let description = [{
    Moves elements by registers, shuffles or workgroup memory: the first of these that suffices
    (plan/Conversion.h; `--pumice-print-tile-plans` shows which).

    ```mlir
    %b = tile.convert_layout %a : tensor<64xf32, #l> -> tensor<64xf32, #m>
    ```
  }];
  let arguments = (ins Tile_Tensor:$tensor);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "combines a dimension to one element";
  let description = [{
    The region takes the elements of all operands at two places, and yields their combination. It
    must be associative and commutative. Results are tensors without the dimension, or scalars if no
    dimension is left. Every lane that held a part of the dimension holds its result.

    ```mlir
    %s = tile.reduce %t axis 1 : (tensor<4x8xf32, #l>) -> tensor<4xf32, #m> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, I32Attr:$axis);
  let results = (outs Variadic<Tile_Value>:$reduced);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $operands `axis` $axis attr-dict `:` functional-type($operands, $reduced) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "combines each element with all before it along a dimension";
  let description = [{
    The region is as in tile.reduce, but need not commute: its first arguments are the earlier ones.
    With `reverse`, the scan begins at the dimension's end.
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tensor>:$scanned);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $operands `axis` $axis (`reverse` $reverse^)? attr-dict
    `:` functional-type($operands, $scanned) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike,
                                     ParentOneOf<["MapOp", "ReduceOp", "ScanOp"]>]> {
  let summary = "the results of a region";
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Tile_GatherOp : Tile_Op<"gather", [Pure]> {
  let summary = "reads elements at computed places of a dimension";
  let description = [{
    result[…, i, …] = source[…, indices[…, i, …], …]. The result has the layout of the indices. An
    index out of range gives any element.
  }];
  let arguments = (ins Tile_Tensor:$source, Tile_Offsets:$indices, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` `axis` $axis attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "runs code for each element, or for `pack` registers of each operand at once";
  let description = [{
    The region takes `pack` elements of the first operand, then of the second, and so on. It yields
    the same number of each result. The elements are those of neighbouring registers, in order. A
    lane that has fewer registers repeats the first ones, and their results are dropped.

    ```mlir
    %s = tile.map %t pack 1 : (tensor<64xf32, #l>) -> tensor<64xi32, #l> {
    ^bb0(%a: f32):
      %c = arith.fptosi %a : f32 to i32
      tile.yield %c : i32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$operands, I32Attr:$pack);
  let results = (outs Variadic<Tile_Tensor>:$mapped);
  let regions = (region SizedRegion<1>:$scalar);
  let assemblyFormat = [{
    $operands `pack` $pack attr-dict `:` functional-type($operands, $mapped) $scalar
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "prints a line of text for each element";
  let description = [{
    Prints like gpu.printf. The format's arguments are the scalars and the tensors' elements, in
    order. An element that several lanes hold is printed once. Elements that are masked off are not
    printed. There must be a tensor or a mask.

    ```mlir
    tile.print "x[%d] = %f\n"(%i, %x) mask %m : (tensor<64xi32, #l>, tensor<64xf32, #l>, tensor<64xi1, #l>)
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<Tile_Value>:$values, Optional<Tile_Mask>:$mask);
  let assemblyFormat = [{
    $format (`(` $values^ `)`)? (`mask` $mask^)? attr-dict `:` `(` type(operands) `)`
  }];
  let hasVerifier = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure]> {
  let summary = "how often each number occurs";
  let description = [{
    Element i of the result is the number of elements that are i. Elements that are masked off are
    not counted. A number that is out of range of the result is counted anywhere. Atomic additions
    in workgroup memory count the elements.

    ```mlir
    %h = tile.histogram %t : (tensor<64xi32, #l>) -> tensor<16xi32, #m>
    ```
  }];
  let arguments = (ins Tile_Offsets:$tensor, Optional<Tile_Mask>:$mask);
  let results = (outs Tile_Offsets:$result);
  let assemblyFormat = [{
    $tensor (`mask` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "a product of matrices, added to an accumulator";
  let description = [{
    a (m×k) · b (k×n) + accumulator (m×n), or a batch of them. `precision`: `ieee`, `tf32`, `tf32x3`.
    The lowering of the operation decides how factors get to the lanes that need them.
  }];
  let arguments = (ins Tile_Tensor:$a, Tile_Tensor:$b, Tile_Tensor:$accumulator,
                       DefaultValuedStrAttr<StrAttr, "ieee">:$precision);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`precision` $precision^)? attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===-------------------------------------------------------------------------===//
// Parts of a product of fragments, which pumice-pipeline-products schedules one by one
//===-------------------------------------------------------------------------===//

def Tile_StageOp : Tile_Op<"stage"> {
  let summary = "lanes store a piece of a factor to workgroup memory";
  let description = [{
    Stores the elements whose coordinate in `dimension` is in [`first`, `first` + `depth`). Memory
    consists of words of 32 bits. Each line of the piece is a row, or a column if `transposed`, and
    begins `stride` words after the previous one. The piece begins at word `offset` + `slot`. All of
    these numbers are multiples of 4, and lanes hold 16 bytes of consecutive elements.

    ```mlir
    tile.stage %a to %m[%slot] dimension 1 first 32 depth 32 offset 0 stride 20
        : tensor<128x64xf16, #l>, memref<4096xi32, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Tile_Tensor:$tensor,
                       Arg<MemRefRankOf<[I32], [1]>, "", [MemWrite]>:$memory, I32:$slot,
                       I32Attr:$dimension, I32Attr:$first, I32Attr:$depth, I32Attr:$offset,
                       I32Attr:$stride, UnitAttr:$transposed);
  let assemblyFormat = [{
    $tensor `to` $memory `[` $slot `]` `dimension` $dimension `first` $first `depth` $depth `offset`
    $offset `stride` $stride (`transposed` $transposed^)? attr-dict `:` type($tensor) `,`
    type($memory)
  }];
}

def Tile_ToFragmentsOp : Tile_Op<"to_fragments", [Pure]> {
  let summary = "the matrices of a tensor that is held as fragments";
  let arguments = (ins Tile_Tensor:$tensor);
  let results = (outs Variadic<AnyType>:$fragments);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($fragments)";
}

def Tile_FromFragmentsOp : Tile_Op<"from_fragments", [Pure]> {
  let summary = "the tensor that matrices hold as fragments";
  let arguments = (ins Variadic<AnyType>:$fragments);
  let results = (outs Tile_Tensor:$tensor);
  let assemblyFormat = "$fragments attr-dict `:` type($fragments) `->` type($tensor)";
}

def Tile_BeginLoadsOp : Tile_Op<"begin_loads"> {
  let summary = "the place where a piece of a later load begins";
  let description = [{
    A load with the attribute `tile.prefetched` follows in the block. The accesses of its piece
    `piece` are moved here, so that other code hides their latency.
  }];
  let arguments = (ins I32Attr:$load, I32Attr:$piece);
  let assemblyFormat = "$load `piece` $piece attr-dict";
}

#endif
