//===- TileDialect.td - tensors that a workgroup holds in its registers -----===//
// This level is between a kernel's tensors and lane code. The type of each tensor says which lane
// holds which of its elements. docs/tile.md explains layouts, and how each operation moves data.
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
    Values are tensors whose encoding is a `#tile.layout`. Element-wise operations are those of
    arith and math on such tensors. Their operands and results have one layout. This dialect has the
    other operations. Views (expand_dims, broadcast, trans, reshape, join, split, cat) move nothing:
    the layout of their result follows from that of their operand. Only convert_layout, reduce,
    scan, gather and dot move elements to other lanes.
  }];
  let useDefaultAttributePrinterParser = 1;
}

def Tile_LayoutAttr : AttrDef<TileDialect, "Layout",
                              [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which register of which lane of which subgroup holds each element of a tensor";
  let description = [{
    Lists the sizes of the tensor. Then, for each bit of the numbers of register, lane and subgroup,
    it lists what the bit adds (by XOR) to the coordinates of the held element:

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
