//===- OpenMp.h - kernels on the threads of OpenMP --------------------------===//
#pragma once

namespace pumice::aoti {

/// Lets kernels run on the threads of OpenMP, on which PyTorch's functions run, if the process has
/// it. Otherwise these threads would still spin after a function, and keep a kernel's own threads
/// from the processors.
void useThreadsOfOpenMp();

} // namespace pumice::aoti
