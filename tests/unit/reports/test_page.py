import hashlib
import re
from pathlib import Path

import pytest

from faultyard import reports
from faultyard.reports.hidden import shown
from faultyard.reports.incident import report
from faultyard.reports.page import breakable
from unit.model.builders import Trial
from unit.reports.hostility import BREAK_OUT, IMAGE, SCRIPT, hostile
from unit.reports.pages import Page, page_of

FOLDER = Path(reports.__file__).parent
VENDORED = {
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}


def test_the_chart_library_is_the_one_that_was_published() -> None:
    for name, digest in VENDORED.items():
        content = (FOLDER / "vendor/uplot" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest


def test_every_copy_of_the_chart_library_has_its_licence() -> None:
    assert "The MIT License (MIT)" in page_of(Trial())


def test_our_scripts_and_styles_can_stand_in_a_page() -> None:
    for path in [*FOLDER.glob("page/*.[jc]s*"), *FOLDER.glob("vendor/uplot/*.min.*")]:
        assert not re.search(r"</(script|style)|<!--", path.read_text(), re.IGNORECASE), path


def test_a_page_asks_nobody_for_anything() -> None:
    page = Page(page_of(Trial()))
    assert not {"src", "srcset", "action", "background", "poster"} & page.attributes
    targets = {attributes.get("href") for _, attributes in page.elements} - {None}
    assert {target[:1] for target in targets if target != "data:,"} == {"#"}
    assert "@import" not in page_of(Trial())
    assert "url(" not in page_of(Trial())


def test_the_policy_allows_nothing_but_what_is_hashed() -> None:
    page = Page(page_of(Trial()))
    policy = next(a["content"] for _, a in page.elements if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert policy.count("sha256-") == 4


def test_a_page_has_no_handler_and_no_style_in_an_attribute() -> None:
    page = Page(report(hostile(), "record", unsealed=True))
    assert not [name for name in page.attributes if name.startswith("on") or name == "style"]


def test_markup_in_names_bodies_and_output_is_shown_and_not_obeyed() -> None:
    text = report(hostile(), "record")
    page, usual = Page(text), Page(page_of(Trial()))
    assert page.count("script") == usual.count("script") == 3
    assert page.count("style") == usual.count("style")
    assert page.count("img") == page.count("svg") == 0
    assert SCRIPT not in text
    assert IMAGE not in text
    assert BREAK_OUT not in text


def test_markup_stays_readable() -> None:
    text = Page(report(hostile(), "record")).text
    assert SCRIPT in text
    assert BREAK_OUT in text


def test_every_link_within_the_page_leads_somewhere() -> None:
    trial = Trial()
    trial.acts("patch", "Node//worker-1")
    trial.acts("get", "Secret/finance/key")
    page = Page(page_of(trial))
    anchors = [attributes.get("id") for _, attributes in page.elements if attributes.get("id")]
    links = {str(a["href"])[1:] for tag, a in page.elements if tag == "a"}
    assert links <= set(anchors)
    assert len(anchors) == len(set(anchors))
    assert any(link.startswith("audit-") for link in links)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\tb\r\nc", "a\tb\nc"),
        ("ad\u202enimda", "ad⟨U+202E⟩nimda"),
        ("pay\u200bload", "pay⟨U+200B⟩load"),
        ("bell\x07", "bell⟨U+0007⟩"),
        ("\udcff", "⟨U+DCFF⟩"),
        ("Zürich → Oslo", "Zürich → Oslo"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, told: str) -> None:
    assert shown(text) == told


def test_long_paths_may_break_between_their_parts_and_are_escaped() -> None:
    assert breakable("spec.ports[<b>]") == "spec.<wbr>ports<wbr>[&lt;b&gt;]"


def test_the_same_record_gives_the_same_page() -> None:
    assert page_of(Trial()) == page_of(Trial())
