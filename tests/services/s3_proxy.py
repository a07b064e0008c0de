"""A proxy before an S3 gateway that modifies requests and answers by rules, to simulate networks and other stores in tests.

usage: s3_proxy.py http://127.0.0.1:PORT [--tls CERTIFICATE KEY]     prints its own port as the first line and serves until its input ends

POST /__proxy__ with a list of rules in JSON replaces the rules and resets the counts. GET /__proxy__ returns
{"requests": [[method, target, action, bytes], ...], "at_once": N}: all requests since then, in order, with the rule's action or
"pass" and the bytes of the answer's body; and the maximum number of concurrent requests.

A rule: {"do": ACTION, "method": REGEX, "target": REGEX, "has": HEADER, "value": REGEX, "times": N, "skip": N, ...}. The first
matching rule is used, N "times" (1; -1: always) after "skip" (0) matching requests. "value" must match the whole header value.

  pass         only counts
  drop         the gateway does not see the header "name"
  answer       the gateway sees nothing; answered with "status", "headers" and "body"
  false_success  a refusal with 412 is answered as success
  overwrite    a request refused with 412 is executed anyway, and answered with 412
  gather       waits until "count" of these have arrived, then releases all; after a minute the connection is closed
  corrupt      a byte of the request's body is changed
  reset        the connection breaks: "when": "before" the gateway sees the request, or "after"
  kill         the process "pid" is killed (SIGKILL): "when": "before" the gateway sees the request, or "after"
  corrupt_answer  a byte of the answer's body is changed
  truncate     half of the answer's body, then the connection ends
  slow         the answer is delayed by "seconds"
  whole        the gateway does not see Range: the whole file is sent
  echo         answered 403 with the request's own headers in the message
  huge         answered 200 with "bytes" bytes
"""

import asyncio
import json
import os
import re
import signal
import socket
import ssl
import struct
import sys
from xml.sax.saxutils import escape


class Head:
    """Returns the first line and the headers, in order, with lower-case names."""

    def __init__(self, text):
        lines = text.split("\r\n")
        self.first = lines[0]
        self.headers = [line.split(":", 1) for line in lines[1:] if ":" in line]
        self.headers = [(name, value.strip()) for name, value in self.headers]

    def get(self, wanted):
        return next((value for name, value in self.headers if name.lower() == wanted), None)

    def without(self, *names):
        return [(name, value) for name, value in self.headers if name.lower() not in names]


async def read_head(reader):
    text = await reader.readuntil(b"\r\n\r\n")
    return Head(text.decode("latin-1").rstrip("\r\n"))


