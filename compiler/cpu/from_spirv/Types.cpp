//===- Types.cpp - SPIR-V's types as scalars and as bytes -------------------===//
#include "compiler/cpu/from_spirv/Types.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice::cpu;

int64_t pumice::cpu::scalarBytes(Type scalar) {
  if (isa<LLVM::LLVMPointerType>(scalar))
    return 8;
  return llvm::divideCeil(scalar.getIntOrFloatBitWidth(), 8);
}

/// A size that exceeds any memory. Sums of several such sizes do not overflow.
static constexpr int64_t endless = int64_t{1} << 56;

static int64_t sum(int64_t a, int64_t b) { return std::min(a + b, endless); }

static int64_t product(int64_t a, int64_t b) {
  int64_t made = 0;
  return llvm::MulOverflow(a, b, made) ? endless : std::min(made, endless);
}

//===-------------------------------------------------------------------------===//
// Scalars
//===-------------------------------------------------------------------------===//

Type Types::scalar(Type type) const {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() > 64)
      return {};
    return IntegerType::get(context, integer.getWidth());
  }
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return type;
  if (isa<spirv::PointerType, LLVM::LLVMPointerType>(type))
    return LLVM::LLVMPointerType::get(context);
  return {};
}

bool Types::isComposite(Type type) const {
  return isa<VectorType, spirv::MatrixType, spirv::ArrayType, spirv::RuntimeArrayType,
             spirv::StructType, spirv::CooperativeMatrixType>(type);
}

Type Types::withoutLayout(Type type) const {
  using Member = spirv::StructType::MemberDecorationInfo;
  if (auto array = dyn_cast<spirv::ArrayType>(type))
    return spirv::ArrayType::get(withoutLayout(array.getElementType()), array.getNumElements());
  auto record = dyn_cast<spirv::StructType>(type);
  if (!record || record.isIdentified() || record.getNumElements() == 0)
    return type;
  SmallVector<Type> members;
  for (Type member : record.getElementTypes())
    members.push_back(withoutLayout(member));
  SmallVector<Member> decorations;
  record.getMemberDecorations(decorations);
  llvm::erase_if(decorations, [](const Member &one) {
    return one.decoration == spirv::Decoration::MatrixStride ||
           one.decoration == spirv::Decoration::RowMajor;
  });
  SmallVector<spirv::StructType::StructDecorationInfo> own;
  record.getStructDecorations(own);
  return spirv::StructType::get(members, {}, decorations, own);
}

/// The largest number of matrix elements in each lane. More would take too long to compile.
static constexpr int64_t mostMatrixElements = 256;

static int64_t elementsOfLane(spirv::CooperativeMatrixType type, int64_t lanes) {
  int64_t rows = type.getRows(), columns = type.getColumns();
  bool fits = llvm::isPowerOf2_64(rows) && llvm::isPowerOf2_64(columns) &&
              rows * columns >= lanes && rows * columns <= lanes * mostMatrixElements;
  return fits && type.getScope() == spirv::Scope::Subgroup ? rows * columns / lanes : 0;
}

int64_t Types::elements(Type type) const {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements();
  if (auto matrix = dyn_cast<spirv::MatrixType>(type))
    return matrix.getNumColumns();
  if (auto array = dyn_cast<spirv::ArrayType>(type))
    return array.getNumElements();
  if (auto record = dyn_cast<spirv::StructType>(type))
    return record.getNumElements();
  if (auto matrix = dyn_cast<spirv::CooperativeMatrixType>(type))
    return elementsOfLane(matrix, lanes);
  return 0;
}

Type Types::element(Type type, int64_t index) const {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType();
  if (auto matrix = dyn_cast<spirv::MatrixType>(type))
    return matrix.getColumnType();
  if (auto array = dyn_cast<spirv::ArrayType>(type))
    return array.getElementType();
  if (auto array = dyn_cast<spirv::RuntimeArrayType>(type))
    return array.getElementType();
  if (auto matrix = dyn_cast<spirv::CooperativeMatrixType>(type))
    return matrix.getElementType();
  return cast<spirv::StructType>(type).getElementType(index);
}

/// The largest number of scalars that represent a value. More would exhaust time or memory.
static constexpr int64_t mostScalars = int64_t{1} << 24;

bool Types::scalars(Type type, SmallVectorImpl<Type> &list) const {
  return count(type) <= mostScalars && collect(type, list);
}

bool Types::collect(Type type, SmallVectorImpl<Type> &list) const {
  if (!isComposite(type)) {
    Type one = scalar(type);
    list.push_back(one);
    return bool(one);
  }
  if (isa<spirv::RuntimeArrayType>(type) ||
      (isa<spirv::CooperativeMatrixType>(type) && elements(type) == 0))
    return false;
  for (int64_t i = 0, n = elements(type); i < n; ++i)
    if (!collect(element(type, i), list))
      return false;
  return true;
}

int64_t Types::count(Type type) const {
  if (!isComposite(type))
    return 1;
  if (!isa<spirv::StructType>(type))
    return elements(type) ? product(elements(type), count(element(type, 0))) : 0;
  int64_t all = 0;
  for (int64_t i = 0, n = elements(type); i < n; ++i)
    all = sum(all, count(element(type, i)));
  return all;
}

int64_t Types::count(Type type, Type kind) const {
  if (!isComposite(type))
    return scalar(type) == kind;
  if (!isa<spirv::StructType>(type))
    return elements(type) ? product(elements(type), count(element(type, 0), kind)) : 0;
  int64_t all = 0;
  for (int64_t i = 0, n = elements(type); i < n; ++i)
    all = sum(all, count(element(type, i), kind));
  return all;
}

