//===- JoinWords.cpp - workgroup memory as vectors of 16 bytes --------------===//
//   before: @m : !spirv.ptr<!spirv.array<512 x i32>, Workgroup>
//           spirv.Store %m[%q * 4], %a; spirv.Store %m[%q * 4 + 1], %b; … (four words in a row)
//           %f = spirv.KHR.CooperativeMatrixLoad %m[%r * 4], stride 20
//   after:  @m : !spirv.ptr<!spirv.array<128 x vector<4xi32>>, Workgroup>
//           spirv.Store %m[%q], (%a, %b, …)
//           %f = spirv.KHR.CooperativeMatrixLoad %m[%r], stride 5
//
// Needs: ConvertToSpirv, and that equal indices are one value.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"

namespace pumice::spirv {
#define GEN_PASS_DEF_JOINWORDS
#include "compiler/spirv/Passes.h.inc"
} // namespace pumice::spirv

using namespace mlir;
namespace spv = mlir::spirv;

namespace {

constexpr int64_t wordsOfVector = 4;

std::optional<int64_t> numberOf(Value value) {
  APInt number;
  return value && matchPattern(value, m_ConstantInt(&number)) ? std::optional(number.getSExtValue())
                                                              : std::nullopt;
}

/// Returns the word of its vector that an index means, if it is the same for all values.
std::optional<int64_t> wordAt(Value index) {
  if (std::optional<int64_t> number = numberOf(index))
    return *number >= 0 ? std::optional(*number % wordsOfVector) : std::nullopt;
  if (auto product = index.getDefiningOp<spv::IMulOp>())
    for (Value factor : product->getOperands())
      if (std::optional<int64_t> number = numberOf(factor); number && *number % wordsOfVector == 0)
        return 0;
  if (auto shift = index.getDefiningOp<spv::ShiftLeftLogicalOp>())
    if (std::optional<int64_t> number = numberOf(shift.getOperand2()); number && *number >= 2)
      return 0;
  if (auto sum = index.getDefiningOp<spv::IAddOp>()) {
    std::optional<int64_t> a = wordAt(sum.getOperand1()), b = wordAt(sum.getOperand2());
    if (a && b && *a + *b < wordsOfVector)
      return *a + *b;
  }
  return std::nullopt;
}

/// Returns whether a number is always less than the words of a vector.
bool isBelowVector(Value value) {
  auto quotient = value.getDefiningOp<spv::UDivOp>();
  auto rest = quotient ? quotient.getOperand1().getDefiningOp<spv::BitwiseAndOp>() : nullptr;
  std::optional<int64_t> mask = rest ? numberOf(rest.getOperand2()) : std::nullopt,
                         divisor = quotient ? numberOf(quotient.getOperand2()) : std::nullopt;
  return mask && divisor && *mask >= 0 && *divisor > 0 && *mask / *divisor < wordsOfVector;
}

/// Returns the parts of an index, if it is a multiple of the words of a vector, plus a number less
/// than that.
std::optional<std::pair<Value, Value>> partsOf(Value index) {
  if (auto sum = index.getDefiningOp<spv::IAddOp>())
    for (unsigned i : {0u, 1u})
      if (wordAt(sum->getOperand(i)) == 0 && isBelowVector(sum->getOperand(1 - i)))
        return std::pair(sum->getOperand(i), sum->getOperand(1 - i));
  return std::nullopt;
}

/// The accesses to one array of words.
class Words {
public:
  explicit Words(spv::GlobalVariableOp variable) : variable(variable) {}

  /// Collects all accesses. Returns false if one of them cannot be converted.
  bool collect(spv::ModuleOp module);
  void convert();

private:
  bool collect(spv::AccessChainOp element);
  Value vectorOf(OpBuilder &b, spv::AccessChainOp element);
  void joinStores(Block &block);
  void convertLoad(spv::KHRCooperativeMatrixLoadOp load);

