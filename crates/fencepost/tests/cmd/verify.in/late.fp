name "late";
domain 1024;
global x, flag;
nonatomic data;

thread sender {
  local r;
  while (r < 600) {
    x.store(r, rlx);
    r = r + 1;
  }
  flag.store(1, rlx);
  data = 1;
}

thread receiver {
  local v;
  wait(flag == 1, rlx);
  v = data;
}
