"""The picture of a report for the README: python -m browser.picture REPORT.html docs/report.png.

On the left a desktop in light colours, with verdict and charts; on the right a phone in dark ones,
with the turn around the agent's report of the cause.
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path

from playwright import sync_api

from browser.conftest import CHROMIUM, OPTIONS

HEIGHT = 1180
DESKTOP, PHONE, GAP = 1040, 390, 20
FRAME = """<body style="margin:0;background:#c3cad6;display:flex;gap:{gap}px">
<img src="data:image/png;base64,{desktop}"><img src="data:image/png;base64,{phone}"></body>"""


def main(report: Path, picture: Path) -> None:
    """Make the picture.

    Args:
        report: a page that `faultyard report` wrote, of a trial with a diagnosis.
        picture: the file to write.
    """
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        desktop = shot(browser, report, DESKTOP, "light", "h1")
        phone = shot(browser, report, PHONE, "dark", "#turn .cause")
        page = browser.new_page(viewport={"width": DESKTOP + GAP + PHONE, "height": HEIGHT})
        page.set_content(FRAME.format(gap=GAP, desktop=desktop, phone=phone))
        page.screenshot(path=picture)
        browser.close()


def shot(browser: sync_api.Browser, report: Path, width: int, scheme: str, middle: str) -> str:
    """Return a screen of the report in base64, the element `middle` in its middle if it can."""
    size = {"width": width, "height": HEIGHT}
    page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(report.resolve().as_uri())
    page.locator(middle).evaluate("element => element.scrollIntoView({block: 'center'})")
    return base64.b64encode(page.screenshot()).decode()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
