// f64 to f32 and f32 to f16 round to either neighbour. Our device rounds to nearest, ties to even.
//! for A,B: double,float float,float16_t double,float16_t
//! in A a = rand(np.float64, N, low=-100, high=100)
//! out B r ~ulps:1 = a
void main() { r[I] = B(a[I]); }
