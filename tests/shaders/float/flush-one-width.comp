// DenormFlushToZero for f32 alone: f64 and f16 keep denormals, also after conversions to these
// types.
//! in float a = (rand(np.float32, N) * 2.0 ** -127).astype(np.float32)
//! in double b = rand(np.float64, N) * 2.0 ** -1024
//! in float16_t c = (rand(np.float16, N) * 2.0 ** -16).astype(np.float16)
//! out float r = flush(flush(a) * np.float32(0.75))
//! out double s = b * 0.75
//! out float16_t t = c * np.float16(0.75)
//! out float u = c.astype(np.float32)
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4465], 4460, 32);
void main() {
  r[I] = a[I] * 0.75;
  s[I] = b[I] * 0.75lf;
  t[I] = c[I] * float16_t(0.75);
  u[I] = float(c[I]);
}