//===-------------------------------------------------------------------------===//
// Bytes
//===-------------------------------------------------------------------------===//

int64_t Types::alignment(Type type) const {
  if (auto vector = dyn_cast<VectorType>(type); vector && openCl)
    return llvm::PowerOf2Ceil(vector.getNumElements()) * alignment(vector.getElementType());
  if (!isComposite(type)) {
    Type one = scalar(type);
    return one ? llvm::PowerOf2Ceil(scalarBytes(one)) : 1;
  }
  int64_t largest = 1;
  auto record = dyn_cast<spirv::StructType>(type);
  if (!record)
    return alignment(element(type, 0));
  if (record.hasDecoration(spirv::Decoration::CPacked))
    return 1;
  for (int64_t i = 0, n = elements(type); i < n; ++i)
    largest = std::max(largest, alignment(element(type, i)));
  return largest;
}

std::pair<int64_t, int64_t> Types::matrixStrides(spirv::MatrixType type,
                                                 MatrixLayout matrix) const {
  int64_t one = bytes(type.getElementType());
  if (matrix.rowMajor)
    return {one, matrix.stride ? matrix.stride : one * type.getNumColumns()};
  return {matrix.stride ? matrix.stride : bytes(type.getColumnType()), one};
}

int64_t Types::stride(Type array, MatrixLayout matrix) const {
  unsigned stated = 0;
  if (auto sized = dyn_cast<spirv::ArrayType>(array))
    stated = sized.getArrayStride();
  else if (auto runtime = dyn_cast<spirv::RuntimeArrayType>(array))
    stated = runtime.getArrayStride();
  if (stated)
    return stated;
  Type item = element(array, 0);
  return llvm::alignTo(bytes(item, matrix), alignment(item));
}

int64_t Types::memberOffset(spirv::StructType type, unsigned index) const {
  if (type.hasOffset())
    return type.getMemberOffset(index);
  int64_t offset = 0;
  for (unsigned i = 0;; ++i) {
    if (!type.hasDecoration(spirv::Decoration::CPacked))
      offset = llvm::alignTo(offset, alignment(type.getElementType(i)));
    if (i == index)
      return offset;
    offset = sum(offset, bytes(type.getElementType(i), memberMatrix(type, i)));
  }
}

bool Types::memberHas(spirv::StructType type, unsigned index, spirv::Decoration decoration) const {
  SmallVector<spirv::StructType::MemberDecorationInfo, 4> list;
  type.getMemberDecorations(index, list);
  return llvm::any_of(list, [&](auto &item) { return item.decoration == decoration; });
}

MatrixLayout Types::memberMatrix(spirv::StructType type, unsigned index) const {
  MatrixLayout layout;
  SmallVector<spirv::StructType::MemberDecorationInfo, 4> list;
  type.getMemberDecorations(index, list);
  for (auto &item : list) {
    if (item.decoration == spirv::Decoration::RowMajor)
      layout.rowMajor = true;
    if (item.decoration == spirv::Decoration::MatrixStride)
      layout.stride = cast<IntegerAttr>(item.decorationValue).getInt();
  }
  return layout;
}

int64_t Types::bytes(Type type, MatrixLayout matrix) const {
  if (auto vector = dyn_cast<VectorType>(type)) {
    int64_t size = vector.getNumElements() * bytes(vector.getElementType());
    return openCl ? llvm::alignTo(size, alignment(type)) : size;
  }
  if (auto square = dyn_cast<spirv::MatrixType>(type)) {
    auto [column, row] = matrixStrides(square, matrix);
    return std::max(column * square.getNumColumns(), row * square.getNumRows());
  }
  if (isa<spirv::ArrayType>(type))
    return product(elements(type), stride(type, matrix));
  if (isa<spirv::CooperativeMatrixType>(type))
    return elements(type) * bytes(element(type, 0));
  if (auto record = dyn_cast<spirv::StructType>(type)) {
    int64_t end = 0;
    for (unsigned i = 0, n = record.getNumElements(); i < n; ++i)
      end = std::max(end, sum(memberOffset(record, i),
                              bytes(record.getElementType(i), memberMatrix(record, i))));
    return record.hasOffset() ? end : llvm::alignTo(end, alignment(type));
  }
  Type one = scalar(type);
  return one ? scalarBytes(one) : 0;
}

void Types::leaves(Type type, int64_t offset, MatrixLayout matrix, unsigned elementStride,
                   SmallVectorImpl<Leaf> &list) const {
  if (auto vector = dyn_cast<VectorType>(type)) {
    int64_t step = elementStride ? elementStride : bytes(vector.getElementType());
    for (int64_t i = 0, n = vector.getNumElements(); i < n; ++i)
      list.push_back({scalar(vector.getElementType()), offset + i * step});
  } else if (auto square = dyn_cast<spirv::MatrixType>(type)) {
    auto [column, row] = matrixStrides(square, matrix);
    for (int64_t i = 0, n = square.getNumColumns(); i < n; ++i)
      leaves(square.getColumnType(), offset + i * column, {}, row, list);
  } else if (isa<spirv::ArrayType, spirv::CooperativeMatrixType>(type)) {
    int64_t step = stride(type, matrix);
    for (int64_t i = 0, n = elements(type); i < n; ++i)
      leaves(element(type, i), offset + i * step, matrix, 0, list);
  } else if (auto record = dyn_cast<spirv::StructType>(type)) {
    for (unsigned i = 0, n = record.getNumElements(); i < n; ++i)
      leaves(record.getElementType(i), offset + memberOffset(record, i), memberMatrix(record, i), 0,
             list);
  } else {
    list.push_back({scalar(type), offset});
  }
}
