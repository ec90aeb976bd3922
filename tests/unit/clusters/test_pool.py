from pathlib import Path

import pytest

from faultyard.clusters.embedded import pool as pools
from faultyard.clusters.embedded.pool import Pool


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pool:
    """A pool on a host without btrfs."""
    monkeypatch.setattr(pools, "btrfs_available", lambda: False)
    made = Pool(tmp_path)
    made.open()
    return made


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "file").write_text("golden")
    return folder


def test_without_btrfs_a_clone_is_a_copy_that_leaves_the_template_alone(
    pool: Pool, source: Path
) -> None:
    golden = pool.golden("node", "k1", source)
    clone = pool.root / "cell" / "worker-1"
    pool.clone(golden, clone)
    (clone / "file").write_text("changed")
    assert (golden / "file").read_text() == "golden"


def test_a_template_with_a_new_key_replaces_the_old_one(pool: Pool, source: Path) -> None:
    old = pool.golden("node", "k1", source)
    (source / "file").write_text("newer")
    new = pool.golden("node", "k2", source)
    assert (new / "file").read_text() == "newer"
    assert not old.exists()


def test_a_template_is_copied_once(pool: Pool, source: Path) -> None:
    pool.golden("node", "k1", source)
    (source / "file").write_text("changed later")
    assert (pool.golden("node", "k1", source) / "file").read_text() == "golden"


def test_a_half_made_template_is_made_anew(pool: Pool, source: Path) -> None:
    left = pool.root / "golden" / ".making-node"
    left.mkdir(parents=True)
    (left / "rubbish").write_text("")
    golden = pool.golden("node", "k1", source)
    assert [path.name for path in golden.iterdir()] == ["file"]


def test_deleting_takes_files_folders_and_what_is_not_there(pool: Pool) -> None:
    (pool.root / "folder").mkdir()
    (pool.root / "folder" / "file").write_text("")
    (pool.root / "lock").write_text("")
    for name in ("folder", "lock", "nothing"):
        pool.delete(pool.root / name)
    assert list(pool.root.iterdir()) == []


def test_removing_the_pool_leaves_nothing(pool: Pool) -> None:
    pool.create(pool.root / "cell")
    pool.remove()
    assert not pool.root.exists()
    assert not pool.image.exists()


def test_a_pool_that_a_power_loss_cut_off_is_made_anew(pool: Pool, source: Path) -> None:
    golden = pool.golden("node", "k1", source)
    (golden / "file").write_text("")  # as a file is whose content had not reached the disk
    other_boot(pool)
    reopened = Pool(pool.state)
    reopened.open()
    assert (reopened.golden("node", "k1", source) / "file").read_text() == "golden"


def test_deleting_after_a_power_loss_finds_an_empty_pool(pool: Pool, source: Path) -> None:
    pool.golden("node", "k1", source)
    other_boot(pool)
    Pool(pool.state).reopen()
    assert {path.name for path in pool.state.iterdir()} == {".lock", "source"}


def test_a_pool_that_was_closed_before_the_machine_stopped_keeps_its_templates(
    pool: Pool, source: Path
) -> None:
    golden = pool.golden("node", "k1", source)
    pool.close()
    Pool(pool.state).open()
    assert (golden / "file").read_text() == "golden"


def test_after_a_crash_of_the_harness_alone_the_templates_are_kept(
    pool: Pool, source: Path
) -> None:
    golden = pool.golden("node", "k1", source)
    Pool(pool.state).open()
    assert golden.exists()


def other_boot(pool: Pool) -> None:
    (pool.state / "pool.boot").write_text("a run of the machine before this one\n")


def test_a_pool_that_somebody_uses_is_not_closed_until_they_are_done(pool: Pool) -> None:
    in_use = pool.state / "pool.boot"
    with Pool(pool.state).used():
        pool.close_if_unused()
        assert in_use.exists()
    pool.close_if_unused()
    assert not in_use.exists()
