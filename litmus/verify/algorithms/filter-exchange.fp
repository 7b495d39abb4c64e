//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso robust
//: pso robust
//: pgas robust
// The filter lock for three threads, once each, in which one becomes the victim of a level by an
// exchange. Of those at a level the last one to exchange knows the others' levels and waits, so
// one thread less gets to the next level. Not robust under release/acquire: a thread on the
// first level may take another for being there too which is on the second one already, and which
// does not see the first; it waits in either case. Victims are exchanged and levels have one
// writer each, so writes do not race and RA reaches what SRA reaches. RC20 knows no such
// theorem: it is safe there for the same reason, which the states of views show. Machines
// empty their buffers at the exchange; the light fence on the way out is for those with a buffer
// for each location.
name "filter-exchange";
domain 4;
const N = 3;
global level[N], victim[3], owner;

thread p[N] {
  local l, v, i, j, r;
  l = 1;
  while (l < N) {
    level[me].store(l, rel);
    victim[l].xchg(me, acqrel);
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
