name "relay";
domain 2;
global data, flag;

thread sender {
  while (1) {
    data.store(1, rel);
    flag.store(1, rel);
  }
}

thread receiver {
  local r;
  wait(flag == 1, acq);
  r = data.load(acq);
  assert(r == 1);
}
