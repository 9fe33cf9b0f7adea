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
// Where tensors come from
//===-------------------------------------------------------------------------===//

def Tile_RangeOp : Tile_Op<"range", [Pure]> {
  let summary = "consecutive numbers";
  let description = [{
    Each lane computes the numbers of its elements from its own.

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
  let summary = "the element of a tensor that has one";
  let description = "All lanes of all subgroups hold it: no layout of one element says otherwise.";
  let arguments = (ins Tile_Tensor:$tensor);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AnyHeldOp : Tile_Op<"any_held", [Pure]> {
  let summary = "whether any element that a lane holds is true";
  let description = [{
    Each lane has an answer of its own, at no exchange. What depends on it may not exchange elements
    either.

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
    With a base, offsets count its elements, signed, and are i32 where that is known to suffice.
    Without one, they are i64 addresses in bytes. Where the mask is false, memory is not accessed.
  }];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_MemoryOp<"load"> {
  let summary = "elements from memory, each from a place of its own";
  let description = addresses # [{
    Elements that the mask leaves out are those of `other`, or zero. Hints: `cache` and `eviction`
    (as Triton names them). What is `volatile` is read each time, between other accesses as written.

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
  let summary = "elements to memory, each to a place of its own";
  let description = addresses # [{
    What several lanes hold is stored once.

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
  let summary = "atomic updates of elements in memory; their values before";
  let description = addresses # [{
    `kind`: add, fadd, and, or, xor, smax, smin, umax, umin, exchange. `order`: relaxed, acquire,
    release, acq_rel. What several lanes hold is done once; all of them get the result.
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
  let summary = "atomic compare-and-exchange of elements in memory; their values before";
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
// Registers kept in a lane's own memory
//===-------------------------------------------------------------------------===//

class Tile_ArrayOp<string mnemonic> : Tile_Op<mnemonic> {
  string places = [{
    The array is private to a lane, and has an element for each register that it keeps; i1 is kept
    as i8. Register r of the tensor is element `first` + `registers`[r].
  }];
  let hasVerifier = 1;
}

def Tile_ArrayLoadOp : Tile_ArrayOp<"array_load"> {
  let summary = "a tensor whose registers each lane reads from an array of its own";
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
  let summary = "a tensor whose registers each lane writes to an array of its own";
  let description = places;
  let arguments = (ins Tile_Tensor:$value, Arg<Tile_Memory, "", [MemWrite]>:$array, I32:$first,
                       DenseI32ArrayAttr:$registers);
  let assemblyFormat = [{
    $value `to` $array `[` $first `]` $registers attr-dict `:` type($value) `to` type($array)
  }];
}

//===-------------------------------------------------------------------------===//
// Views: nothing moves
//===-------------------------------------------------------------------------===//

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "a further dimension of size 1";
  let arguments = (ins Tile_Tensor:$tensor, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$tensor `axis` $axis attr-dict `:` type($tensor) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "dimensions of size 1 repeated";
  let description = [{
    Of the result each lane may hold what it holds of the operand; which of its registers repeat
    others is said by the two layouts.
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
  let description = "One bit of the registers' numbers must tell the halves apart, and nothing else.";
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
// What moves elements between lanes
//===-------------------------------------------------------------------------===//

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "the same tensor, held elsewhere";
  let description = [{
    By registers, shuffles or workgroup memory: the first of these that suffices
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
  let summary = "a dimension combined to one element";
  let description = [{
    The region takes the elements of all operands for two places, and yields those of their
    combination; it is associative and commutative. Results are tensors without the dimension, held
    by every lane that held a part of it, or scalars where none is left.

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
  let summary = "each element combined with all before it along a dimension";
  let description = [{
    The region is as in tile.reduce, but need not commute; its first arguments come first. With
    `reverse`, the dimension is taken from its end.
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
  let summary = "what a region combines its arguments to, or makes of them";
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Tile_GatherOp : Tile_Op<"gather", [Pure]> {
  let summary = "elements at computed places of a dimension";
  let description = [{
    result[…, i, …] = source[…, indices[…, i, …], …]; the result has the layout of the indices. An
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
  let summary = "code for each element, or for `pack` registers of each operand at once";
  let description = [{
    The region takes `pack` elements of the first operand, then of the second, and so on, and yields
    as many of each result. They are of neighbouring registers, in order. A lane that has fewer gives
    the first ones again, and what becomes of these is dropped.

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
  let summary = "a line of text for each element";
  let description = [{
    As gpu.printf prints it: scalars and elements of tensors stand in the format in order. What several
    lanes hold is printed once, and what the mask leaves out is not. A tensor or a mask is there.

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
    Element i of the result is the number of elements that are i. What the mask leaves out is not
    counted; a number that the result has no element for is counted anywhere. Counted in workgroup
    memory, by atomic additions.

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
  let summary = "a product of matrices, added to others";
  let description = [{
    a (m×k) · b (k×n) + accumulator (m×n), or a batch of them. `precision`: `ieee`, `tf32`, `tf32x3`.
    How factors get where they are needed is the business of the operation's lowering.
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

#endif
