// Variables of program scope: numbers, zeros, structs, addresses of each other, and constants that
// hold addresses. Both kernels share them, and find the values that the previous launch left.
global int counter = 5;
global float weights[4] = {1, 2, 3, 4};
global int seen[64];
constant int digits[4] = {3, 1, 4, 1};
constant int *constant rows[2] = {digits, digits + 2};
global int *global cursor = &seen[3];
global int *global nothing;
typedef struct {
  char tag;
  global float *first;
  short3 triple;
  constant char *name;
} Entry;
global Entry entries[2] = {{1, weights, (short3)(1, 2, 3), "one"},
                           {2, weights + 2, (short3)(4, 5, 6), "two"}};

/// out: the value that the kernel found, by element.
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void advance(global int *out) {
  int i = get_global_id(0);
  if (i == 0) {
    out[0] = cursor - seen;
    out[1] = *cursor;
    out[2] = nothing == 0;
    cursor += 2;
    nothing = &counter;
    entries[1].triple.y += 10;
    weights[2] *= 2;
  }
  atomic_fetch_add((volatile global atomic_int *)&counter, 1);
  seen[i] += rows[i & 1][i >> 1 & 1];
}

kernel __attribute__((reqd_work_group_size(16, 1, 1))) void look(global int *out, global float *sums) {
  int i = get_global_id(0);
  out[i] = seen[i];
  sums[i] = entries[i & 1].first[0] + entries[i & 1].triple.y;
  if (i == 0) {
    out[64] = counter;
    out[65] = cursor - seen;
    out[66] = nothing ? *nothing : -1;
    out[67] = entries[1].name[1] + entries[0].tag + entries[1].tag;
  }
}
