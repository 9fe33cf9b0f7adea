//===- Store.h - finds the plans for calls, and has them compiled -----------===//
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <map>
#include <string>

namespace pumice::vk {

/// Compiles a plan, and writes it to the file `path`. Returns 0 if that was not possible, 2 if the
/// call seems to be wrong, and 3 if the user interrupts the program meanwhile.
using CompilePlan = int (*)(const char *name, const char *overload, const char *arguments,
                            int level, int64_t device, const char *key, const char *path);

/// Sets the folder of plans, and what compiles them. Null: only plans in the folder are used.
/// `interrupt` has Python raise the interrupt once the call returns to it.
void setPlanCompiler(const char *folder, CompilePlan compile, void (*interrupt)());

/// Leaves all operators that the calling thread runs from now on to the CPU. The thread that
/// compiles plans would wait for itself.
void usePlansNoMore();

/// Computes an operator by a plan. Its results replace the arguments on the stack. Returns false,
/// and leaves the stack as it was, if no plan can serve the call.
bool runByPlan(const c10::OperatorHandle &op, c10::Stack &stack);

/// A call that PyTorch may reject. If it does, this says nothing about other calls with the same
/// key. If the CPU computes it, the compiler was wrong, and there is no plan for the key.
class Doubt {
public:
  /// Takes the doubt of the call that `runByPlan` has just left to the CPU, if there is one.
  Doubt();
  /// Says that the CPU has computed the call.
  void resolve() const;

private:
  void *op; // or null
  std::string key;
};

/// Returns whether this thread is compiling a plan. What runs now is no operator of the user's.
bool isCompiling();

/// Returns whether plans are used.
bool arePlansOn();

/// Returns why the last call of an operator had no plan.
std::string reasonFor(const c10::OperatorHandle &op);

/// Returns why operators had no plan, by name and overload: the last reason of each.
std::map<std::string, std::string> reasonsWithoutPlan();

} // namespace pumice::vk
