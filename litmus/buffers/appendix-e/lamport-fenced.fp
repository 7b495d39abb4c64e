//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra violation shape=WRW+WR states=2746
//: rc20 violation shape=S states=457
//: cpp20 violation shape=S states=124
// Lamport's fast mutual exclusion (1987, first algorithm, where the delay has no meaning) for three threads, with a fence
// after each store. Figure 7 of "Locality and singularity": "Lamport (robust)", robust by the table; it is, and
// looking at the control flow is enough to know.
name "lamport-fenced";
domain 4;
global x, y;

thread p[3] {
  local r;
  while (1) {
    start:
    x.store(me + 1, rlx);
    fence(sc);
    r = y.load(rlx);
    if (r != 0) goto start;
    y.store(me + 1, rlx);
    fence(sc);
    r = x.load(rlx);
    if (r != me + 1) {
      r = y.load(rlx);
      if (r != me + 1) goto start;
    }
    y.store(0, rlx);
    fence(sc);
  }
}
