"""A browser for the tests: Debian's Chromium, driven by Playwright, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright import sync_api

CHROMIUM = shutil.which("chromium")
# Root has no user namespace of its own to make Chromium's sandbox from.
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",  # containers have little of it
]
Opened = Callable[..., sync_api.Page]


@pytest.fixture(scope="session")
def browser() -> Iterator[sync_api.Browser]:
    if CHROMIUM is None:
        pytest.fail(
            "there is no Chromium, so nobody has looked at a report: `make setup`, as root on "
            "Debian, installs it, and says why if it cannot",
            pytrace=False,
        )
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """What a page logged and asked for; a test that expects some takes them away."""
    return []


@pytest.fixture
def opened(browser: sync_api.Browser, tmp_path: Path, complaints: list[str]) -> Iterator[Opened]:
    """Open a page's text; at the end nothing may have been logged or asked for."""
    contexts = []

    def open_page(text: str, **context: object) -> sync_api.Page:
        path = tmp_path / "report.html"
        path.write_text(text, encoding="utf-8")
        contexts.append(browser.new_context(**context))
        page = contexts[-1].new_page()
        page.on("console", lambda said: complaints.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: asked(request.url, path.as_uri(), complaints))
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def asked(url: str, own: str, complaints: list[str]) -> None:
    if url.partition("#")[0] != own and url != "data:,":
        complaints.append(f"request: {url}")
