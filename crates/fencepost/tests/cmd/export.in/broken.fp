global x;
thread t {
  x.stor(1);
  y.load();
}
