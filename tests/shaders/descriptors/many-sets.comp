// Descriptors in several sets whose numbers have gaps.
//! raw int a @0.7 = I
//! raw int b @3.2 = I * 10
//! raw int c @6.0 = np.zeros(N) -> I * 11
layout(set = 0, binding = 7) readonly buffer A { int a[]; };
layout(set = 3, binding = 2) readonly buffer B { int b[]; };
layout(set = 6, binding = 0) buffer C { int c[]; };
void main() { c[I] = a[I] + b[I]; }
