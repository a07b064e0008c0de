int ckpt_nowhere(void) { return 3; }
