//: sc safe
//: sra racy
//: ra racy
//: rc20 racy
//: cpp20 racy
//: tso safe
//: pso safe
//: pgas safe
//: ra violation
//: rc20 violation
//: cpp20 violation
//: tso violation
//: pso violation
//: pgas violation
// Dekker's entry without fences around plain data, tried again and again: both threads may find
// the other one idle, by reading its flag of before. Under SC they are never inside together; SRA,
// RA and RC20 have the race. To machines the data are a location like others, and nothing is
// asserted of it; the fence at the end of a round, which is of no use, keeps their buffers short.
name "dekker-plain";
domain 2;
global flag[2];
nonatomic data;

thread p[2] {
  local r;
  while (1) {
    flag[me].store(1, rel);
    r = flag[1 - me].load(acq);
    if (r == 0) {
      data = me;
    }
    flag[me].store(0, rel);
    fence(sc);
  }
}
