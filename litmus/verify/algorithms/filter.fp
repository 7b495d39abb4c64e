//: sc safe
//: sra assertion-fails
//: ra assertion-fails
//: rc20 assertion-fails
//: cpp20 assertion-fails
//: tso assertion-fails
//: pso assertion-fails
//: pgas assertion-fails
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// The filter lock (Peterson 1981) for three threads, each of which enters once. Without fences a
// thread passes a level because it does not see that others are there: store buffering.
name "filter";
domain 4;
const N = 3;
global level[N], victim[3], owner;

thread p[N] {
  local l, v, i, j, r;
  l = 1;
  while (l < N) {
    level[me].store(l, rel);
    victim[l].store(me, rel);
    do {
      i = level[int((me + 1) % N)].load(acq);
      j = level[int((me + 2) % N)].load(acq);
      v = victim[l].load(acq);
    } while ((i >= l || j >= l) && v == me);
    l = l + 1;
  }
  owner.store(me, rlx);
  r = owner.load(rlx);
  assert(r == me);
  lwfence();
  level[me].store(0, rel);
}
