// Unary functions of f16, for every value.
//! only cpu
//! for F: sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 log log2 inversesqrt radians degrees
//! size 256
//! groups 256
//! let exact = {"sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
//!              "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
//!              "atanh": np.arctanh, "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2,
//!              "inversesqrt": lambda x: 1 / np.sqrt(x), "radians": np.radians, "degrees": np.degrees}
//! in float16_t a = bits(I.astype(np.uint16))
//! out float16_t r ~ulps:2 = exact[F](a.astype(np.float64)).astype(np.float16)
void main() {
  float16_t x = a[I];
  r[I] = F(x);
}
