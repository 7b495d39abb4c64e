//: ra safe
/* Every construct
   of the language. */
name "everything \"quoted\"";
domain 4;
const N = 2;
const M = N * (N + 1) - 0x1;
global x, y = 1, a[N], b[3] = 3, c[2] = {1, 2};
nonatomic d, e[2]; // plain
struct node[3] {
  global next = 1, prev = {2, 0, 1}; // atomic
  nonatomic value;
}
struct queue { global head, slot[2] = {1, 2}; nonatomic sum; }

proc lock(l) { l.bcas(0, 1, acqrel); }
proc unlock(l) {
  l.store(0, rel);
}
proc twice(l, v) {
  local old;
  old = l.fadd(v, acq);
  lock(l);
  again:
  if (old == v) goto again;
}

proc pop(q) {
  local h;
  for (local i = 0; i < 2; i = i + 1) {
    h = q.head.load();
    if (h == i) return h;
    if (i == 1) continue;
  }
  for (h = q.slot[0].load(); h; h = node[h].next.load(rlx)) /* walk */ { if (h == 3) { break; } }
  return h + 1;
}
proc link(n, to) {
  if (to == 0) return;
  n.next.store(to);
  return;
}

thread t1 {
  local r, s = 1;
  x.store(1, rlx);
  r = y.load(acq);
  x.load();
  r = x.fadd(1, acqrel);
  r = x.fsub(1); r = x.fand(1, sc); r = x.for(1, rel); x.fxor(1);
  r = x.xchg(2, rel);
  r = x.cas(0, 1, acqrel, rlx);
  r = x.casw(0, 1, rel);
  x.cas(r, s + 1);
  wait(x == 1, acq); /* a comment behind */
  wait(r + 1 <= a[r % N]);
  r = wait(x == 1 || x == 3 || x > r, rlx);
  x.bcas(0, 1);
  fence(sc); fence(acq); fence(rel); fence(acqrel);
  lwfence(x, a, c[1]);
  lwfence();
  lwfence;
  d = r; r = d;
  e[1] = r + 1;
  r = e[r % 2];
  a[r % N].store(/* what */ 1);
  if (r == 1) { s = 1; } else if (!r || ~r == 3 && -r < 2) { s = 2; } else { s = r << 1 >> 1 ^ 3 & 2 | 1; }
  if (r) s = 0; else skip;
  while (r < 3) { r = r + 1; if (r == 2) break; continue; }
  do { r = int((r + 3) / 2); } while (r == wrap(s));
  choose { s = 1; } or { } or { goto done; }
  r = nondet(0, 2);
  lock(x); unlock(x);
  twice(a[r % 2], 1);
  twice(a[0], r);
  { local inner = r; inner = inner / 1; }
  r = pop(queue); pop(queue);
  link(node[r % 3], 2);
  node[0].value = r; r = node[r % 3].value;
  queue.slot[r % 2].xchg(1); queue.sum = 1;
  lwfence(node[1].next, queue, queue.slot, node);
  for (local i = 3; ; ) { if (i == 0) break; i = i - 1; }
  for (; r < 2; r = r + 1) skip;
  assume(r != 2);
  assert(r == 0);
  verify(r);
  skip;
  done:
}

thread worker[M - 2] {
  local r;
  r = me;
  if (r == 3) return;
  a[me % N].store(r, sc);
}
