int ckpt_of_a_later_version(void);
int ckpt_later(void) { return ckpt_of_a_later_version(); }
