//: tso violation shape=SB states=91
//: pso violation shape=SB states=95
//: pgas violation shape=SB states=95
//: ra violation shape=SB states=12
//: rc20 violation shape=SB states=12
//: cpp20 violation shape=SB states=12
// Dekker's mutual exclusion without fences. Figure 7 of "Locality and singularity": "Dekker (non-robust)", not robust,
// which it is against no machine with store buffers.
name "dekker";
domain 2;
global flag[2], turn;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rlx);
    look:
    r = flag[1 - me].load(rlx);
    if (r == 1) {
      r = turn.load(rlx);
      if (r != me) {
        flag[me].store(0, rlx);
        do {
          r = turn.load(rlx);
        } while (r != me);
        flag[me].store(1, rlx);
      }
      goto look;
    }
    turn.store(1 - me, rlx);
    flag[me].store(0, rlx);
  }
}
