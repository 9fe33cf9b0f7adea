//===- TritonDialect.td - the tt dialect and its types ----------------------===//
// The operations are in separate files, sorted by purpose.
//===-------------------------------------------------------------------------===//
#ifndef PUMICE_TRITON_DIALECT
#define PUMICE_TRITON_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def TritonDialect : Dialect {
  let name = "tt";
  let cppNamespace = "::pumice::triton";
  let summary = "a Triton kernel as the Triton wheel prints it";
  let description = [{
    The text form is that of Triton 3.6.0 to 3.9.0, after its own passes on TTIR. The dialect prints
    the form of 3.6.0, byte for byte, and also reads the forms of later versions. Kernels are
    lowered from here to other dialects. Tensors have static shapes of powers of two, and no
    layout (docs/triton-ir.md).
  }];
  let dependentDialects = ["::mlir::ub::UBDialect"];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    // Each file of operations has its own function, since one file for all compiles slowly.
    void addDebugOperations();
    void addDescriptorOperations();
    void addElementwiseOperations();
    void addMemoryOperations();
    void addProductOperations();
    void addReductionOperations();
    void addShapeOperations();
    void addStructureOperations();
  }];
}

//===-------------------------------------------------------------------------===//
// Types
//===-------------------------------------------------------------------------===//

class TT_Type<string name, string typeMnemonic> : TypeDef<TritonDialect, name> {
  let mnemonic = typeMnemonic;
  let genVerifyDecl = 1;
}

def TT_Pointer : TT_Type<"Pointer", "ptr"> {
  let summary = "the address of a number, or of another address";
  let description = [{
    Address space 1, memory of the device, is the only one in TTIR. From 3.9 on, pointers that a
    kernel only reads are `!tt.ptr<f16, "constant">`: they are read as the same type.
  }];
  let parameters = (ins "::mlir::Type":$pointee,
                        DefaultValuedParameter<"int32_t", "1">:$addressSpace);
  let hasCustomAssemblyFormat = 1;
}

def TT_TensorDesc : TT_Type<"TensorDesc", "tensordesc"> {
  let summary = "a tensor in memory, whose blocks of one type are loaded and stored";
  let description = [{
    The block's elements may have a sign, which atomic operations use. From 3.8 on, the type is
    `!tt.tensordesc<4x16xf32>`, which is read as `!tt.tensordesc<tensor<4x16xf32>>`.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$block);
  let hasCustomAssemblyFormat = 1;
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64],
                         "float of 8 to 64 bits">;
def TT_Integer : AnyTypeOf<[I1, I8, I16, I32, I64], "integer of 1 to 64 bits">;
def TT_Number : AnyTypeOf<[TT_Float, TT_Integer], "number">;
def TT_Scalar : AnyTypeOf<[TT_Float, TT_Integer, TT_Pointer], "number or pointer">;

class TT_TensorOf<list<Type> elements> : StaticShapeTensorOf<elements>;
class TT_OrTensorOf<Type element>
    : AnyTypeOf<[element, TT_TensorOf<[element]>], element.summary # ", or a tensor of these">;

def TT_Tensor : TT_TensorOf<[TT_Scalar]>;
def TT_Floats : TT_OrTensorOf<TT_Float>;
def TT_Integers : TT_OrTensorOf<TT_Integer>;
def TT_Numbers : TT_OrTensorOf<TT_Number>;
def TT_Pointers : TT_OrTensorOf<TT_Pointer>;
def TT_Values : TT_OrTensorOf<TT_Scalar>;
def TT_Booleans : TT_OrTensorOf<I1>;
def TT_Any : AnyTypeOf<[TT_Values, TT_TensorDesc], "number, pointer, tensor of these, or descriptor">;

//===-------------------------------------------------------------------------===//
// Operations
//===-------------------------------------------------------------------------===//

/// Requires shapes of powers of two, with at most as many elements as Triton allows.
def TT_SoundTensors : NativeOpTrait<"SoundTensors"> { let cppNamespace = "::pumice::triton"; }

class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<TritonDialect, mnemonic, !listconcat(traits, [TT_SoundTensors])>;

#endif
