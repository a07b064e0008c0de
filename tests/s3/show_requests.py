"""show_requests.py CKPT URI: the requests of the command, counted by the proxy: only commands that read tensors request their
files."""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

import ckpt

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "services"))
from s3_through import Through  # noqa: E402

command, place = sys.argv[1:]


def run(endpoint, *words):
    environment = dict(os.environ, AWS_ENDPOINT_URL_S3=endpoint)
    done = subprocess.run([command, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"ckpt {words[0]} ended with {done.returncode}: {done.stdout}")
    return done.stdout


def asked(proxy, *words):
    """Runs the command and returns its output, and the kinds of its requests: (listings, manifests, records, tensors)."""
    proxy.control("POST", "[]")
    text = run(proxy.endpoint, *words)
    counts = [0, 0, 0, 0]
    for method, target, *_ in proxy.control("GET")["requests"]:
        if method != "GET":
            sys.exit(f"ckpt {words[0]} sent a write request: {method} {target.split('?')[0]}")
        kinds = ("list-type=2", "/manifest.json", "/commits/", ".safetensors")
        found = [i for i, kind in enumerate(kinds) if kind in target and (i == 0) == ("list-type" in target)]
        if len(found) != 1:
            sys.exit(f"ckpt {words[0]} requested {target.split('?')[0]}")
        counts[found[0]] += 1
    return text, tuple(counts)


def problems_of(proxy, words, said, wanted):
    """wanted: the expected kinds of requests; the last one may be a range."""
    text, found = asked(proxy, *words)
    print(" ".join(words[:1] + words[2:]), found)
    problems = [f"ckpt {' '.join(words)} does not print '{each}': {text}" for each in said if each not in text]
    if found != wanted:
        problems.append(f"ckpt {' '.join(words)} asks for (listings, manifests, records, tensors) {found}, not {wanted}")
    return problems


def problems_of_lists(proxy):
    problems = []
    os.environ["AWS_ENDPOINT_URL_S3"] = proxy.endpoint
    with ckpt.CheckpointManager(place, read_only=True) as checkpoints:
        name = checkpoints.latest().name
        for what, ask, wanted in (
            ("list", checkpoints.list, 1 + 2 * 3),
            ("manifest", lambda: checkpoints.manifest(name), 3),
            ("prune", lambda: checkpoints.prune("last:3", dry_run=True), 1 + 2 * 3),
            ("latest", checkpoints.latest, 3),
        ):
            proxy.control("POST", "[]")
            ask()
            found = len(proxy.control("GET")["requests"])
            print(what, found)
            if found != wanted:
                problems.append(f"{what} in Python is {found} requests, not {wanted}")
    return problems


def main():
    gateway = os.environ["AWS_ENDPOINT_URL_S3"]
    problems = []
    with tempfile.TemporaryDirectory() as folder, Through("conditional") as proxy:
        data = os.path.join(folder, "text")
        with open(data, "w", encoding="utf-8") as file:
            file.write("the quick brown fox jumps over the lazy dog. " * 200)
        run(gateway, "train", "--model", "mlp", "--data", data, "--batch", "32", "--quiet", "--steps", "6", "--save-every", "2", "--dir", place)
        name = json.loads(run(gateway, "list", place, "--json"))[0]["name"]
        # With three checkpoints: whether the location is itself one, the newest, and its manifest and sizes.
        problems += problems_of(proxy, ("show", place), ["step 6, ", "block.0.linear.weight", "value training: "], (2, 3, 2, 0))
        problems += problems_of(proxy, ("show", place, "--json"), ['"commit_sequence": 3', '"F32"'], (2, 3, 2, 0))
        problems += problems_of(proxy, ("show", f"{place}/{name}"), ["step 6, ", "block.0.linear.weight"], (2, 2, 0, 0))
        problems += problems_of(proxy, ("list", place), ["step-000000000002", name], (1, 3, 3, 0))
        # A tree's values are in its file.
        with ckpt.CheckpointManager(place + "/tree") as checkpoints:
            checkpoints.save({"note": "warm-up", "weights": np.zeros(1 << 20, np.float32)}, step=1)
        problems += problems_of(proxy, ("show", place + "/tree"), ["weights", "use --values to show"], (2, 3, 2, 0))
        problems += problems_of(proxy, ("show", place + "/tree", "--values"), ['note = "warm-up"'], (3, 4, 3, 2))
        # The same in Python, which calls the same functions as Java and C#.
        problems += problems_of_lists(proxy)
        # On a disk the whole file is read, with the same output.
        run(gateway, "copy", f"{place}/{name}", folder + "/here")
        here, there = (json.loads(run(gateway, "show", each, "--json")) for each in (folder + "/here", place))
        for each in (here, there):
            for member in ("path", "commit_sequence", "environment", "saved_utc_ns", "saved_utc"):  # a copy has different ones
                del each[member]
        if here != there:
            problems.append(f"show prints different values for the copy: {here} {there}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
