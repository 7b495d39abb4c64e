//: tso robust
//: pso violation shape=MP
//: pgas violation shape=MP
//: ra robust
//: rc20 violation kind=data-race location=node[3].value
//: cpp20 violation kind=data-race location=node[3].value
//: cpp20 consequence race
// As publish-list.fp, but the store of the head is relaxed: the reader may see the head and not
// what is behind it, so that plain accesses race.
name "publish-list-rlx";
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
  head.store(3, rlx);
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
