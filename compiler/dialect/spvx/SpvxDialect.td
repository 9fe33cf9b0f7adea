//===- SpvxDialect.td - SPIR-V that MLIR's spirv dialect lacks --------------===//
#ifndef PUMICE_SPVX_DIALECT
#define PUMICE_SPVX_DIALECT

include "mlir/IR/OpBase.td"

def SpvxDialect : Dialect {
  let name = "spvx";
  let cppNamespace = "::pumice::spvx";
  let summary = "instructions that MLIR's spirv dialect lacks";
  let description = [{
    One operation holds any instruction by its name, so that all modules can be read. A table says
    how each instruction is lowered (docs/cpu-compiler.md).
  }];
}

def Spvx_InstructionOp : Op<SpvxDialect, "op"> {
  let summary = "an instruction by name";
  let description = [{
    `name` is the instruction's without its `Op`, or the extended set's and the instruction's:
    "ArrayLength", "GLSL.std.450/Modf", "OpenCL.std/fma". Operands that are ids of values are
    operands; all others are `literals`, in their order in the instruction.

    ```mlir
    %n = spvx.op "ArrayLength"(%block) {literals = array<i32: 0>} : (!spirv.ptr<…>) -> i32
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$inputs,
                       OptionalAttr<DenseI32ArrayAttr>:$literals);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$name `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
}

#endif
