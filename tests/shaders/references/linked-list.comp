// Linked lists of addresses: each lane builds nodes, then walks the list from its own node.
//! size 32
//! groups 1
//! let order = [int(x) for x in np.random.default_rng(5).permutation(32)]
//! in int next_ = order
//! raw uint64_t nodes @9.1 = np.zeros(64) -> anything
//! let walk = lambda i, n: i + walk(order[i], n - 1) if n else 0
//! out int r = [walk(i, 10) for i in range(32)]
//! push nodes = "nodes"
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; int value; };
layout(push_constant) uniform P { Node nodes; };
void main() {
  Node mine = nodes + I;
  mine.value = int(I);
  mine.next = nodes + next_[I];
  memoryBarrierBuffer();
  barrier();
  int s = 0;
  for (int k = 0; k < 10; k++) {
    s += mine.value;
    mine = mine.next;
  }
  r[I] = s;
}
