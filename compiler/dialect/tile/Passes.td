//===- Passes.td - passes that look at distributed tensors ------------------===//
include "mlir/Pass/PassBase.td"

def PrintTilePlans : Pass<"pumice-print-tile-plans"> {
  let summary = "Print remarks on how elements move in tile operations, and draw layouts";
  let description = [{
    Each tile.convert_layout, tile.reduce, tile.scan and tile.gather gets a remark that says how its
    elements move, and what that costs. With `draw`, each layout of at most two dimensions is
    printed as a table of the holders of elements. The module does not change. The pass is for tests
    and for people.
  }];
  let options = [
    Option<"workgroupBytes", "workgroup-bytes", "uint64_t", /*default=*/"32768",
           "Bytes of workgroup memory">,
    Option<"draw", "draw", "bool", /*default=*/"false", "Print each layout as a table">
  ];
}
