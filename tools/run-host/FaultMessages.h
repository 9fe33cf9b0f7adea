//===- FaultMessages.h - what a host program's fault was about --------------===//
#pragma once

namespace pumice::run {

/// Says, when host code reaches memory that only the device sees, or that was freed, which
/// allocation it was; of other faults of the program's code (memory that is not its own, constants,
/// a division by zero, no stack left), where they were and what was reached. Then the process ends
/// with the status of a program that an error ended, 2; faults of others end it as without this. As
/// long as the object lives, for what the thread that made it does.
class FaultMessages {
public:
  FaultMessages();
  ~FaultMessages();
};

} // namespace pumice::run
