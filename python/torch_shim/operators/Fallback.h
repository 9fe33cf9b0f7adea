//===- Fallback.h - operators that run on the CPU ---------------------------===//
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <map>
#include <string>

namespace pumice::vk {

/// Computes an operator by a plan, or else on the CPU.
void fallBack(const c10::OperatorHandle &op, c10::Stack *stack);

/// Computes an operator of ours by a plan. Reports an error if there is none, since the CPU has no
/// operator of this name.
void runByPlanOnly(const c10::OperatorHandle &op, c10::Stack *stack);

/// Returns the operator that has this name and no overload.
c10::OperatorHandle findOperator(const char *name);

/// Returns how often each operator ran on the CPU, by its name and overload.
std::map<std::string, uint64_t> fallbacks();
void resetFallbacks();

} // namespace pumice::vk
