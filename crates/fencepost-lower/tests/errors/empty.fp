global x;
