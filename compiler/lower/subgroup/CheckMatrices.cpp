//===- CheckMatrices.cpp - rejects invalid matrix operations ----------------===//
// Checks conditions that MLIR's verifiers do not check, for native and emulated matrices alike.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/subgroup/MatrixFragments.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using gpu::MMAElementwiseOp;
using gpu::MMAMatrixType;

/// The most elements of a matrix. Larger matrices would need too much code.
static constexpr int64_t mostElements = int64_t(1) << 16;

static LogicalResult checkSize(Operation *op, MMAMatrixType type) {
  int64_t elements = type.getShape()[0] * type.getShape()[1];
  if (elements >= 1 && type.getShape()[0] <= mostElements && elements <= mostElements)
    return success();
  return op->emitError() << "a matrix of type " << type << " has " << elements
                         << " elements; from 1 to " << mostElements
                         << " are possible: multiply smaller tiles";
}

static LogicalResult checkLeadDimension(Operation *op) {
  auto lead = op->getAttrOfType<IntegerAttr>("leadDimension");
  if (!lead || lead.getValue().isIntN(31))
    return success();
  return op->emitError("leadDimension is ")
         << lead.getInt() << ", but must be from 0 to " << llvm::maxIntN(32)
         << ": keep the rows of a matrix closer together";
}

static LogicalResult checkMemory(Operation *op, MMAMatrixType matrix, MemRefType memory) {
  if (memory.getElementType() == signless(matrix.getElementType()))
    return success();
  return op->emitError() << "'" << op->getName() << "' of elements of type "
                         << matrix.getElementType() << " and memory of " << memory.getElementType()
                         << ": use a memref of the matrix's element type";
}

static LogicalResult checkElementwise(gpu::SubgroupMmaElementwiseOp op, MMAMatrixType type) {
  MMAElementwiseOp kind = op.getOpType();
  StringRef name = gpu::stringifyMMAElementwiseOp(kind);
  bool isUnary = kind == MMAElementwiseOp::NEGATEF || kind == MMAElementwiseOp::NEGATES ||
                 kind == MMAElementwiseOp::EXTF;
  if (op.getArgs().size() != (isUnary ? 1u : 2u))
    return op.emitError("'") << name << "' takes " << (isUnary ? 1 : 2) << " matrices, not "
                             << op.getArgs().size();
  bool ofIntegers = kind == MMAElementwiseOp::ADDI || kind == MMAElementwiseOp::MULI ||
                    kind == MMAElementwiseOp::SUBI || kind == MMAElementwiseOp::DIVS ||
                    kind == MMAElementwiseOp::DIVU || kind == MMAElementwiseOp::NEGATES;
  if (ofIntegers == isa<IntegerType>(type.getElementType()))
    return success();
  return op.emitError("'") << name << "' is for matrices of "
                           << (ofIntegers ? "integers" : "floats") << ", not of "
                           << type.getElementType();
}

/// Checks products. A product states the layout of its factors, but does not transpose them. The
/// loads of the factors must therefore state the same layout.
static LogicalResult checkCompute(gpu::SubgroupMmaComputeOp op) {
  struct Factor {
    StringRef name;
    bool isSet;
    Value matrix;
  };
  for (const Factor &factor :
       {Factor{"a_transpose", op.getATranspose().value_or(false), op.getOpA()},
        Factor{"b_transpose", op.getBTranspose().value_or(false), op.getOpB()}}) {
    auto load = factor.matrix.getDefiningOp<gpu::SubgroupMmaLoadMatrixOp>();
    if (factor.isSet && !(load && load.getTranspose()))
      return op.emitError("'gpu.subgroup_mma_compute' with ")
             << factor.name << " of a matrix that is not loaded so: load it with 'transpose'";
  }
  return success();
}

/// Checks that the index of a component is less than the number of components in a lane. If the
/// target may choose its subgroup size, the smallest size determines that number.
static LogicalResult checkComponent(Operation *op, MMAMatrixType type, ValueRange indices,
                                    const target::TargetEnv &env) {
  int64_t lanes = std::max<int64_t>(env.limits.minSubgroupSize, 1);
  int64_t elements = llvm::divideCeil(type.getShape()[0] * type.getShape()[1], lanes);
  if (indices.size() != 1)
    return op->emitError() << "'" << op->getName() << "' takes one index into the lane's "
                           << elements << " elements, not " << indices.size();
  std::optional<int64_t> constant = getConstantIntValue(indices[0]);
  if (constant && (*constant < 0 || *constant >= elements))
    return op->emitError() << "index " << *constant << " is outside of the " << elements
                           << " elements that a lane holds";
  return success();
}

LogicalResult lower::checkMatrixOp(const MatrixOp &matrixOp, const target::TargetEnv &env) {
  Operation *op = matrixOp.op;
  for (MMAMatrixType type : matrixOp.operands)
    if (failed(checkSize(op, type)))
      return failure();
  if (matrixOp.result && failed(checkSize(op, matrixOp.result)))
    return failure();
  if (failed(checkLeadDimension(op)))
    return failure();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](gpu::SubgroupMmaLoadMatrixOp load) {
        return checkMemory(op, matrixOp.result, cast<MemRefType>(load.getSrcMemref().getType()));
      })
      .Case([&](gpu::SubgroupMmaStoreMatrixOp store) {
        return checkMemory(op, matrixOp.operands[0],
                           cast<MemRefType>(store.getDstMemref().getType()));
      })
      .Case([&](gpu::SubgroupMmaElementwiseOp elementwise) {
        return checkElementwise(elementwise, matrixOp.operands[0]);
      })
      .Case([&](gpu::SubgroupMmaComputeOp compute) { return checkCompute(compute); })
      .Case([&](gpu::SubgroupMmaExtractThreadLocalOp extract) {
        return checkComponent(op, matrixOp.operands[0], extract.getIndices(), env);
      })
      .Case([&](gpu::SubgroupMmaInsertThreadLocalOp insert) -> LogicalResult {
        if (matrixOp.operands[0] != matrixOp.result)
          return op->emitError() << "'" << op->getName() << "' makes a matrix of type "
                                 << matrixOp.result << " of one of type " << matrixOp.operands[0]
                                 << ": both must be of one type";
        return checkComponent(op, matrixOp.result, insert.getIndices(), env);
      })
      .Default([](Operation *) { return success(); });
}
