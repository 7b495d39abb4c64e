//: rc20 violation
//: cpp20 violation
// As rcu, without fences between announcing and looking.
name "rcu-weak";
domain 8;
const N = 2;
const ROUNDS = 2;
global ptr, online[N];
nonatomic node[3];

thread updater {
  local i, j;
  node[0] = 1;
  while (i < ROUNDS) {
    node[i + 1] = 1;
    ptr.store(i + 1, rel);
    j = 0;
    while (j < N) {
      wait(online[j] == 0, acq);
      j = j + 1;
    }
    node[i] = 0;
    i = i + 1;
  }
}

thread reader[N] {
  local i, p, r;
  while (i < ROUNDS) {
    online[me].store(1, rlx);
    p = ptr.load(acq);
    if (p != 0) {
      r = node[p];
      assert(r == 1);
    }
    online[me].store(0, rel);
    i = i + 1;
  }
}
