//: tso robust states=0
//: pso robust states=0
//: pgas robust states=0
//: ra robust states=8
//: rc20 violation kind=data-race location=data states=7
//: cpp20 violation kind=data-race location=data states=7
// Two readers of non-atomic data and a writer that is told by the second reader only (Margalit and
// Lahav 2021, example 6.3). The first reader told the second by a relaxed flag, so its read may
// race with the write. A detector that remembers the last reader only would miss it.
name "na-read-missed";
domain 4;
global flag;
nonatomic data;

thread first {
  local r;
  r = data;
  flag.store(1, rlx);
}

thread second {
  local r;
  wait(flag == 1, rlx);
  r = data;
  flag.store(2, rel);
}

thread writer {
  wait(flag == 2, acq);
  data = 1;
}
