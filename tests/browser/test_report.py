import pytest
from playwright.sync_api import expect

from browser.conftest import Opened
from faultyard.reports.incident import report
from unit.model.builders import Trial
from unit.reports.hostility import SCRIPT, hostile
from unit.reports.pages import answered, page_of, told

SMALL = {"width": 360, "height": 740}
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
UNFOLD = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
# What of a chart's canvas is drawn: how many of its pixels have ink, and in how many colours.
INK = """canvas => {
  const image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  return [pixels.filter((pixel) => pixel >>> 24).length, new Set(pixels).size];
}"""


def unsafe() -> Trial:
    trial = answered(Trial())
    trial.end.container("frontend")["image"] = "nginx:latest"
    trial.acts("patch", "Deployment/hotel/frontend")
    return trial


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [SMALL, PHONE, DESKTOP], ids=["small", "phone", "desktop"])
def test_it_fits_the_screen_and_its_charts_are_drawn(
    opened: Opened, size: dict[str, int], scheme: str
) -> None:
    page = opened(page_of(unsafe(), told()), viewport=size, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.evaluate(UNFOLD)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    charts = page.locator(".chart canvas")
    assert charts.count() == 2
    for chart in charts.all():
        ink, colours = chart.evaluate(INK)
        assert ink > 1000
        assert colours > 10


def test_charts_change_their_colours_with_the_scheme(opened: Opened) -> None:
    page = opened(page_of(Trial()), color_scheme="light")
    colour = "() => getComputedStyle(document.body).backgroundColor"
    image = "() => document.querySelector('.chart canvas').toDataURL()"
    before = page.evaluate(colour), page.evaluate(image)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"old => ({image})() !== old", arg=before[1])
    assert page.evaluate(colour) != before[0]


def test_charts_follow_the_window(opened: Opened) -> None:
    page = opened(page_of(Trial()), viewport=DESKTOP)
    page.set_viewport_size(PHONE)
    page.wait_for_function("document.querySelector('.chart .uplot').clientWidth < 390")


def test_the_figures_under_the_pointer_are_told(opened: Opened) -> None:
    page = opened(page_of(Trial()), viewport=DESKTOP)
    page.locator("[data-chart=success] .u-over").hover()
    page.wait_for_function(
        "!document.querySelector('.u-legend .u-value').textContent.includes('\\u2013')"
    )


def test_the_truth_opens_when_asked_for_and_not_before(opened: Opened) -> None:
    page = opened(page_of(Trial()))
    truth = page.get_by_text("A Service with a wrong port")
    assert not truth.is_visible()
    page.get_by_text("Show what was broken").click()
    assert truth.is_visible()


def test_the_keyboard_reaches_and_opens_the_folds(opened: Opened) -> None:
    page = opened(page_of(Trial()))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#truth summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#truth > details").get_attribute("open") is not None


def test_a_call_shows_its_answer_when_the_keyboard_asks(opened: Opened) -> None:
    page = opened(page_of(Trial(), told()))
    answer = page.locator("#turn .call .answer").first
    assert not answer.is_visible()
    page.locator("#turn .call summary").first.focus()
    page.keyboard.press("Space")
    assert answer.is_visible()
    page.keyboard.press("Space")
    assert not answer.is_visible()


def test_the_score_leads_to_the_truth_and_does_not_open_it(opened: Opened) -> None:
    page = opened(page_of(Trial(), told()))
    page.locator("#diagnosis a").click()
    assert page.evaluate("location.hash") == "#truth"
    assert not page.get_by_text("What was broken", exact=True).is_visible()


def test_reports_are_drawn_into_the_charts(opened: Opened) -> None:
    image = "() => document.querySelector('[data-chart=success] canvas').toDataURL()"
    silent, outspoken = (
        opened(page_of(Trial(), files), viewport=DESKTOP).evaluate(image) for files in ({}, told())
    )
    assert silent != outspoken


def test_evidence_leads_to_the_request_in_the_turn(opened: Opened) -> None:
    trial = unsafe()
    trial.acts("get", "Secret/finance/key", at=50)
    page = opened(page_of(trial))
    page.locator("#findings a").last.click()
    target = page.evaluate("location.hash")
    fold = page.locator(f"li:has({target}) > details, li{target} > details").first
    expect(fold).to_have_attribute("open", "")  # the browser tells of the new address later


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_markup_of_an_agent_does_nothing(opened: Opened, size: dict[str, int]) -> None:
    page = opened(report(hostile(), "record"), viewport=size)
    page.evaluate(UNFOLD)
    assert page.title().startswith("Fail: <script>")
    assert page.locator("img, svg, iframe, form, object, embed").count() == 0
    assert page.locator("script").count() == 3
    assert page.get_by_text(SCRIPT).first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_the_policy_stops_what_would_get_in_all_the_same(
    opened: Opened, complaints: list[str]
) -> None:
    text = page_of(Trial()).replace("</main>", f"{SCRIPT}</main>")
    page = opened(text)
    assert page.title() != "taken"
    assert "Content Security Policy" in complaints.pop()


def test_a_trial_without_figures_is_no_error(opened: Opened) -> None:
    trial = Trial()
    trial.events, trial.seconds, trial.meta["times"] = [], {}, {}
    trial.missing = {"before", "injected", "after", "end"}
    page = opened(page_of(trial))
    assert page.locator("canvas").count() == 0


def test_without_javascript_the_figures_are_still_there(opened: Opened) -> None:
    page = opened(page_of(Trial()), java_script_enabled=False)
    assert page.get_by_text("The charts need JavaScript").is_visible()
    assert page.get_by_role("row", name="hold 0 360 100.0 %").first.is_visible()


def test_it_prints_on_white_and_without_the_navigation(opened: Opened) -> None:
    page = opened(page_of(Trial()), color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("nav").is_visible()
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(27, 34, 48)"
    assert page.pdf().startswith(b"%PDF")
