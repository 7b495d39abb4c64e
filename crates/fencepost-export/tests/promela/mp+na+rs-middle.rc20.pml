/* mp+na+rs-middle, exported by fencepost.
   SPIN finds no assertion violated iff: mp+na+rs-middle is robust against rc20.
     spin -a FILE && gcc -O2 -DSAFETY -DNOCLAIM -o pan pan.c && ./pan -E -m1000000
   A search that reports "max search depth too small" proves nothing: enlarge -m. */
/* Failures of the program itself are no violations of robustness: spin -DCHECK_ASSERTIONS -a FILE reports them too. */
#ifdef CHECK_ASSERTIONS
#define FAIL assert(false);
#else
#define FAIL
#endif

unsigned m_flag_0 : 2;
bit m_data_1;
hidden int mask0;
bit vsc0 = 1;
bit vsc1 = 1;
bit vsc2 = 1;
bit msc0 = 1;
bit wsc0 = 1;
unsigned v_c0 : 6;
unsigned v_c1 : 6;
unsigned v_c2 : 6;
unsigned v_none : 6;
unsigned v_w0 : 6;
unsigned vrmw_c0 : 3;
unsigned vrmw_c1 : 3;
unsigned vrmw_c2 : 3;
unsigned vrmw_none : 3;
unsigned vrmw_w0 : 3;

active proctype t0_producer() {
  goto L0;
L0: /* store data */
  if
  :: d_step {
      assert(!((v_c0 & 56) != 0));
      v_c0 = v_c0 & ~56;
      v_c1 = v_c1 | 56;
      v_c2 = v_c2 | 56;
      v_none = v_none | 56;
      v_w0 = v_w0 | 56;
      m_data_1 = 1;
    };
    goto L1
  fi;
L1: /* store flag */
  if
  :: d_step {
      assert(!((vsc0 & 1) != 0 && (vrmw_c0 & 7) != 0));
      vsc0 = vsc0 | msc0;
      msc0 = vsc0;
      wsc0 = vsc0;
      vsc1 = vsc1 & ~1;
      vsc2 = vsc2 & ~1;
      v_c0 = v_c0 & ~7;
      mask0 = (m_flag_0 < 2 -> (m_flag_0 < 1 -> 1 : 2) : (m_flag_0 < 3 -> 4 : 0));
      v_c1 = v_c1 | mask0;
      v_c2 = v_c2 | mask0;
      v_none = v_none | mask0;
      v_w0 = v_c0;
      v_w0 = v_w0 & ~7;
      vrmw_c0 = vrmw_c0 & ~7;
      mask0 = (m_flag_0 < 2 -> (m_flag_0 < 1 -> 1 : 2) : (m_flag_0 < 3 -> 4 : 0));
      vrmw_c1 = vrmw_c1 | mask0;
      vrmw_c2 = vrmw_c2 | mask0;
      vrmw_none = vrmw_none | mask0;
      vrmw_w0 = vrmw_c0;
      vrmw_w0 = vrmw_w0 & ~7;
      m_flag_0 = 1;
    };
    goto end
  fi;
end:
  false
}

active proctype t1_updater() {
  bit r_r_0;
  goto L0;
L0: /* blocking compare and swap flag */
  if
  :: d_step {
      ((vsc1 & 1) != 0 && (vrmw_c1 & 2) != 0);
      assert(false);
    };
    goto end
  :: d_step {
      m_flag_0 == 1;
      vsc1 = vsc1 | msc0;
      msc0 = vsc1;
      wsc0 = vsc1;
      vsc0 = vsc0 & ~1;
      vsc2 = vsc2 & ~1;
      v_c1 = v_c1 & ~7;
      mask0 = (m_flag_0 < 2 -> (m_flag_0 < 1 -> 1 : 2) : (m_flag_0 < 3 -> 4 : 0));
      v_c0 = v_c0 | mask0;
      v_c2 = v_c2 | mask0;
      v_none = v_none | mask0;
      v_w0 = v_w0 & v_none;
      v_w0 = v_w0 & ~7;
      vrmw_c1 = vrmw_c1 & ~7;
      vrmw_w0 = vrmw_w0 & vrmw_none;
      vrmw_w0 = vrmw_w0 & ~7;
      m_flag_0 = 2;
    };
    goto L1
  fi;
L1: /* load data */
  if
  :: d_step {
      assert(!((v_c1 & 16) != 0));
      v_c1 = v_c1 & ~16;
      v_c0 = v_c0 | 16;
      v_c2 = v_c2 | 16;
      v_none = v_none | 16;
      v_w0 = v_w0 | 16;
      r_r_0 = m_data_1;
      r_r_0 = 0;
    };
    goto end
  fi;
end:
  false
}

active proctype t2_consumer() {
  bit r_r_0;
  goto L0;
L0: /* wait flag */
  if
  :: d_step {
      ((vsc2 & 1) != 0 && (v_c2 & 4) != 0);
      assert(false);
    };
    goto end
  :: d_step {
      m_flag_0 == 2;
      msc0 = msc0 | vsc2;
      vsc2 = vsc2 | wsc0;
      v_c2 = v_c2 & ~7;
      v_c2 = v_c2 & v_w0;
      vrmw_c2 = vrmw_c2 & ~7;
      vrmw_c2 = vrmw_c2 & vrmw_w0;
    };
    goto L1
  fi;
L1: /* load data */
  if
  :: d_step {
      assert(!((v_c2 & 32) != 0));
      v_c2 = v_c2 & ~32;
      v_c0 = v_c0 | 32;
      v_c1 = v_c1 | 32;
      v_none = v_none | 32;
      v_w0 = v_w0 | 32;
      r_r_0 = m_data_1;
      r_r_0 = 0;
    };
    goto end
  fi;
end:
  false
}
