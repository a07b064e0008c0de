"""Computes the gradient of a time-stepping code under schedules: 400 steps of the viscous Burgers equation, too many to keep all
states. Revolve keeps ten states; mixed keeps ten states or recordings; two-level keeps four states in memory and others in a file,
through numpy.memmap. All run the same steps, so their gradients are equal to the last bit; finite differences confirm the
gradient."""

import tempfile
from pathlib import Path

import ckpt
import numpy as np
from ckpt import DriveFlag

POINTS, STEPS = 64, 400
WIDTH, TIME_STEP, VISCOSITY = 1.0 / POINTS, 1e-3, 5e-3


# ---- The model: u_t + u u_x = viscosity u_xx on a ring, in central differences and Heun's steps ----

def slope(u):
    before, behind = np.roll(u, 1), np.roll(u, -1)
    return -(behind * behind - before * before) / (4 * WIDTH) + VISCOSITY * (behind - 2 * u + before) / WIDTH**2


def slope_backward(u, of_slope):
    """Returns the gradient of u from the gradient of the slope at u."""
    before, behind = np.roll(of_slope, 1), np.roll(of_slope, -1)
    return u * (behind - before) / (2 * WIDTH) + VISCOSITY * (behind - 2 * of_slope + before) / WIDTH**2


def run_step(u):
    """Returns the state after one step, and the recording: the points where the step evaluated slopes, all that its backward
    reads."""
    first = slope(u)
    guess = u + TIME_STEP * first
    return u + 0.5 * TIME_STEP * (first + slope(guess)), (u.copy(), guess)


def run_step_backward(recording, gradient):
    u, guess = recording
    of_guess = slope_backward(guess, 0.5 * TIME_STEP * gradient)
    return gradient + of_guess + slope_backward(u, 0.5 * TIME_STEP * gradient + TIME_STEP * of_guess)


def initial_state():
    x = np.arange(POINTS) * WIDTH
    return np.sin(2 * np.pi * x) + 0.5 * np.sin(4 * np.pi * x + 1)


def loss_of(u):
    return 0.5 * WIDTH * float(u @ u)


# ---- Callbacks of the driver ----

class AdjointCode:
    """Holds states, recordings and gradients as arrays that live as long as the driver holds them. Slots of slower tiers are file
    rows."""

    def __init__(self, slots, folder):
        self.file = np.memmap(Path(folder) / "states", np.float64, "w+", shape=(slots, POINTS)) if slots > 0 else None
        self.loss = None

    def forward(self, call, state):
        for _ in range(call.first, call.last):
            state, _ = run_step(state)
        return state

    def record(self, call, state):
        behind, recording = run_step(state)
        return None if call.flags & DriveFlag.NO_OUTPUT else behind, recording

    def turn(self, call, state):
        self.loss = loss_of(state)
        return WIDTH * state

    def backward(self, call, state, behind, recording, gradient):
        return run_step_backward(recording, gradient)

    def store(self, call, state):  # synchronous: there is nothing to await
        self.file[call.slot] = state

    def load(self, call):
        return np.array(self.file[call.slot])

    def wait(self, call):
        pass


# ---- Comparison ----

def profile_of_steps():
    """Returns the profile. All steps cost the same: a forward takes 1, writing or reading a state takes 2; the file has no
    limit."""
    state_bytes = POINTS * 8
    option = ckpt.OptionProfile(tape_bytes=2 * state_bytes, forward_seconds=1, backward_seconds=2)
    profile = ckpt.Profile.uniform(STEPS, option, flags=ckpt.LayerFlag.DETERMINISTIC, output_bytes=state_bytes)  # backward reads only the recording
    profile.set_tier(1, write_bytes_per_second=state_bytes / 2, read_bytes_per_second=state_bytes / 2)
    return profile


def loss_from(u):
    for _ in range(STEPS):
        u, _ = run_step(u)
    return loss_of(u)


def gradient_error(gradient):
    """Returns the largest difference from central finite differences, relative to the gradient's largest value."""
    width = 1e-6
    errors = []
    for i in range(0, POINTS, 7):
        change = np.zeros(POINTS)
        change[i] = width
        difference = (loss_from(initial_state() + change) - loss_from(initial_state() - change)) / (2 * width)
        errors.append(abs(difference - gradient[i]))
    return max(errors) / np.abs(gradient).max()


def main():
    profile = profile_of_steps()
    gradients = []
    for planner in ("revolve:10", "mixed:10", "two-level:4"):
        schedule = ckpt.Schedule.create(profile, planner)
        report = schedule.verify(profile)
        with tempfile.TemporaryDirectory() as folder:
            code = AdjointCode(report.peak_inputs[1], folder)
            gradients.append(ckpt.Driver(schedule, code).run(initial_state()))
            del code.file  # unmapped before its folder is removed
        print(f"{planner:11}  {report.forwards:4} forwards, {report.step_seconds:5.0f} s, at most {report.peak_inputs[0]:2} states in memory "
              f"and {report.peak_inputs[1]:2} in the file; loss {code.loss:.9f}")
    if any(gradient.tobytes() != gradients[0].tobytes() for gradient in gradients):
        raise SystemExit("the gradients differ")
    if gradient_error(gradients[0]) > 1e-6:
        raise SystemExit("the gradient differs from finite differences")
    print("the gradients are the same to the last bit, and finite differences agree")


if __name__ == "__main__":
    main()
