import ckpt
import numpy as np

weights = np.zeros(1000, np.float32)
with ckpt.CheckpointManager("run", keep_last=2) as run, ckpt.AsyncManager(run) as saves:
    state = ckpt.State({"weights": weights})  # shares the array: a load fills it in place
    last = run.load_if_any(state)  # the newest that is whole, every byte verified
    first = last.step if last else 0
    for step in range(first + 1, first + 101):
        weights += 1  # train
        if step % 10 == 0:
            saves.save(state, step)  # is written in the background; the array may change at once
print(f"step {step}: {weights[0]:g}")
