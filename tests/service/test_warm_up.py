"""Warm-up: kernels are compiled in the background, and a server does not wait for them."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from harmony.bulk import backend, reference
from harmony.service import warm_up as warm_up_module
from harmony.service.stores import device_index
from harmony.service.warm_up import start_warm_up, warm_up

from .conftest import Service
from .waiting import STUCK_SECONDS


def test_warming_up_compiles_every_kernel_of_the_index() -> None:
    warm_up()
    kernels = (device_index._claim, device_index._find, device_index._move)
    assert all(kernel.signatures for kernel in kernels)
    assert backend.backend(work=0) is not reference


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_server_is_ready_while_it_warms_up(
    serve: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()
    monkeypatch.setattr(warm_up_module, "warm_up", lambda: asked.wait(STUCK_SECONDS))
    assert serve().client.get("/readyz").status_code == 200
    asked.set()


def test_the_background_is_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    monkeypatch.setattr(
        warm_up_module, "warm_up", lambda: ran.append(threading.current_thread().name)
    )
    thread = start_warm_up()
    thread.join(STUCK_SECONDS)
    assert ran == ["harmony-warm-up"]
