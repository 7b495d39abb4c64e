domain 65536;
global mem_0;
global mem_1;
global mem_4;
global mem_5;

thread owner {
  local b, t, task, now;
  L0:
  choose {
    goto L1;
  } or {
    goto L24;
  }
  L1:
  fence(sc);
  goto L3;
  L3:
  b = mem_0.load(rlx);
  goto L5;
  L5:
  t = mem_1.load(rlx);
  goto L7;
  L7:
  if (int(b - (b > 32767) * 65536 - (t - (t > 32767) * 65536)) >= 2) goto L0;
  goto L9;
  L9:
  choose {
    goto L10;
  } or {
    goto L19;
  }
  L10:
  assume(int(b - (b > 32767) * 65536 & 1) == 0);
  goto L12;
  L12:
  mem_4.store(1, rlx);
  goto L14;
  L14:
  bound(int(b - (b > 32767) * 65536 + 1) <= 32767);
  goto L16;
  L16:
  mem_0.store(int(b - (b > 32767) * 65536 + 1), rlx);
  goto L18;
  L18:
  goto L0;
  L19:
  assume(int(b - (b > 32767) * 65536 & 1) == 1);
  goto L21;
  L21:
  mem_5.store(1, rlx);
  goto L23;
  L23:
  goto L14;
  L24:
  b = mem_0.load(rlx);
  goto L26;
  L26:
  bound(int(b - (b > 32767) * 65536 - 1) >= int(-32768));
  goto L28;
  L28:
  b = int(b - (b > 32767) * 65536 - 1);
  goto L30;
  L30:
  mem_0.store(int(b - (b > 32767) * 65536), rlx);
  goto L32;
  L32:
  fence(sc);
  goto L34;
  L34:
  t = mem_1.load(rlx);
  goto L36;
  L36:
  choose {
    goto L37;
  } or {
    goto L50;
  } or {
    goto L55;
  }
  L37:
  assume(int(b - (b > 32767) * 65536) > int(t - (t > 32767) * 65536));
  goto L39;
  L39:
  choose {
    goto L40;
  } or {
    goto L45;
  }
  L40:
  assume(int(b - (b > 32767) * 65536 & 1) == 0);
  goto L42;
  L42:
  task = mem_4.load(rlx);
  goto L44;
  L44:
  goto L0;
  L45:
  assume(int(b - (b > 32767) * 65536 & 1) == 1);
  goto L47;
  L47:
  task = mem_5.load(rlx);
  goto L49;
  L49:
  goto L0;
  L50:
  assume(int(b - (b > 32767) * 65536) < int(t - (t > 32767) * 65536));
  goto L52;
  L52:
  mem_0.store(int(t - (t > 32767) * 65536), rlx);
  goto L54;
  L54:
  goto L0;
  L55:
  assume(int(b - (b > 32767) * 65536) == int(t - (t > 32767) * 65536));
  goto L57;
  L57:
  choose {
    goto L58;
  } or {
    goto L72;
  }
  L58:
  atomic {
    goto L60;
    L60:
    now = mem_1.load(rlx);
    goto L62;
    L62:
    if (int(now - (now > 32767) * 65536) == int(t - (t > 32767) * 65536)) goto L64;
    goto L70;
    L64:
    bound(int(t - (t > 32767) * 65536 + 1) <= 32767);
    goto L66;
    L66:
    mem_1.store(int(t - (t > 32767) * 65536 + 1), rlx);
    goto L68;
    L68:
    assume(0);
    goto L68;
    L70:
  }
  goto L86;
  L72:
  atomic {
    goto L74;
    L74:
    now = mem_1.load(rlx);
    goto L76;
    L76:
    if (int(now - (now > 32767) * 65536) == int(t - (t > 32767) * 65536)) goto L80;
    goto L78;
    L78:
    assume(0);
    goto L78;
    L80:
    bound(int(t - (t > 32767) * 65536 + 1) <= 32767);
    goto L82;
    L82:
    mem_1.store(int(t - (t > 32767) * 65536 + 1), rlx);
    goto L84;
    L84:
  }
  goto L91;
  L86:
  bound(int(t - (t > 32767) * 65536 + 1) <= 32767);
  goto L88;
  L88:
  mem_0.store(int(t - (t > 32767) * 65536 + 1), rlx);
  goto L90;
  L90:
  goto L0;
  L91:
  goto L86;
}

