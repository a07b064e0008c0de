import ckpt
import numpy as np

weights = np.zeros(1000, np.float32)
with ckpt.CheckpointManager("run", keep_last=2) as run:
    state = ckpt.State({"weights": weights})  # shares the array: a load fills it in place
    last = run.load_if_any(state)  # the newest valid checkpoint, every byte verified
    step = last.step + 1 if last else 1
    weights += 1  # train
    run.save(state, step)  # durable when it returns
print(f"step {step} is on the disk: {weights[0]:g}")
