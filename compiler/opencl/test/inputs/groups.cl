// Functions that LLVM's SPIR-V backend leaves as calls, or compiles wrongly.
kernel void fences(global int *numbers, global float *floats, local int *shared) {
  int i = get_local_id(0);
  shared[i] = atomic_xchg(&numbers[i], 10 * i);
  floats[i] = atomic_xchg(&floats[i], 1.0f);
  mem_fence(CLK_LOCAL_MEM_FENCE);
  read_mem_fence(CLK_LOCAL_MEM_FENCE);
  write_mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
  numbers[i] += shared[7 - i];
}

kernel void weak(volatile global atomic_int *place, global int *out) {
  int expected = 5;
  out[0] = atomic_compare_exchange_weak(place, &expected, 6);
  out[1] = atomic_compare_exchange_weak_explicit(place, &expected, 7, memory_order_relaxed,
                                                 memory_order_relaxed);
  out[2] = expected;
}

kernel void tests(global const int *in, global int *out) {
  int4 x = vload4(0, in), y = vload4(1, in);
  out[0] = any(x), out[1] = all(x), out[2] = any(y), out[3] = all(y);
  out[4] = any(in[0]), out[5] = all(in[1]);
  out[6] = any(convert_char3(y.xyz)), out[7] = all(isless(convert_float4(x), 10.0f));
}

kernel void memories(global int *out) {
  global int *global_pointer = to_global((int *)out);
  out[0] = global_pointer == out;
}

__attribute__((reqd_work_group_size(8, 1, 1)))
kernel void copies(global const int2 *in, global int2 *out) {
  local int2 part[8];
  event_t done = async_work_group_strided_copy(part, in, 4, 2, 0); // every second one
  done = async_work_group_copy(part + 4, in, 4, done);
  wait_group_events(1, &done);
  done = async_work_group_copy(out, part, 8, 0);
  wait_group_events(1, &done);
}

kernel void vectors(global float4 *out) {
  local float array[8];
  private float own[8];
  for (int i = 0; i < 8; ++i)
    own[i] = array[i] = i;
  vstore4(vload4(1, own) + 1, 0, array);
  vstore4(vload4(0, array), 1, own);
  out[0] = vload4(1, own);
}
