"""An S3 gateway through the proxy (s3_proxy.py) in one of its modes for the condition of a put, for tests in Python."""

import http.client
import json
import os
import re
import subprocess
import sys

HAS_CONDITION = {"has": "if-none-match", "times": -1}
MODES = {
    "conditional": [],
    "drops": [{"do": "drop", "name": "if-none-match", **HAS_CONDITION}],
    "501": [{"do": "answer", "status": 501, **HAS_CONDITION}],
    "false_success": [{"do": "false_success", **HAS_CONDITION}],
}
ACTIONS = {"drops": "drop", "501": "answer", "false_success": "false_success"}


class Through:
    """Context manager; endpoint is the proxy's."""

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
        """Returns an error if the requests do not use this mode's naming of commit records exclusively; also the number of
        requests."""
        requests = self.control("GET")["requests"]
        puts = [target.split("?")[0] for method, target, *_ in requests if method == "PUT"]
        common = sum(1 for target in puts if re.search(r"/commits/\d{19}$", target))
        by_attempt = sum(1 for target in puts if re.search(r"/commits/\d{19}-", target))
        print(f"{len(requests)} requests; records by the common name: {common}, by attempt: {by_attempt}", flush=True)
        wanted, other = (common, by_attempt) if self.mode == "conditional" else (by_attempt, common)
        problems = []
        if wanted == 0 or other != 0:
            problems.append(f"{self.mode}: {common} records have the common name, {by_attempt} are named by attempt")
        action = ACTIONS.get(self.mode)
        if action and not any(done == action for _, _, done, _ in requests):
            problems.append(f"{self.mode}: the proxy saw no condition")
        return problems
