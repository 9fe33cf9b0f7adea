// Work-items, workgroups, their memory, and operations of a whole group.
#ifdef __SPIRV__ // what clang 22 leaves as calls of functions that nobody has
#define OVERLOADED __attribute__((overloadable))
int OVERLOADED __spirv_AtomicSMin(volatile global int *, int scope, int semantics, int);
int OVERLOADED __spirv_AtomicSMax(volatile global int *, int scope, int semantics, int);
uint OVERLOADED __spirv_AtomicUMax(volatile global uint *, int scope, int semantics, uint);
#define atomic_min(P, V) __spirv_AtomicSMin(P, 1, 0, V)
#define atomic_max(P, V) __spirv_AtomicSMax(P, 1, 0, V)
#define atomic_dec(P) atomic_sub(P, 1)
#define atomic_inc(P) atomic_add(P, 1)
#define atomic_fetch_max(P, V) __spirv_AtomicUMax((volatile global uint *)(P), 1, 0, V)
#endif
kernel void numbers(global uint *out) {
  size_t linear = get_global_linear_id();
  global uint *at = out + linear * 20;
  for (uint d = 0; d < 3; ++d) {
    at[d] = get_global_id(d);
    at[3 + d] = get_local_id(d);
    at[6 + d] = get_group_id(d);
    at[9 + d] = get_global_size(d) * 100 + get_local_size(d);
    at[12 + d] = get_num_groups(d) * 100 + get_enqueued_local_size(d);
    at[15 + d] = get_global_offset(d);
  }
  at[18] = get_work_dim() * 1000 + get_local_linear_id();
  at[19] = get_global_id(3) + 10 * get_local_size(4) + 100 * get_num_groups(5);
}
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required(global uint *out) {
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
      get_local_size(0) * 10 + get_local_size(1);
}
kernel void tree(global const float *in, global float *out, local float *t) {
  uint l = get_local_id(0);
  t[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s)
      t[l] += t[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = t[0];
}
#define TILE 8
kernel void transpose(global const float *in, global float *out, uint width, uint height) {
  local float tile[TILE][TILE + 1];
  uint x = get_local_id(0), y = get_local_id(1);
  uint column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
  tile[y][x] = in[(row + y) * width + column + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(column + y) * height + row + x] = tile[x][y];
}
kernel void two_locals(global int *out, local int *a, local short *b) {
  int l = get_local_id(0), n = get_local_size(0);
  local int own[64];
  a[l] = l;
  b[l] = (short)(100 + l);
  own[l] = 1000 * l;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = a[n - 1 - l] + b[(l + 1) % n] + own[(l + 2) % n];
}
kernel void local_atomics(global uint *out, global const uint *in, uint n) {
  local uint counts[16];
  uint l = get_local_id(0);
  if (l < 16)
    counts[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_inc(&counts[in[i] & 15]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16)
    atomic_add(&out[l], counts[l]);
}
kernel void global_atomics(global int *out) {
  int i = get_global_id(0);
  atomic_add(&out[0], i);
  atomic_sub(&out[1], 2);
  atomic_min(&out[2], i - 20);
  atomic_max(&out[3], i);
  atomic_and(&out[4], ~(1 << (i & 15)));
  atomic_or(&out[5], 1 << (i & 31));
  atomic_xor(&out[6], i * i);
  atomic_dec(&out[7]);
}
kernel void exchanges(global int *out, global int *marks) {
  int i = get_global_id(0);
  int old = atomic_cmpxchg(&out[i & 7], i & 7, 100 + (i & 7));
  marks[i] = old == (i & 7) || old == 100 + (i & 7);
  if (i < 8)
    out[8 + i] = atomic_exchange_explicit((volatile global atomic_int *)&out[16 + i], i * 3,
                                          memory_order_relaxed, memory_scope_device);
}
void add_float(volatile global float *where, float value) {
  volatile global atomic_int *bits = (volatile global atomic_int *)where;
  int old = atomic_load(bits);
  while (!atomic_compare_exchange_strong(bits, &old, as_int(as_float(old) + value)))
    ;
}
kernel void float_by_exchange(global float *out, global const float *in) {
  add_float(&out[get_global_id(0) & 1], in[get_global_id(0)]);
}
kernel void standard_atomics(global atomic_uint *out, global atomic_ulong *wide) {
  uint i = get_global_id(0);
  atomic_fetch_add_explicit(&out[0], i, memory_order_relaxed, memory_scope_device);
  atomic_fetch_max(&out[1], i);
  atomic_fetch_or_explicit(&out[2], 1u << (i & 31), memory_order_acq_rel, memory_scope_device);
  atomic_fetch_add(wide, 1ul << 33);
  if (i == 3)
    atomic_store_explicit(&out[3], 42, memory_order_release, memory_scope_device);
}
kernel void votes(global int *out, global const int *in) {
  int i = get_global_id(0);
  out[i] = work_group_all(in[i] > 0) + 2 * work_group_any(in[i] > 90);
}
kernel void group_reduce(global int *out, global const int *in) {
  int i = get_global_id(0), x = in[i];
  out[3 * i] = work_group_reduce_add(x);
  out[3 * i + 1] = work_group_reduce_min(x);
  out[3 * i + 2] = work_group_reduce_max(x);
}
kernel void group_scan(global int *out, global const int *in, global float *floats) {
  int i = get_global_id(0), x = in[i];
  out[4 * i] = work_group_scan_inclusive_add(x);
  out[4 * i + 1] = work_group_scan_exclusive_add(x);
  out[4 * i + 2] = work_group_scan_inclusive_max(x);
  out[4 * i + 3] = work_group_scan_exclusive_min(x);
  floats[i] = work_group_scan_inclusive_add((float)x * 0.5f);
}
kernel void group_broadcast(global int *out, global const int *in) {
  int i = get_global_linear_id();
  out[i] = work_group_broadcast(in[i], 2, 1) + 1000 * work_group_broadcast(i, 0, 0);
}
