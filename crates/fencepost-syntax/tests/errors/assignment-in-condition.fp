global x;
thread t {
  local r;
  if (r = 1) { skip; }
}
