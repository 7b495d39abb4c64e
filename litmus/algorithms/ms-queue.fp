//: tso robust
//: pso robust
//: pgas robust
//: ra robust
//: rc20 robust
//: cpp20 robust
// The queue of Michael and Scott (PODC 1996): a list with a dummy node at its head. A node is
// linked behind the last one, then `tail` moves on; who finds `tail` behind helps. Nodes are used
// once.
name "ms-queue";
domain 4;

// Nodes are 1 to 3, 0 is none; 1 is the dummy.
struct queue { global head = 1, tail = 1; }
struct node[4] {
  global next;
  nonatomic value;
}

proc enqueue(n, v) {
  local last, next, seen;
  node[n].value = v;
  for (;;) {
    last = queue.tail.load(acq);
    next = node[last].next.load(acq);
    if (next != 0) {
      queue.tail.cas(last, next, acqrel, rlx);
      continue;
    }
    seen = node[last].next.cas(0, n, acqrel, rlx);
    if (seen == 0) {
      queue.tail.cas(last, n, acqrel, rlx);
      return;
    }
  }
}

proc dequeue() {
  local first, next, seen, v;
  for (;;) {
    first = queue.head.load(acq);
    next = node[first].next.load(acq);
    if (next == 0) return 0;
    seen = queue.head.cas(first, next, acqrel, rlx);
    if (seen == first) {
      v = node[next].value;
      return v;
    }
  }
}

thread left {
  local v;
  enqueue(2, 1);
  v = dequeue();
  assert(v != 0);
}

thread right {
  local v;
  enqueue(3, 2);
  v = dequeue();
  assert(v != 0);
}
