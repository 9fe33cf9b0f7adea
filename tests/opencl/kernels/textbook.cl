// Kernels as textbooks of OpenCL have them, each with a use of pointers or control flow of its own.
#define TILE 8
kernel void tiled_product(global const float *a, global const float *b, global float *c, int n) {
  local float left[TILE][TILE], right[TILE][TILE];
  int x = get_local_id(0), y = get_local_id(1);
  int column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    left[y][x] = a[row * n + t + x];
    right[y][x] = b[(t + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k)
      sum += left[y][k] * right[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}

// Two partial histograms of bytes, then one addition to the whole.
kernel void histogram(global const uchar *data, global uint *counts, int n) {
  local uint own[2][256];
  int l = get_local_id(0), size = get_local_size(0);
  for (int i = l; i < 512; i += size)
    (&own[0][0])[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    atomic_add(&own[i & 1][data[i]], 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = l; i < 256; i += size)
    atomic_add(&counts[i], own[0][i] + own[1][i]);
}

// The work-efficient scan of two elements for each work-item.
kernel void exclusive_scan(global const uint *in, global uint *out, local uint *t) {
  int l = get_local_id(0), n = 2 * get_local_size(0), stride = 1;
  t[2 * l] = in[2 * l];
  t[2 * l + 1] = in[2 * l + 1];
  for (int d = n >> 1; d > 0; d >>= 1, stride *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d)
      t[stride * (2 * l + 2) - 1] += t[stride * (2 * l + 1) - 1];
  }
  if (l == 0)
    t[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    stride >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) {
      uint left = t[stride * (2 * l + 1) - 1];
      t[stride * (2 * l + 1) - 1] = t[stride * (2 * l + 2) - 1];
      t[stride * (2 * l + 2) - 1] += left;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[2 * l] = t[2 * l];
  out[2 * l + 1] = t[2 * l + 1];
}

// Mixes words as hash functions do: rotations, a table, and an array of 16 words.
constant uint keys[8] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
                         0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5};
kernel void mixed_words(global uint *out, uint rounds) {
  uint w[16], a = 0x6a09e667, b = 0xbb67ae85;
  for (uint i = 0; i < 16; ++i)
    w[i] = get_global_id(0) * 2654435761u + i;
  for (uint r = 0; r < rounds; ++r) {
    uint next = w[r & 15] + rotate(w[(r + 9) & 15], 7u) + (w[(r + 14) & 15] >> 10);
    w[r & 15] = next;
    uint sum = (rotate(a, 26u) ^ rotate(a, 21u)) + keys[r & 7] + next;
    a = b + sum;
    b = bitselect(a, sum, b);
  }
  out[get_global_id(0)] = a ^ b;
}

// A list whose nodes hold addresses.
typedef struct Node {
  global struct Node *next;
  int value;
} Node;
kernel void linked_list(global Node *nodes, global int *out, int n) {
  for (int i = 0; i < n; ++i) {
    nodes[i].value = i * i;
    nodes[i].next = i + 3 < n ? nodes + i + 3 : 0;
  }
  for (int start = 0; start < 3; ++start) {
    int sum = 0;
    for (global Node *at = nodes + start; at; at = at->next)
      sum += at->value;
    out[start] = sum;
  }
}

// Structures by value, with vectors and arrays inside.
typedef struct {
  float4 weights;
  int2 origin;
  short steps[3];
  char sign;
} Filter;
static float apply(Filter f, float x) {
  float sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += f.steps[i] * x;
  return f.sign * (sum + dot(f.weights, (float4)(x, 1, f.origin.x, f.origin.y)));
}
kernel void by_value(global float *out, Filter f, float16 row) {
  float values[16];
  vstore16(row, 0, values);
  out[get_global_id(0)] = apply(f, values[get_global_id(0)]);
}

// A state machine with goto, and returns from the middle of nested loops.
kernel void state_machine(global const uchar *text, global int *out, int n) {
  int i = 0, words = 0, i0 = get_global_id(0);
between:
  if (i >= n)
    goto done;
  if (text[i0 * n + i++] == ' ')
    goto between;
  ++words;
inside:
  if (i >= n)
    goto done;
  if (text[i0 * n + i++] != ' ')
    goto inside;
  goto between;
done:
  out[i0] = words;
  for (int j = 0; j < n; ++j)
    for (int k = j + 1; k < n; ++k)
      if (text[i0 * n + j] == text[i0 * n + k] && text[i0 * n + j] != ' ') {
        out[i0] += 100 * (j + 1);
        return;
      }
  out[i0] = -out[i0];
}

// Sorts with a stack of its own instead of recursion.
kernel void stack_sort(global int *data, int n) {
  int stack[32], top = 0;
  stack[top++] = 0;
  stack[top++] = n - 1;
  while (top) {
    int high = stack[--top], low = stack[--top];
    if (low >= high)
      continue;
    int pivot = data[(low + high) / 2], i = low - 1, j = high + 1;
    for (;;) {
      do
        ++i;
      while (data[i] < pivot);
      do
        --j;
      while (data[j] > pivot);
      if (i >= j)
        break;
      int held = data[i];
      data[i] = data[j];
      data[j] = held;
    }
    stack[top++] = low;
    stack[top++] = j;
    stack[top++] = j + 1;
    stack[top++] = high;
  }
}