  spv::GlobalVariableOp variable;
  Type word;
  SmallVector<spv::AddressOfOp> addresses;
  SmallVector<spv::AccessChainOp> elements;
  SmallVector<spv::KHRCooperativeMatrixLoadOp> loads;
  llvm::SetVector<Block *> blocks;
  llvm::DenseMap<std::pair<Operation *, Value>, Value> known; // by place and index
};

bool Words::collect(spv::AccessChainOp element) {
  if (element.getIndices().size() != 1)
    return false;
  std::optional<int64_t> at = wordAt(element.getIndices()[0]);
  if (!at && !partsOf(element.getIndices()[0]))
    return false;
  for (OpOperand &use : element->getUses()) {
    if (auto load = dyn_cast<spv::KHRCooperativeMatrixLoadOp>(use.getOwner())) {
      std::optional<int64_t> stride = numberOf(load.getStride());
      if (at != 0 || !stride || *stride % wordsOfVector)
        return false;
      loads.push_back(load);
    } else if (isa<spv::LoadOp, spv::StoreOp>(use.getOwner()) && use.getOperandNumber() == 0) {
      blocks.insert(use.getOwner()->getBlock());
    } else {
      return false;
    }
  }
  elements.push_back(element);
  return true;
}

bool Words::collect(spv::ModuleOp module) {
  auto pointer = dyn_cast<spv::PointerType>(variable.getType());
  auto array = pointer ? dyn_cast<spv::ArrayType>(pointer.getPointeeType()) : nullptr;
  if (!array || pointer.getStorageClass() != spv::StorageClass::Workgroup ||
      !array.getElementType().isInteger(32) || array.getNumElements() % wordsOfVector ||
      variable.getInitializerAttr())
    return false;
  word = array.getElementType();
  WalkResult walked = module.walk([&](spv::AddressOfOp address) {
    if (address.getVariable() != variable.getSymName())
      return WalkResult::advance();
    addresses.push_back(address);
    for (Operation *user : address->getUsers()) {
      auto element = dyn_cast<spv::AccessChainOp>(user);
      if (!element || !collect(element))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !walked.wasInterrupted() && !loads.empty();
}

/// Returns the index of a vector, given that of one of its words.
Value vectorIndex(OpBuilder &b, Location loc, Value index) {
  auto constant = [&](int64_t value) {
    return spv::ConstantOp::create(b, loc, index.getType(),
                                   b.getIntegerAttr(index.getType(), value));
  };
  if (std::optional<int64_t> number = numberOf(index))
    return constant(*number / wordsOfVector);
  if (auto product = index.getDefiningOp<spv::IMulOp>())
    for (unsigned i : {0u, 1u})
      if (std::optional<int64_t> number = numberOf(product->getOperand(i));
          number && *number % wordsOfVector == 0) {
        Value other = product->getOperand(1 - i);
        return *number == wordsOfVector
                   ? other
                   : spv::IMulOp::create(b, loc, other, constant(*number / wordsOfVector))
                         .getResult();
      }
  if (auto sum = index.getDefiningOp<spv::IAddOp>()) {
    if (std::optional<int64_t> number = numberOf(sum.getOperand2());
        number && *number / wordsOfVector == 0)
      return vectorIndex(b, loc, sum.getOperand1());
    return spv::IAddOp::create(b, loc, vectorIndex(b, loc, sum.getOperand1()),
                               vectorIndex(b, loc, sum.getOperand2()));
  }
  return spv::ShiftRightLogicalOp::create(b, loc, index.getType(), index, constant(2));
}

Value Words::vectorOf(OpBuilder &b, spv::AccessChainOp element) {
  auto vector = VectorType::get({wordsOfVector}, word);
  return spv::AccessChainOp::create(
      b, element.getLoc(), spv::PointerType::get(vector, spv::StorageClass::Workgroup),
      element.getBasePtr(), ValueRange{vectorIndex(b, element.getLoc(), element.getIndices()[0])});
}

/// Returns the vector whose elements, in order, are these values.
Value vectorWith(OpBuilder &b, Location loc, ArrayRef<Value> values) {
  auto type = VectorType::get({wordsOfVector}, values[0].getType());
  auto first = values[0].getDefiningOp<spv::CompositeExtractOp>();
  bool isWhole = first && first.getComposite().getType() == type;
  for (auto [i, value] : llvm::enumerate(values)) {
    auto extract = value.getDefiningOp<spv::CompositeExtractOp>();
    isWhole = isWhole && extract && extract.getComposite() == first.getComposite() &&
              extract.getIndices().size() == 1 &&
              cast<IntegerAttr>(extract.getIndices()[0]).getInt() == static_cast<int64_t>(i);
  }
  return isWhole ? first.getComposite()
                 : spv::CompositeConstructOp::create(b, loc, type, values).getResult();
}

/// Joins stores of the words of a vector, in order, if no other access is between them.
void Words::joinStores(Block &block) {
  SmallVector<spv::StoreOp> row;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto store = dyn_cast<spv::StoreOp>(op);
    auto element = store ? store.getPtr().getDefiningOp<spv::AccessChainOp>() : nullptr;
    if (!element || !llvm::is_contained(elements, element)) {
      if (!isMemoryEffectFree(&op))
        row.clear();
      continue;
    }
    std::optional<int64_t> at = wordAt(element.getIndices()[0]);
    auto indexOf = [](spv::StoreOp one) {
      Value index = one.getPtr().getDefiningOp<spv::AccessChainOp>().getIndices()[0];
      auto sum = index.getDefiningOp<spv::IAddOp>();
      return sum && wordAt(index) != 0 ? sum.getOperand1() : index;
    };
    if (at != static_cast<int64_t>(row.size()) ||
        (!row.empty() && indexOf(store) != indexOf(row.front())))
      row.clear();
    if (at != static_cast<int64_t>(row.size()))
      continue;
    row.push_back(store);
    if (row.size() != wordsOfVector)
      continue;
    OpBuilder b(store);
    SmallVector<Value> values;
    for (spv::StoreOp one : row)
      values.push_back(one.getValue());
    auto first = row.front().getPtr().getDefiningOp<spv::AccessChainOp>();
    spv::StoreOp::create(b, store.getLoc(), vectorOf(b, first),
                         vectorWith(b, store.getLoc(), values), store.getMemoryAccessAttr(),
                         IntegerAttr());
    for (spv::StoreOp one : row)
      one.erase();
    row.clear();
  }
}

void Words::convertLoad(spv::KHRCooperativeMatrixLoadOp load) {
  OpBuilder b(load);
  Value stride = spv::ConstantOp::create(
      b, load.getLoc(), load.getStride().getType(),
      b.getIntegerAttr(load.getStride().getType(), *numberOf(load.getStride()) / wordsOfVector));
  Value vector = vectorOf(b, load.getPointer().getDefiningOp<spv::AccessChainOp>());
  load.getPointerMutable().assign(vector);
  load.getStrideMutable().assign(stride);
}

void Words::convert() {
  auto array = cast<spv::ArrayType>(cast<spv::PointerType>(variable.getType()).getPointeeType());
  auto vectors = spv::ArrayType::get(VectorType::get({wordsOfVector}, word),
                                     array.getNumElements() / wordsOfVector);
  auto pointer = spv::PointerType::get(vectors, spv::StorageClass::Workgroup);
  variable.setType(pointer);
  for (spv::AddressOfOp address : addresses)
    address.getResult().setType(pointer);
  for (Block *block : blocks)
    joinStores(*block);
  for (spv::KHRCooperativeMatrixLoadOp load : loads)
    convertLoad(load);
  for (spv::AccessChainOp element : elements) {
    if (element->use_empty()) {
      element.erase();
      continue;
    }
    OpBuilder b(element);
    Value index = element.getIndices()[0], at;
    if (auto parts = partsOf(index))
      std::tie(index, at) = *parts;
    else
      at = spv::ConstantOp::create(b, element.getLoc(), index.getType(),
                                   b.getIntegerAttr(index.getType(), *wordAt(index)));
    Value word =
        spv::AccessChainOp::create(b, element.getLoc(), element.getType(), element.getBasePtr(),
                                   ValueRange{vectorIndex(b, element.getLoc(), index), at});
    element.replaceAllUsesWith(word);
    element.erase();
  }
}

struct JoinWords final : pumice::spirv::impl::JoinWordsBase<JoinWords> {
  void runOnOperation() override {
    SmallVector<spv::GlobalVariableOp> variables(getOperation().getOps<spv::GlobalVariableOp>());
    for (spv::GlobalVariableOp variable : variables)
      if (Words words(variable); words.collect(getOperation()))
        words.convert();
  }
};

} // namespace
