"""A proxy before an S3 gateway, which does to requests and answers what rules say: for tests of what networks and other stores do.

usage: s3_proxy.py http://127.0.0.1:PORT [--tls CERTIFICATE KEY]     prints its own port as the first line and serves until its input ends

POST /__proxy__ with a list of rules in JSON replaces the rules and forgets what was counted. GET /__proxy__ returns
{"requests": [[method, target, action, bytes], ...], "at_once": N}: all that came since, in order, with the rule's action or "pass" and
how many bytes the answer's body had; and how many of them at most were under way at the same time.

A rule: {"do": ACTION, "method": REGEX, "target": REGEX, "has": HEADER, "value": REGEX, "times": N, "skip": N, ...}. The first one that
fits is used, N times (1; -1: always) after N (0) that it let pass. "value" is all of that header's.

  pass         only counts
  drop         the gateway does not see the header that "name" names
  answer       the gateway sees nothing; answered with "status", "headers" and "body"
  lie          what the gateway refuses with 412 is answered as if it had been done
  overwrite    what the gateway refuses with 412 is done all the same, and answered with 412
  gather       waits until "count" of these have come, then all go on; one that waits for a minute in vain breaks its connection
  corrupt      a byte of the body is another one
  reset        the connection breaks: "when": "before" the gateway sees the request, or "after"
  kill         the process "pid" is killed (SIGKILL): "when": "before" the gateway sees the request, or "after"
  spoil        a byte of the answer's body is another one
  truncate     half of the answer's body, then the connection ends
  slow         the answer comes after "seconds"
  whole        the gateway does not see Range: all of the file is sent
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
    """First line and headers, in order, with lower-case names beside them."""

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
        """First line, headers and body of the gateway's answer."""
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
        """Whether the others came."""
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
        """Whether the connection goes on."""
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
        if do == "spoil" and data:
            data = data[:-1] + bytes([data[-1] ^ 1])
        if do == "slow":
            await asyncio.sleep(rule["seconds"])
        first, headers = got.first, got.without("connection", "transfer-encoding", "keep-alive")
        if method != "HEAD":
            headers = [pair for pair in headers if pair[0].lower() != "content-length"]
            if first.split()[1] != "204":
                headers.append(("Content-Length", len(data)))
        if do == "lie" and first.split()[1] == "412":
            first, headers, data = "HTTP/1.1 200 OK", [("ETag", '"0"'), ("Content-Length", 0)], b""
        if do == "truncate":
            writer.write(written(first, headers, data[: len(data) // 2]))
            await writer.drain()
            return False
        writer.write(written(first, headers, data))
        return True

    def end(self, rule, writer):
        """Ends the connection without a word, and before that whoever asks."""
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
