"""failed_allocations.py FAIL_AT_LIBRARY POINTS PROGRAM...: runs each program with one failing allocation, then with that and all
later ones failing. A program may report errors and fail; it must not crash, call std::terminate, or hang. POINTS: the number of
allocations to try; 0: all.

Prints a line for each program and for each defect."""

import concurrent.futures
import os
import random
import signal
import subprocess
import sys
import tempfile

LONGEST_SECONDS = 120
HUNG = "hangs"


def run(program, library, at, count_file=None):
    """Returns the exit status and the output. Negative statuses are signals."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, LD_PRELOAD=library, CKPT_FAIL_AT=at, TMPDIR=folder)
        if count_file is not None:
            environment["CKPT_FAIL_COUNT"] = count_file
        try:
            done = subprocess.run([program], env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            return HUNG, ""
        return done.returncode, done.stdout


def is_openblas_own(status, output):
    """Accepts OpenBLAS raising SIGINT when it gets no memory for a thread."""
    return status == -signal.SIGINT and "OpenBLAS blas_thread_init: pthread_create failed" in output


def count_allocations(program, library):
    with tempfile.NamedTemporaryFile(mode="r") as file:
        status, output = run(program, library, "0", file.name)
        if status != 0:
            sys.exit(f"{program} without failing allocations: status {status}\n{output}")
        return int(file.read())


def sweep(program, library, points):
    count = count_allocations(program, library)
    numbers = range(1, count + 1)
    if 0 < points < count:
        numbers = sorted(random.Random(count).sample(numbers, points))
    failing = [at for number in numbers for at in (str(number), f"{number}+")]
    defects = 0
    # Some runs wait a second for something that fails, so more of them than processors.
    with concurrent.futures.ThreadPoolExecutor(4 * os.cpu_count()) as pool:
        for at, (status, output) in zip(failing, pool.map(lambda at: run(program, library, at), failing)):
            if (status == HUNG or status < 0) and not is_openblas_own(status, output):
                defects += 1
                print(f"{program}: CKPT_FAIL_AT={at}: status {status}\n{output[-500:]}")
    print(f"{os.path.basename(program)}: {count} allocations, {len(failing)} runs, {defects} defects", flush=True)
    return defects


def main(library, points, programs):
    if sum(sweep(program, library, int(points)) for program in programs) > 0:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
