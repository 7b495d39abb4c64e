//: tso violation shape=SB states=1219
//: pso violation shape=SB states=1252
//: pgas violation shape=SB states=1252
//: ra violation shape=SB states=124
//: rc20 violation shape=S states=124
//: cpp20 violation shape=S states=124
// Lamport's fast mutual exclusion (1987, first algorithm, where the delay has no meaning) for three threads, without
// fences. Figure 7 of "Locality and singularity": "Lamport (non-robust)", not robust, and so it is.
name "lamport";
domain 4;
global x, y;

thread p[3] {
  local r;
  while (1) {
    start:
    x.store(me + 1, rlx);
    r = y.load(rlx);
    if (r != 0) goto start;
    y.store(me + 1, rlx);
    r = x.load(rlx);
    if (r != me + 1) {
      r = y.load(rlx);
      if (r != me + 1) goto start;
    }
    y.store(0, rlx);
  }
}
