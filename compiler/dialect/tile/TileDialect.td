//===- TileDialect.td - tensors that a workgroup holds in its registers -----===//
// Between a kernel's tensors and what each lane does: every tensor says which lane holds which of
// its elements. docs/tile.md explains layouts, and how each operation moves data.
//===-------------------------------------------------------------------------===//
#ifndef PUMICE_TILE_DIALECT
#define PUMICE_TILE_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::pumice::tile";
  let summary = "tensors distributed over the registers of a workgroup";
  let description = [{
    Values are tensors whose encoding is a `#tile.layout`. What works element by element is done by
    arith and math on such tensors: operands and results have one layout. Operations of this dialect
    do the rest. Views (expand_dims, broadcast, trans, reshape, join, split, cat) move nothing: the
    layout of their result follows from that of their operand. Elements change their lane in
    convert_layout, reduce, scan, gather and dot only.
  }];
  let useDefaultAttributePrinterParser = 1;
}

def Tile_LayoutAttr : AttrDef<TileDialect, "Layout",
                              [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which register of which lane of which subgroup holds each element of a tensor";
  let description = [{
    Sizes of the tensor, then for each bit of a register's, a lane's and a subgroup's number what
    it adds (by XOR) to the coordinates of the element that is held there:

    ```mlir
    #tile.layout<[4, 8], register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0]],
                 subgroup = []>
    ```
  }];
  let parameters = (ins AttrParameter<"::pumice::tile::LinearLayout", "who holds what",
                                     "const ::pumice::tile::LinearLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
  let genMnemonicAlias = 1;
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<TileDialect, mnemonic, traits>;

#endif
