import pytest

from faultyard.clusters.errors import NotReady
from faultyard.clusters.waiting import wait_for


def test_the_first_result_ends_the_waiting() -> None:
    looks = iter([(None, "nothing"), ("found", "")])
    assert wait_for("it", lambda: next(looks), timeout_s=5, every_s=0) == "found"


def test_a_timeout_says_what_was_awaited_and_what_was_seen_last() -> None:
    with pytest.raises(NotReady, match=r"for etcd to answer; last seen: refused\. Its log: /x"):
        wait_for(
            "etcd to answer", lambda: (None, "refused"), timeout_s=0, every_s=0, hint="Its log: /x"
        )
