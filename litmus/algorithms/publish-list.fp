//: tso robust
//: pso violation shape=MP
//: pgas violation shape=MP
//: ra robust
//: rc20 robust
//: cpp20 robust
// A list is built from plain nodes and published by one release store of its head; the reader
// walks along it. Buffers per location (pso, pgas) let the head overtake the nodes.
name "publish-list";
domain 8;
global head;
struct node[4] {
  nonatomic next, value;
}

thread writer {
  for (local n = 1; n < 4; n = n + 1) {
    node[n].value = n;
    node[n].next = n - 1;
  }
  head.store(3, rel);
}

thread reader {
  local n, v, sum;
  n = wait(head != 0, acq);
  for (; n != 0; n = node[n].next) {
    v = node[n].value;
    sum = sum + v;
  }
  assert(sum == 6);
}
