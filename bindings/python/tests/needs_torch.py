"""Skips tests with the real torch, by exit status 77, where it is missing. These tests import this file before torch."""

import os
import sys


def skip(reason):
    """Ends the test. With CKPT_REQUIRE_SERVICES, a test that would be skipped fails."""
    if os.environ.get("CKPT_REQUIRE_SERVICES"):
        raise ImportError(reason)
    print(f"SKIP {reason} for {sys.executable}", file=sys.stderr)
    sys.exit(77)


def need_gloo():
    if not torch.distributed.is_available() or not torch.distributed.is_gloo_available():
        skip("tests with torch.distributed: gloo is not available")


try:
    import torch
    import torch.distributed
except ImportError:
    skip("tests with the real torch: it is not installed")
