"""Data-parallel training over torch.distributed that survives a killed process: it resumes on another number of processes and
computes the same bits.

    torchrun --nproc_per_node 4 torch_ranks.py checkpoints        trains 30 steps, saves every 5, prints a digest of the weights
    torchrun --nproc_per_node 4 torch_ranks.py checkpoints 12     rank 1 is killed in step 12
    torchrun --nproc_per_node 2 torch_ranks.py checkpoints        resumes after step 10

The model is replicated; the momentum is sharded: each rank holds a part of it. A step's batch has eight parts. Their gradients are
added in a fixed order, whichever rank computed them, so the result does not depend on the number of ranks."""

import hashlib
import os
import signal
import sys

import ckpt
import ckpt.torch
import torch
import torch.distributed as dist

PARTS, SAMPLES, INPUTS, WIDTH, STEPS, EVERY = 8, 16, 12, 33, 30, 5


def batch(step, part):
    generator = torch.Generator().manual_seed(1000 * step + part)
    x = torch.randn(SAMPLES, INPUTS, generator=generator)
    return x, torch.sin(x.sum(1, keepdim=True))


def gradient(model, step, part):
    x, y = batch(step, part)
    loss = torch.nn.functional.mse_loss(model(x), y)
    return torch.cat([each.reshape(-1) for each in torch.autograd.grad(loss, list(model.parameters()))])


def main(folder, killed_in):
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(INPUTS, WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, 1))
    weights = torch.nn.utils.parameters_to_vector(model.parameters()).detach()
    begins = [weights.numel() * each // ranks for each in range(ranks + 1)]
    mine = slice(begins[rank], begins[rank + 1])
    momentum = torch.zeros(mine.stop - mine.start)

    step = 0
    coordinator = ckpt.torch.coordinator()
    with ckpt.CheckpointManager(folder, coordinator=coordinator, keep_last=2, timeout=60) as manager:
        state = ckpt.State({
            "model": {"weights": weights},
            "optimizer": {"momentum": ckpt.Sharded(weights.shape, "float32", {(mine.start,): momentum})},
        })
        try:
            loaded = manager.load(state)
        except ckpt.NotFoundError:
            pass  # there is no checkpoint yet
        else:
            step = loaded.step
            if rank == 0:
                print(f"resuming after step {step} of {loaded.world_size} ranks, on {ranks}", flush=True)

        own = PARTS // ranks
        while step < STEPS:
            step += 1
            torch.nn.utils.vector_to_parameters(weights, model.parameters())
            gradients = torch.stack([gradient(model, step, rank * own + each) for each in range(own)])
            if step == killed_in and rank == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            everyones = [torch.empty_like(gradients) for _ in range(ranks)]
            dist.all_gather(everyones, gradients)
            total = torch.zeros(mine.stop - mine.start)
            for part in torch.cat(everyones):
                total += part[mine]
            momentum.mul_(0.9).add_(total / PARTS)
            weights[mine] -= 0.1 * momentum
            for each in range(ranks):
                dist.broadcast(weights[begins[each]:begins[each + 1]], each)
            if step % EVERY == 0:
                manager.save(state, step)
    if rank == 0:
        print(f"weights {hashlib.sha256(weights.numpy().tobytes()).hexdigest()[:16]} after step {step}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    if len(sys.argv) < 2 or PARTS % int(os.environ.get("WORLD_SIZE", 0) or PARTS + 1):
        sys.exit("usage: torchrun --nproc_per_node 1, 2, 4 or 8 torch_ranks.py FOLDER [STEP]")
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else -1)
