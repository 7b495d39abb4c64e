domain 2;
global mem_0;
global mem_1;

thread left {
  local r;
  mem_0.store(1, rlx);
  r = mem_1.load(rlx);
}

thread right {
  local r;
  mem_1.store(1, rlx);
  r = mem_0.load(rlx);
}
