"""run.py MODE NOT_ON_OBJECTS THOUSANDS GOOGLETEST_PROGRAM... -- C_PROGRAM...: runs the state and async suites on the gateway,
through the proxy in this mode (s3_through.py). Tests in THOUSANDS take minutes: they only run in the mode "thousands", which runs
nothing else.

A line of NOT_ON_OBJECTS or THOUSANDS is "TEST: reason": a test of a GoogleTest program (Suite.Test, possibly with * at its end), or
a C program by its ctest name, that does not apply to object stores. Each is printed, and each must exist."""

import concurrent.futures
import fnmatch
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "services"))
from s3_through import Through  # noqa: E402

AT_ONCE = 8  # concurrent programs: they mostly wait for answers


def read_reasons(path):
    with open(path, encoding="utf-8") as lines:
        return dict(line.rstrip("\n").split(": ", 1) for line in lines if line.strip() and not line.startswith("#"))


def tests_of(program):
    """Returns the tests of a GoogleTest program."""
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    names, suite = [], ""
    for line in listed.splitlines():
        if line.startswith("  "):
            names.append(suite + line.split("#")[0].strip())
        elif line.rstrip().endswith("."):
            suite = line.rstrip()
    return names


def run(command, environment):
    begun = time.monotonic()
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(f"{os.path.basename(command[0])}: {time.monotonic() - begun:.0f} s", flush=True)
    return command[0], done.returncode, done.stdout


def make_room():
    """Removes objects of earlier modes: the gateway stores objects in memory, and one mode's take a quarter of its capacity."""
    environment = dict(
        os.environ,
        AWS_ACCESS_KEY_ID=os.environ["CKPT_TEST_S3_ACCESS_KEY"],
        AWS_SECRET_ACCESS_KEY=os.environ["CKPT_TEST_S3_SECRET_KEY"],
        AWS_DEFAULT_REGION="us-east-1",
    )
    folder = f"s3://{os.environ['CKPT_TEST_S3_BUCKET']}/suite/"
    command = ["/usr/bin/aws", "--endpoint-url", os.environ["CKPT_TEST_S3_ENDPOINT"], "s3", "rm", "--recursive", "--only-show-errors", folder]
    subprocess.run(command, env=environment, check=True)


def main(mode, list_path, thousands_path, google_tests, c_tests):
    thousands = read_reasons(thousands_path)
    reasons = read_reasons(list_path) | thousands
    unused, problems, jobs, ran = set(reasons), [], [], 0
    if mode != "conditional":
        make_room()
    with Through("conditional" if mode == "thousands" else mode) as proxy:
        environment = dict(os.environ, CKPT_TEST_S3_ENDPOINT=proxy.endpoint)
        for program in google_tests + c_tests:
            name = os.path.basename(program).removeprefix("suite_")
            tests = tests_of(program) if program in google_tests else []
            fitting = {pattern for pattern in reasons if pattern == name or fnmatch.filter(tests, pattern)}
            unused -= fitting
            if mode == "thousands":
                jobs += [([program, f"--gtest_filter={pattern}"], environment) for pattern in sorted(fitting & set(thousands))]
                ran = len(jobs)
                continue
            for pattern in sorted(fitting):
                print(f"SKIP {pattern}: {reasons[pattern]}")
            if name in fitting:
                continue
            if not tests:
                jobs.append(([program], environment))
                ran += 1
                continue
            ran += sum(1 for test in tests if not any(fnmatch.fnmatch(test, pattern) for pattern in fitting))
            shards = 2 * AT_ONCE if len(tests) > 100 else 1
            for index in range(shards):
                sharded = dict(environment, GTEST_TOTAL_SHARDS=str(shards), GTEST_SHARD_INDEX=str(index))
                jobs.append(([program, "--gtest_brief=1", "--gtest_filter=-" + ":".join(sorted(fitting))], sharded))
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for program, code, text in pool.map(lambda job: run(*job), jobs):
                if code == 77:
                    print(f"{os.path.basename(program)}: {text.strip()}")
                elif code != 0:
                    problems.append(f"{os.path.basename(program)} ended with {code}:\n{text}")
                elif program in c_tests and not re.search(r"storages in the bucket: [1-9]", text):
                    problems.append(f"{os.path.basename(program)} made no storage in the bucket")
        problems += proxy.problems()
    problems += [f"{pattern}: no such test" for pattern in sorted(unused)]
    print(f"{mode}: {ran} tests")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    where = sys.argv.index("--")
    sys.exit(main(*sys.argv[1:4], sys.argv[4:where], sys.argv[where + 1 :]))
