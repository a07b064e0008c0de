int ckpt_nowhere(void);
int ckpt_needy(void) { return ckpt_nowhere(); }
