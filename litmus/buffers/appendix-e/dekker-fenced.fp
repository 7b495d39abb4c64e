//: tso robust states=0
//: pso violation shape=S states=90
//: pgas violation shape=S states=90
//: ra robust states=1252
//: rc20 violation shape=S states=100
//: cpp20 violation shape=S states=53
// Dekker's mutual exclusion with two fences in each thread: before it looks at the other's flag, and between lowering the own
// flag and polling the turn (a poll that comes too early is harmless, but a behaviour that SC does not have). Robust against TSO. Figure 7 of
// "Locality and singularity" has it as "Dekker (robust)", and not robust by the table, which is about PGAS: after
// the critical section the flag can be lowered before the turn is passed.
name "dekker-fenced";
domain 2;
global flag[2], turn;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rlx);
    look:
    fence(sc);
    r = flag[1 - me].load(rlx);
    if (r == 1) {
      r = turn.load(rlx);
      if (r != me) {
        flag[me].store(0, rlx);
        fence(sc);
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
