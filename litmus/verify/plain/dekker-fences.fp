//: sc safe
//: sra safe
//: ra safe
//: rc20 safe
//: cpp20 safe
//: tso safe
//: pso safe
//: pgas safe
//: ra robust
//: rc20 robust
//: cpp20 robust
//: tso robust
//: pso robust
//: pgas robust
// dekker-plain with fences, which order the entries: who comes second sees the flag of the first.
// Who enters after the other one has left has read that in its flag. SRA decides it, and RA, where no two
// writes race either; it is robust besides, so RC20 is no question. The light fence keeps data in front of the
// flag where each location has its buffer.
name "dekker-fences";
domain 2;
global flag[2];
nonatomic data;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rel);
    fence(sc);
    r = flag[1 - me].load(acq);
    if (r == 0) {
      data = me;
    }
    lwfence();
    flag[me].store(0, rel);
  }
}
