//===- OpenMp.cpp - kernels on the threads of OpenMP ------------------------===//
#include "runtime/aoti/OpenMp.h"

#include "runtime/drivers/cpu/WorkerPool.h"
#include "support/Platform.h"

namespace pumice::aoti {

void useThreadsOfOpenMp() {
  void *run = SharedLibrary::program().symbol("GOMP_parallel");
  cpu_driver::WorkerPool::useTeam(reinterpret_cast<cpu_driver::RunTeam>(run));
}

} // namespace pumice::aoti
