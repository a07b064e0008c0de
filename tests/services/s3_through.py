"""An S3 gateway behind the proxy (s3_proxy.py) in one of its ways of treating the condition of a put, for tests in Python."""

import http.client
import json
import os
import re
import subprocess
import sys

HAS_CONDITION = {"has": "if-none-match", "times": -1}
MODES = {
    "honest": [],
    "drops": [{"do": "drop", "name": "if-none-match", **HAS_CONDITION}],
    "501": [{"do": "answer", "status": 501, **HAS_CONDITION}],
    "lies": [{"do": "lie", **HAS_CONDITION}],
}
ACTIONS = {"drops": "drop", "501": "answer", "lies": "lie"}


class Through:
    """While it is entered, endpoint is the proxy's."""

    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        proxy = os.path.join(os.path.dirname(os.path.abspath(__file__)), "s3_proxy.py")
        self.process = subprocess.Popen(
            [sys.executable, proxy, os.environ["CKPT_TEST_S3_ENDPOINT"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self.process.stdout.readline())
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.control("POST", json.dumps(MODES[self.mode]))
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def control(self, method, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, "/__proxy__", body)
        return json.loads(connection.getresponse().read())

    def problems(self):
        """What the requests say against this mode's way of naming commit records having been taken, and only that; also how many
        requests there were."""
        requests = self.control("GET")["requests"]
        puts = [target.split("?")[0] for method, target, *_ in requests if method == "PUT"]
        common = sum(1 for target in puts if re.search(r"/commits/\d{19}$", target))
        by_attempt = sum(1 for target in puts if re.search(r"/commits/\d{19}-", target))
        print(f"{len(requests)} requests; records by the common name: {common}, by attempt: {by_attempt}", flush=True)
        wanted, other = (common, by_attempt) if self.mode == "honest" else (by_attempt, common)
        problems = []
        if wanted == 0 or other != 0:
            problems.append(f"{self.mode}: {common} records have the name that all want, {by_attempt} that of their attempt")
        action = ACTIONS.get(self.mode)
        if action and not any(done == action for _, _, done, _ in requests):
            problems.append(f"{self.mode}: the proxy has met no condition")
        return problems