thread thief1 {
  local t, b, task, now;
  L0:
  t = mem_1.load(rlx);
  goto L2;
  L2:
  b = mem_0.load(rlx);
  goto L4;
  L4:
  if (int(t - (t > 32767) * 65536) >= int(b - (b > 32767) * 65536)) goto L0;
  goto L6;
  L6:
  choose {
    goto L7;
  } or {
    goto L42;
  }
  L7:
  assume(int(t - (t > 32767) * 65536 & 1) == 0);
  goto L9;
  L9:
  task = mem_4.load(rlx);
  goto L11;
  L11:
  choose {
    goto L12;
  } or {
    goto L26;
  }
  L12:
  atomic {
    goto L14;
    L14:
    now = mem_1.load(rlx);
    goto L16;
    L16:
    if (int(now - (now > 32767) * 65536) == int(t - (t > 32767) * 65536)) goto L18;
    goto L24;
    L18:
    bound(int(t - (t > 32767) * 65536 + 1) <= 32767);
    goto L20;
    L20:
    mem_1.store(int(t - (t > 32767) * 65536 + 1), rlx);
    goto L22;
    L22:
    assume(0);
    goto L22;
    L24:
  }
  goto L40;
  L26:
  atomic {
    goto L28;
    L28:
    now = mem_1.load(rlx);
    goto L30;
    L30:
    if (int(now - (now > 32767) * 65536) == int(t - (t > 32767) * 65536)) goto L34;
    goto L32;
    L32:
    assume(0);
    goto L32;
    L34:
    bound(int(t - (t > 32767) * 65536 + 1) <= 32767);
    goto L36;
    L36:
    mem_1.store(int(t - (t > 32767) * 65536 + 1), rlx);
    goto L38;
    L38:
  }
  goto L41;
  L40:
  goto L0;
  L41:
  goto L0;
  L42:
  assume(int(t - (t > 32767) * 65536 & 1) == 1);
  goto L44;
  L44:
  task = mem_5.load(rlx);
  goto L46;
  L46:
  goto L11;
}

thread thief2 {
  local t, b, task, now;
  L0:
  t = mem_1.load(rlx);
  goto L2;
  L2:
  b = mem_0.load(rlx);
  goto L4;
  L4:
  if (int(t - (t > 32767) * 65536) >= int(b - (b > 32767) * 65536)) goto L0;
  goto L6;
  L6:
  choose {
    goto L7;
  } or {
    goto L42;
  }
  L7:
  assume(int(t - (t > 32767) * 65536 & 1) == 0);
  goto L9;
  L9:
  task = mem_4.load(rlx);
  goto L11;
  L11:
  choose {
    goto L12;
  } or {
    goto L26;
  }
  L12:
  atomic {
    goto L14;
    L14:
    now = mem_1.load(rlx);
    goto L16;
    L16:
    if (int(now - (now > 32767) * 65536) == int(t - (t > 32767) * 65536)) goto L18;
    goto L24;
    L18:
    bound(int(t - (t > 32767) * 65536 + 1) <= 32767);
    goto L20;
    L20:
    mem_1.store(int(t - (t > 32767) * 65536 + 1), rlx);
    goto L22;
    L22:
    assume(0);
    goto L22;
    L24:
  }
  goto L40;
  L26:
  atomic {
    goto L28;
    L28:
    now = mem_1.load(rlx);
    goto L30;
    L30:
    if (int(now - (now > 32767) * 65536) == int(t - (t > 32767) * 65536)) goto L34;
    goto L32;
    L32:
    assume(0);
    goto L32;
    L34:
    bound(int(t - (t > 32767) * 65536 + 1) <= 32767);
    goto L36;
    L36:
    mem_1.store(int(t - (t > 32767) * 65536 + 1), rlx);
    goto L38;
    L38:
  }
  goto L41;
  L40:
  goto L0;
  L41:
  goto L0;
  L42:
  assume(int(t - (t > 32767) * 65536 & 1) == 1);
  goto L44;
  L44:
  task = mem_5.load(rlx);
  goto L46;
  L46:
  goto L11;
}
