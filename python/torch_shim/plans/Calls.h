//===- Calls.h - describes calls of operators, to find the plans for them ---===//
// Calls that one plan serves have the same key. The key has the types, ranks and layouts of
// tensors, the classes of their sizes, and which of them are the same. It has the values of other
// arguments, such as dimensions. Numbers that a kernel can take as arguments are in the key only if
// plans for all numbers are not possible; the same holds for sizes (Level).
//===-------------------------------------------------------------------------===//
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/SmallVector.h>

#include <string>

namespace pumice::vk {

/// A number of a plan: an integer or a float, as the plan's code knows.
union Number {
  int64_t integer;
  double real;
};

/// How an argument of an operator takes part in the key.
enum class Role : uint8_t {
  Tensor,     // and lists of tensors, optional ones too
  Scalar,     // a number of either type, which kernels take
  Size,       // an integer or a list of integers, which kernels take
  ByValue,    // anything else
  Generator,  // not in the key: plans take random numbers from it
  Unsupported // no plan can have it
};

/// Describes the arguments of an operator, by its schema.
struct Signature {
  explicit Signature(const c10::FunctionSchema &schema);

  struct Argument {
    Role role;
    bool isWritten;
  };
  c10::SmallVector<Argument, 8> arguments;
  bool isPlannable = true; // whether plans can serve any call
};

/// How large an extent is. Sizes 0 and 1 are constants in a plan.
enum class SizeClass : char { Zero = '0', One = '1', Small = 'a', Large = 'b' };
SizeClass classOf(int64_t size);

/// What plans of an operator serve many values of.
enum class Level : char {
  Dynamic = '0', // numbers and sizes
  Sizes = '1',   // sizes; numbers are in the key
  Static = '2'   // nothing: sizes and strides are in the key too
};

/// A call of an operator.
class Call {
public:
  /// Reads the arguments, which outlive this.
  Call(const Signature &signature, c10::ArrayRef<c10::IValue> arguments, Level level);

  /// Why no plan can serve the call, or null.
  const char *unsupported = nullptr;
  std::string_view key() const { return {bytes.data(), bytes.size()}; }

  c10::SmallVector<const at::Tensor *, 8> tensors; // those of vk, without those that are the same
  c10::SmallVector<Number, 8> numbers;             // those that are not in the key
  int64_t device = -1;                             // of vk
  const std::string *name = nullptr;               // of the operator; it stays alive
  const c10::IValue *generator = nullptr;          // if one is given

  /// Returns the arguments as JSON, for the compiler of plans (python/pumice_torch/vk/plans).
  std::string describe() const;

private:
  void add(const Signature::Argument &kind, const c10::IValue &value);
  void addTensor(const at::Tensor &tensor, bool isWritten);
  void addScalar(const c10::IValue &value);
  void addSize(const c10::IValue &value);
  void addValue(const c10::IValue &value);
  void put(char byte) { bytes.push_back(byte); }
  template <typename T> void putRaw(T value) {
    const char *raw = reinterpret_cast<const char *>(&value);
    bytes.append(raw, raw + sizeof value);
  }
  void putLayout(const at::Tensor &tensor);
  void reject(const char *why) {
    if (!unsupported)
      unsupported = why;
  }
  /// Rejects calls that write memory which a part of another argument shares.
  void checkOverlaps();

  const Signature &signature;
  c10::ArrayRef<c10::IValue> arguments;
  const Level level;
  const bool byValue; // whether numbers are in the key
  c10::SmallVector<char, 256> bytes;
  c10::SmallVector<bool, 8> written; // for each tensor
};

} // namespace pumice::vk
