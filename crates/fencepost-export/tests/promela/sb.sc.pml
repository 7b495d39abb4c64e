/* sb, exported by fencepost.
   SPIN finds no assertion violated iff: under sequential consistency, no assertion of the program fails.
     spin -a FILE && gcc -O2 -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -E -m1000000
   A search that reports "max search depth too small" proves nothing: enlarge -m. */
#define FAIL assert(false);

bit m_x_0;
bit m_y_1;

active proctype t0_left() {
  bit r_r_0;
  goto L0;
L0: /* store x */
  if
  :: d_step {
      m_x_0 = 1;
    };
    goto L1
  fi;
L1: /* load y */
  if
  :: d_step {
      r_r_0 = m_y_1;
      r_r_0 = 0;
    };
    goto end
  fi;
end:
  false
}

active proctype t1_right() {
  bit r_r_0;
  goto L0;
L0: /* store y */
  if
  :: d_step {
      m_y_1 = 1;
    };
    goto L1
  fi;
L1: /* load x */
  if
  :: d_step {
      r_r_0 = m_x_0;
      r_r_0 = 0;
    };
    goto end
  fi;
end:
  false
}
