name "relay-rlx";
domain 2;
global data, flag;

thread sender {
  while (1) {
    data.store(1, rlx);
    flag.store(1, rlx);
  }
}

thread receiver {
  local r;
  wait(flag == 1, rlx);
  r = data.load(rlx);
  assert(r == 1);
}