def written(first, headers, body=b""):
    lines = [first] + [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


async def read_chunks(reader):
    body = b""
    while True:
        size = int((await reader.readline()).split(b";")[0], 16)
        body += await reader.readexactly(size)
        await reader.readline()
        if size == 0:
            return body


class Proxy:
    def __init__(self, host, port):
        self.host, self.port = host, port
        self.rules, self.requests = [], []
        self.under_way, self.at_once = 0, 0

    def rule_for(self, method, target, head):
        for rule in self.rules:
            if not re.fullmatch(rule.get("method", ".*"), method) or not re.search(rule.get("target", ""), target):
                continue
            value = head.get(rule.get("has", ""))
            if "has" in rule and (value is None or not re.fullmatch(rule.get("value", ".*"), value)):
                continue
            if rule.get("skip", 0) > 0:
                rule["skip"] -= 1
                continue
            if rule.setdefault("times", 1) == 0:
                continue
            rule["times"] -= 1 if rule["times"] > 0 else 0
            return rule
        return {"do": "pass"}

    def control(self, method, body):
        if method == "POST":
            self.rules, self.requests, self.at_once = json.loads(body), [], 0
        answer = json.dumps({"requests": self.requests, "at_once": self.at_once}).encode()
        return written("HTTP/1.1 200 OK", [("Content-Length", len(answer))], answer)

    async def forward(self, method, target, headers, body):
        """Returns the first line, headers and body of the gateway's answer."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        try:
            writer.write(written(f"{method} {target} HTTP/1.1", headers + [("Connection", "close")], body))
            await writer.drain()
            answer = await read_head(reader)
            while answer.first.split()[1] == "100":
                answer = await read_head(reader)
            if method == "HEAD" or answer.first.split()[1] in ("204", "304"):
                data = b""
            elif (answer.get("transfer-encoding") or "").lower() == "chunked":
                data = await read_chunks(reader)
            else:
                data = await reader.read()
        finally:
            writer.close()
        return answer, data

    async def gathered(self, rule):
        """Returns whether the others arrived."""
        everyone = rule.setdefault("everyone", asyncio.Event())
        rule["count"] -= 1
        if rule["count"] <= 0:
            everyone.set()
        try:
            await asyncio.wait_for(everyone.wait(), 60)
        except asyncio.TimeoutError:
            return False
        return True

    async def counted(self, *request):
        self.under_way += 1
        self.at_once = max(self.at_once, self.under_way)
        try:
            return await self.answer(*request)
        finally:
            self.under_way -= 1

    async def answer(self, method, target, head, body, writer):
        """Returns whether the connection stays open."""
        rule = self.rule_for(method, target, head)
        do = rule["do"]
        entry = [method, target, do, 0]
        self.requests.append(entry)
        if do == "gather" and not await self.gathered(rule):
            return self.end(rule, writer)
        if do == "answer":
            data = rule.get("body", "").encode()
            headers = list(rule.get("headers", {}).items()) + [("Content-Length", len(data))]
            writer.write(written(f"HTTP/1.1 {rule['status']} -", headers, b"" if method == "HEAD" else data))
            return True
        if do == "echo":
            shown = escape("".join(f"{name}: {value}\n" for name, value in head.headers) + target)
            data = f"<Error><Code>AccessDenied</Code><Message>{shown}</Message><StringToSign>{shown}</StringToSign></Error>".encode()
            writer.write(written("HTTP/1.1 403 -", [("Content-Length", len(data))], b"" if method == "HEAD" else data))
            return True
        if do == "huge":
            writer.write(written("HTTP/1.1 200 OK", [("Content-Length", rule["bytes"])]))
            block = b"<" + b"a" * 65535
            for _ in range(rule["bytes"] // len(block)):
                writer.write(block)
                await writer.drain()
            return False
        if do in ("reset", "kill") and rule.get("when", "before") == "before":
            return self.end(rule, writer)
        dropped = {"drop": (rule.get("name", ""),), "whole": ("range",)}.get(do, ())
        if do == "corrupt" and body:
            body = body[:-1] + bytes([body[-1] ^ 1])
        got, data = await self.forward(method, target, head.without("connection", "expect", *dropped), body)
        if do in ("reset", "kill"):
            return self.end(rule, writer)
        if do == "overwrite" and got.first.split()[1] == "412":
            await self.forward(method, target, head.without("connection", "expect", "if-none-match"), body)
        entry[3] = len(data)
        if do == "corrupt_answer" and data:
            data = data[:-1] + bytes([data[-1] ^ 1])
        if do == "slow":
            await asyncio.sleep(rule["seconds"])
        first, headers = got.first, got.without("connection", "transfer-encoding", "keep-alive")
        if method != "HEAD":
            headers = [pair for pair in headers if pair[0].lower() != "content-length"]
            if first.split()[1] != "204":
                headers.append(("Content-Length", len(data)))
        if do == "false_success" and first.split()[1] == "412":
            first, headers, data = "HTTP/1.1 200 OK", [("ETag", '"0"'), ("Content-Length", 0)], b""
        if do == "truncate":
            writer.write(written(first, headers, data[: len(data) // 2]))
            await writer.drain()
            return False
        writer.write(written(first, headers, data))
        return True

    def end(self, rule, writer):
        """Closes the connection without an answer, after waiting for a request."""
        if rule["do"] == "kill":
            os.kill(rule["pid"], signal.SIGKILL)
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        return False

    async def serve(self, reader, writer):
        try:
            going_on = True
            while going_on:
                head = await read_head(reader)
                method, target, _ = head.first.split(" ", 2)
                body = await reader.readexactly(int(head.get("content-length") or 0))
                if target == "/__proxy__":
                    writer.write(self.control(method, body))
                else:
                    going_on = await self.counted(method, target, head, body, writer)
                if not writer.is_closing():
                    await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()


async def main(gateway, tls):
    host, port = re.fullmatch(r"http://([^:/]+):(\d+)/?", gateway).groups()
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
    server = await asyncio.start_server(Proxy(host, int(port)).serve, "127.0.0.1", 0, ssl=context, limit=1 << 20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if not arguments or len(arguments) not in (1, 4) or (len(arguments) == 4 and arguments[1] != "--tls"):
        sys.exit(__doc__)
    asyncio.run(main(arguments[0], arguments[2:]))
