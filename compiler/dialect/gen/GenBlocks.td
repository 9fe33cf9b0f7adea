//===- GenBlocks.td - matrices and blocks of memory -------------------------===//
// Intel's GPUs do these for a whole sub-group at once. Each work-item holds a part of a matrix or of a
// block; the description of each operation says which.
//===-------------------------------------------------------------------------===//
#ifndef PUMICE_GEN_BLOCKS
#define PUMICE_GEN_BLOCKS

include "compiler/dialect/gen/GenDialect.td"

include "mlir/Interfaces/SideEffectInterfaces.td"

//===-------------------------------------------------------------------------===//
// Matrices
//===-------------------------------------------------------------------------===//

def Gen_Precision : Gen_Enum<"Precision", "type of the elements of a factor", [
  I32EnumAttrCase<"F16", 0, "f16">,
  I32EnumAttrCase<"BF16", 1, "bf16">,
  I32EnumAttrCase<"TF32", 2, "tf32">,
  I32EnumAttrCase<"S8", 3, "s8">,
  I32EnumAttrCase<"U8", 4, "u8">,
]>;
def Gen_PrecisionAttr : EnumAttr<GenDialect, Gen_Precision, "precision">;

def Gen_MatrixMadOp : Gen_Op<"matrix_mad", [AllTypesMatch<["c", "result"]>]> {
  let summary = "the product of two matrices of the sub-group, plus a third";
  let description = [{
    Computes c + a·b on the systolic array (DPAS, XMX). a has M × K elements, b has K × N, and c and
    the result have M × N. All work-items of the sub-group execute the operation together.

    - M is the *repeat count*: the number of elements of `c`, from 1 to 8.
    - N is the size of the sub-group: 16, or 8 on devices whose smallest sub-group has 8 work-items.
    - K is the *systolic depth*, which is always 8, times the elements in 32 bits: 8 for tf32, 16 for
      f16 and bf16, and 32 for s8 and u8.

    The work-item with the number `l` holds these elements:

    | operand | type | elements |
    |---|---|---|
    | `c` | M of f32, f16, bf16 or i32 | element m is c[m][l] |
    | `b` | 8 of i32, or of f32 for tf32 | word r has the elements b[r·p + i][l] for i < p, with the lowest bits for i = 0, where p = K / 8 |
    | `a`, N = 16 | M of i16 | word m has the elements a[m][l·q + i] for i < q, where q = K / 16 |
    | `a`, N = 8 | M of i32 | word m has the elements a[m][l·p + i] for i < p |
    | `a`, tf32 | M / 2, rounded up, of f32; N is 16 | element r is a[2·r + l / 8][l % 8] |

    One element is a scalar instead of a vector. Floats are f16, bf16 or tf32 in both factors, and
    are accumulated in f32, or in the type of f16 or bf16 factors if N is 16. Integers are s8 or u8
    in each factor, and the accumulator wraps. The order of additions is free.

    ```mlir
    %d = gen.matrix_mad f16 %a, f16 %b, %c : vector<8xi16>, vector<8xi32>, vector<8xf32>
    ```
  }];
  let arguments = (ins Gen_PrecisionAttr:$a_type, Gen_PrecisionAttr:$b_type, AnyType:$a, AnyType:$b,
                       AnyType:$c, DefaultValuedAttr<I32Attr, "8">:$systolic_depth);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $a_type $a `,` $b_type $b `,` $c (`systolic_depth` $systolic_depth^)? attr-dict `:` type($a)
    `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns M, the number of rows of the result.
    unsigned getRepeatCount();
    /// Returns N, the number of work-items of the sub-group.
    unsigned getSubGroupSize();
    /// Returns K, the number of columns of `a`.
    unsigned getDepth();
  }];
}

//===-------------------------------------------------------------------------===//
// Blocks of memory
//===-------------------------------------------------------------------------===//

def Gen_Address : Type<CPred<"::llvm::isa<::mlir::IndexType, ::mlir::LLVM::LLVMPointerType>($_self) || $_self.isInteger(64)">,
                       "address in global memory, as an index, i64 or LLVM pointer">;

def Gen_Arrangement : Gen_Enum<"Arrangement", "how work-items hold a loaded block", [
  I32EnumAttrCase<"Plain", 0, "plain">,
  I32EnumAttrCase<"Transposed", 1, "transposed">,
  I32EnumAttrCase<"Transformed", 2, "transformed">,
]>;
def Gen_ArrangementAttr : EnumAttr<GenDialect, Gen_Arrangement, "arrangement">;

defvar Gen_MatrixInMemory = (ins Gen_Address:$base, I32:$width, I32:$height, I32:$pitch, I32:$x,
                                 I32:$y);

def Gen_BlockLoad2DOp : Gen_Op<"block_load_2d"> {
  let summary = "a block of a matrix in memory";
  let description = [{
    Loads `blocks` blocks next to each other, of `rows` rows and `columns` columns each. The matrix
    in memory has `width` bytes in a row, `height` rows, and `pitch` bytes from a row to the next.
    The block starts at element `x` of row `y`; both may be negative. Elements outside the matrix
    are zeros. All operands are the same in the whole sub-group.

    With W work-items in the sub-group, and elements in the order of blocks, then rows, then
    columns, words of the result's element type hold consecutive elements. Word i belongs to the
    work-item i % W, as element i / W of its result. `transposed` exchanges rows and columns of a
    block before that; elements have 32 or 64 bits. `transformed` first puts elements of the same
    column from consecutive rows into words of 32 bits, as `gen.matrix_mad` expects its second
    factor; elements have 8 or 16 bits.

    Devices require that the base is a multiple of 64 bytes, that the pitch is a multiple of 16 bytes,
    and that the width has at least 64 bytes and is a multiple of 4.

    ```mlir
    %t = gen.block_load_2d %base[%x, %y] of %width, %height, %pitch bits 16 shape 8, 16, 1
        : index -> vector<8xi16>
    %b = gen.block_load_2d transformed %base[%x, %y] of %width, %height, %pitch
        bits 16 shape 16, 16, 1 : index -> vector<8xi32>
    ```
  }];
  let arguments = !con((ins DefaultValuedAttr<Gen_ArrangementAttr,
                                              "::pumice::gen::Arrangement::Plain">:$arrangement),
                       Gen_MatrixInMemory,
                       (ins I32Attr:$bits, I32Attr:$rows, I32Attr:$columns, I32Attr:$blocks));
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    `` custom<Arrangement>($arrangement) $base `[` $x `,` $y `]` `of` $width `,` $height `,` $pitch
    `bits` $bits `shape` $rows `,` $columns `,` $blocks attr-dict `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the number of work-items that the type of the result implies.
    unsigned getSubGroupSize();
  }];
}

