//: tso violation copies=1 shape=SB
//: pso violation copies=1 shape=SB
//: pgas violation copies=1 shape=SB
//: ra violation copies=1 shape=SB
//: rc20 violation copies=1 shape=SB
//: cpp20 violation copies=1 shape=SB
// The same with release and acquire only. The writer may find nobody inside although a reader has
// counted itself in, and the reader may find the old object: store buffering.
name "grace-period-acquire";
domain 8;
global current = 1, inside;
nonatomic object[3];

thread writer {
  object[2] = 1;
  current.store(2, rel);
  wait(inside == 0, acq);
  object[1] = 0;
}

thread reader[*] {
  local r, n, p, ok;
  while (!ok) {
    n = inside.load(rlx);
    assume(n < 7);
    r = inside.cas(n, n + 1, acqrel, rlx);
    ok = r == n;
  }
  p = current.load(acq);
  r = object[p];
  r = inside.fsub(1, acqrel);
}
