// Control flow that no merge instruction describes.
kernel void nested_loops(global int *out, global const int *a, int n) {
  int i = get_global_id(0), sum = 0;
  for (int x = 0; x < n; ++x) {
    if (a[x] == i)
      continue;
    for (int y = x; y < n; ++y) {
      if (a[y] > 40)
        break;
      sum += a[y] * (i + 1);
      if (sum > 5000)
        goto done;
    }
    sum ^= x;
  }
done:
  out[i] = sum;
}
kernel void early_return(global int *out, global const int *a, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  int x = a[i];
  while (x > 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    if (x == 5)
      return;
  }
  out[i] = x + i;
}
kernel void fall_through(global int *out, global const int *a) {
  int i = get_global_id(0), x = 0;
  switch (a[i] % 7) {
  case 0:
    x = 10;
  case 1:
    x += 5;
    break;
  case 2:
  case 3:
    x = i;
    if (i & 1)
      break;
  case 4:
    x -= 3;
    break;
  default:
    x = -1;
  }
  out[i] = x;
}
kernel void switch_in_loop(global int *out, global const int *a, int n) {
  int i = get_global_id(0), state = i % 4, sum = 0;
  for (int k = 0; k < n; ++k) {
    switch (state) {
    case 0:
      state = 1 + (a[k] & 1);
      continue;
    case 1:
      sum += a[k];
      state = 3;
      break;
    case 2:
      if (a[k] > 30)
        goto out;
      state = 0;
      break;
    default:
      sum += 2;
      state = 2;
    }
    sum += k;
  }
out:
  out[i] = sum * 4 + state;
}
kernel void short_circuit(global int *out, global const int *a, int n) {
  int i = get_global_id(0), x = a[i];
  bool first = x > 10 && a[(i + 1) % n] < 20 || x < 3 && (i & 1);
  out[i] = first ? x * 2 : (x > 5 || i > 7) ? x - 1 : 0;
}
kernel void do_while(global int *out, global const int *a) {
  int i = get_global_id(0), x = a[i], steps = 0;
  do {
    x = x * 5 % 37;
    ++steps;
  } while (x != 1 && steps < 40);
  out[i] = steps;
}
// A loop with two entries, which structured languages cannot express.
kernel void irreducible(global int *out, global const int *a) {
  int i = get_global_id(0), x = a[i], n = 0;
  if (x & 1)
    goto odd;
even:
  x /= 2;
  n += 1;
  if (x == 0)
    goto end;
  if ((x & 1) == 0)
    goto even;
odd:
  x = x - 1;
  n += 100;
  if (n < 2000)
    goto even;
end:
  out[i] = n;
}
kernel void barrier_in_loop(global int *out, global const int *a, local int *t, int n) {
  int l = get_local_id(0), size = get_local_size(0), i = get_global_id(0);
  int sum = a[i];
  for (int k = 0; k < n; ++k) {
    t[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += t[(l + k + 1) % size];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == k)
      sum = 0;
  }
  out[i] = sum;
}
kernel void return_before_barrier(global int *out, local int *t, int n) {
  int g = get_group_id(0), l = get_local_id(0);
  if (g >= n)
    return;
  t[l] = l * g;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = t[get_local_size(0) - 1 - l];
}
kernel void carried(global float *out, global const float *a, int n) {
  int i = get_global_id(0);
  float best = -1.0f, last = 0.0f;
  int where = -1;
  for (int k = 0; k < n; ++k) {
    float x = a[(k * 7 + i) % n];
    if (x > best) {
      last = best;
      best = x;
      where = k;
    } else if (x == last)
      break;
  }
  out[i] = best * 100 + where + last;
}
int gcd(int a, int b) {
  while (b) {
    int t = a % b;
    a = b;
    b = t;
  }
  return a;
}
kernel void called(global int *out, global const int *a) {
  int i = get_global_id(0);
  int x = gcd(a[i], i + 6);
  out[i] = x > 2 ? gcd(x, 12) : -x;
}
// Barriers that a workgroup reaches only if its lanes do not diverge.
int turned(local int *t, int x) {
  int l = get_local_id(0), size = get_local_size(0);
  t[l] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  x = t[size - 1 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  return x;
}
kernel void barriers_not_reached(global int *out, global const int *a, global const int *flags,
                                 local int *t) {
  int l = get_local_id(0), i = get_global_id(0), flag = flags[get_group_id(0)];
  int x = a[i];
  if (l & flag)
    x += 1;
  else if (flag == 0)
    x = turned(t, x);
  else
    x = -x;
  switch (l & flag) {
  case 0:
    if (flag == 0)
      x = turned(t, x);
    x *= 3;
  case 2:
    x ^= 5;
    break;
  default:
    if (l % 3 == 0) {
      out[i] = x;
      return;
    }
    x += 9;
  }
  int turns = flag == 0 ? 3 : l % 5;
  for (int k = 0; k < turns; ++k) {
    if ((l & flag) == 0 && flag == 0)
      x = turned(t, x) + k;
    else if (l & 1)
      continue;
    x += 2;
  }
  out[i] = x;
}
