struct node[4] {
  global next, prev = {1, 2, 3};
  nonatomic value, next;
  global slots[2];
}
struct queue { global head, slot[2] = {1, 2}, tail = {1}; nonatomic sum; }
struct empty {}
struct queue[2] { global x; }
global x, a[2];
proc head(q) { local r; r = q.head.load(); return r; }
proc next(n) { local r; r = n.next.load(); return r; }
thread t {
  local r, node;
  r = node[0].next.load();
}
thread u {
  local r;
  r = node[1].next.load();
  node[1].next.store(2);
  node[4].next.load();
  node.next.load();
  node[1].load();
  node.load();
  queue.load();
  queue[0].head.load();
  queue.haed.load();
  queue.zzz.load();
  queue.slot.load();
  queue.slot[2].load();
  queue.head[0].load();
  queue.head = 1;
  queue.sum.load();
  queue.sum = 1;
  r = queue.sum;
  r = node[r].value;
  node[r].value = node[r].value;
  x.head.load();
  r.head.load();
  a[0].head.load();
  r = queue.sum + 1;
  r = node[0] + 1;
  r = head(queue);
  r = head(node);
  r = next(node[1]);
  r = next(node);
  r = next(node[r]);
  r = next(node[7]);
  r = next(queue);
  wait(queue.head == 1);
  wait(node[1].next == queue.head);
  lwfence(queue, node, node[1], node[1].next, node[r].next);
  queue = 1;
  r = queue;
}
