//: tso violation copies=1 shape=SB
//: pso violation copies=1 shape=SB
//: pgas violation copies=1 shape=SB
//: ra violation copies=1 shape=SB
//: rc20 robust
//: cpp20 robust
// Readers in the manner of RCU, any number of them: each counts itself in, uses what it finds
// published, and counts itself out. The writer publishes a new object, and frees the old one when it
// has seen that nobody is inside. The count is modulo 8; seven readers at a time are let in.
name "grace-period";
domain 8;
global current = 1, inside;
nonatomic object[3];

thread writer {
  object[2] = 1;
  current.store(2, sc);
  wait(inside == 0, sc);
  object[1] = 0;
}

thread reader[*] {
  local r, n, p, ok;
  while (!ok) {
    n = inside.load(rlx);
    assume(n < 7);
    r = inside.cas(n, n + 1, sc, rlx);
    ok = r == n;
  }
  p = current.load(sc);
  r = object[p];
  r = inside.fsub(1, sc);
}
