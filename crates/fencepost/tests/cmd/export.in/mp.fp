domain 4;
global data, flag;

thread producer {
  data.store(1);
  flag.store(1);
}

thread consumer {
  local d;
  wait(flag == 1);
  d = data.load();
  assert(d == 1);
}
