// Atomic additions of floats whose sum is the same in every order.
//! for T: float double
//! in T a = rand(np.int32, N, low=-1000, high=1000)
//! inout T sum = np.zeros(1) -> [a.sum()]
//! inout T swapped = a -> I
//! out T was = a
void main() {
  atomicAdd(sum[0], a[I]);
  was[I] = atomicExchange(swapped[I], T(I));
}
