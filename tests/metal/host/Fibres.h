//===- Fibres.h - stacks that run in turn on one thread ---------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace pumice::msl {

/// Stacks that run a function each, in turn. The scheduler continues one of them, which gives back
/// control by `leave`.
class Fibres {
public:
  using Function = void (*)(void *context, unsigned fibre);

  Fibres();
  ~Fibres();
  Fibres(const Fibres &) = delete;
  Fibres &operator=(const Fibres &) = delete;

  /// Prepares `count` fibres that call `function(context, number)`. Returns false without memory.
  bool start(unsigned count, Function function, void *context);
  /// Continues the fibre until it leaves or ends.
  void enter(unsigned fibre);
  /// Gives control back to the caller of `enter`. Called by the running fibre.
  void leave();
  bool isDone(unsigned fibre) const;

private:
  struct Fibre;
  static void begin();
  std::vector<std::unique_ptr<Fibre>> all;
  Function function = nullptr;
  void *context = nullptr;
  void *scheduler = nullptr; // the registers of the caller of `enter`
  unsigned running = 0;
};

} // namespace pumice::msl
