#error "libckpt includes a header of the surrounding project"
