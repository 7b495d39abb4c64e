//: tso violation copies=1 shape=SB
//: pso violation copies=1 shape=SB
//: pgas violation copies=1 shape=SB
//: ra violation copies=1 shape=SB
//: rc20 robust
//: cpp20 robust
// The same with two readers at a time instead of seven. It is small enough to be decided by looking at
// three copies at a time, too.
name "grace-period-two";
domain 3;
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
    assume(n < 2);
    r = inside.cas(n, n + 1, sc, rlx);
    ok = r == n;
  }
  p = current.load(sc);
  r = object[p];
  r = inside.fsub(1, sc);
}
