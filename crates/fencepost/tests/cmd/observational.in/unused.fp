// A relaxed flag and relaxed data: the data may be old although the flag is new.
domain 2;
global data, flag;
thread producer {
  data.store(1, rlx);
  flag.store(1, rlx);
}
thread consumer {
  local f, d;
  f = flag.load(rlx);
  d = data.load(rlx);
}
