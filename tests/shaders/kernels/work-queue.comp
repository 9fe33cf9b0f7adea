// Workgroups take jobs until none are left. All invocations read the job number between two
// barriers.
//! for S: 1 8 32 64
//! size S
//! groups 4
//! inout uint next_ = [0] -> anything
//! inout uint done = np.zeros(50) -> S * (np.arange(50) + 1)
shared uint job;
void main() {
  while (true) {
    if (gl_LocalInvocationIndex == 0)
      job = atomicAdd(next_[0], 1);
    barrier();
    uint mine = job;
    barrier();
    if (mine >= 50)
      break;
    atomicAdd(done[mine], mine + 1);
  }
}