def Gen_BlockStore2DOp : Gen_Op<"block_store_2d"> {
  let summary = "stores a block of a matrix in memory";
  let description = [{
    Stores one block of `rows` rows and `columns` columns. Elements outside the matrix are not
    stored. Operands and the order of elements are those of `gen.block_load_2d`.

    ```mlir
    gen.block_store_2d %t, %base[%x, %y] of %width, %height, %pitch bits 32 shape 8, 16
        : vector<8xi32>, index
    ```
  }];
  let arguments = !con((ins AnyType:$value), Gen_MatrixInMemory,
                       (ins I32Attr:$bits, I32Attr:$rows, I32Attr:$columns));
  let assemblyFormat = [{
    $value `,` $base `[` $x `,` $y `]` `of` $width `,` $height `,` $pitch `bits` $bits `shape`
    $rows `,` $columns attr-dict `:` type($value) `,` type($base)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns the number of work-items that the type of the value implies.
    unsigned getSubGroupSize();
  }];
}

def Gen_BlockPrefetch2DOp : Gen_Op<"block_prefetch_2d"> {
  let summary = "brings a block of a matrix in memory into a cache";
  let description = [{
    Operands are those of `gen.block_load_2d`.

    ```mlir
    gen.block_prefetch_2d %base[%x, %y] of %width, %height, %pitch bits 16 shape 8, 16, 1 : index
    ```
  }];
  let arguments = !con(Gen_MatrixInMemory,
                       (ins I32Attr:$bits, I32Attr:$rows, I32Attr:$columns, I32Attr:$blocks));
  let assemblyFormat = [{
    $base `[` $x `,` $y `]` `of` $width `,` $height `,` $pitch `bits` $bits `shape` $rows `,`
    $columns `,` $blocks attr-dict `:` type($base)
  }];
  let hasVerifier = 1;
}

def Gen_SubGroupBlockReadOp : Gen_Op<"sub_group_block_read"> {
  let summary = "consecutive elements of memory, for the whole sub-group";
  let description = [{
    The work-item with the number `l` gets the elements `l`, `l + W`, `l + 2·W` and so on after the
    address, for W work-items in the sub-group. The address is the same in the whole sub-group, and a
    multiple of 4 bytes.

    ```mlir
    %v = gen.sub_group_block_read %address : index -> vector<4xi32>
    ```
  }];
  let arguments = (ins Gen_Address:$address);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$address attr-dict `:` type($address) `->` type($result)";
  let hasVerifier = 1;
}

def Gen_SubGroupBlockWriteOp : Gen_Op<"sub_group_block_write"> {
  let summary = "stores consecutive elements of memory, for the whole sub-group";
  let description = [{
    Elements are stored where `gen.sub_group_block_read` reads them. The address is the same in the
    whole sub-group, and a multiple of 16 bytes.

    ```mlir
    gen.sub_group_block_write %address, %v : index, vector<4xi32>
    ```
  }];
  let arguments = (ins Gen_Address:$address, AnyType:$value);
  let assemblyFormat = "$address `,` $value attr-dict `:` type($address) `,` type($value)";
  let hasVerifier = 1;
}

#endif
