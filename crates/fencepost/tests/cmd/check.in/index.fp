domain 8;
global a[2];
thread t {
  local r = 5;
  a[r].store(1);
}
