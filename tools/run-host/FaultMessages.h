//===- FaultMessages.h - messages for faults of a host program --------------===//
#pragma once

namespace pumice::run {

/// Reports faults of host code. If the code reaches memory that only the device sees, or that was
/// freed, the message names the allocation. For other faults of the program's code, it gives the
/// place and the cause. Causes are accesses to other memory, writes to constants, divisions by
/// zero, and a full stack. Then the process ends with status 2, as after an error. Faults of other
/// code end the process as they would without this object. Covers the thread that made the object,
/// as long as the object lives.
class FaultMessages {
public:
  FaultMessages();
  ~FaultMessages();
};

} // namespace pumice::run
