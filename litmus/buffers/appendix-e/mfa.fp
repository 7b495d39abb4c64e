//: tso violation shape=RWC states=76
//: pso violation shape=RWC states=57
//: pgas violation shape=RWC states=57
//: ra violation shape=RWC states=32
//: rc20 violation shape=RWC states=32
//: cpp20 violation shape=RWC states=32
// Two stores to one location wait in the buffer, and a third thread sees the location before the first and between
// the two. Figure 7 of "Locality and singularity" has a program like it as mfa.txt: not robust. Nor is this one:
// the load of the flag overtakes both stores, and both are seen after the flag.
name "mfa";
domain 3;
global flag, data;

thread raise {
  flag.store(1, rlx);
}

thread write {
  local r;
  data.store(2, rlx);
  data.store(1, rlx);
  r = flag.load(rlx);
  assume(r == 0);
}

thread watch {
  local r;
  r = flag.load(rlx);
  assume(r == 1);
  r = data.load(rlx);
  assume(r == 0);
  r = data.load(rlx);
  assume(r == 2);
}
