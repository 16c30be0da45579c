"""Nothing grows."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
import pyrefit as refit

READER = Path("docs/example/recoil/zbd/zrdr.zbd")


def resident() -> int:
    """Memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux tells the memory of a process")
def test_many_opens_do_not_grow() -> None:
    def use() -> None:
        file = refit.open(READER)
        file["sounds.zrd.json"]
        try:
            file["nothing"]
        except refit.Error:
            pass

    for _ in range(2_000):
        use()
    gc.collect()
    before = resident()
    for _ in range(100_000):
        use()
    gc.collect()
    assert resident() - before < 4 << 20
