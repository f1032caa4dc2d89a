"""Where compiled mechanisms are kept, and how they get there."""

from __future__ import annotations

import errno
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import filelock
import platformdirs
import pytest

from kanegen.builds import cache, cache_place
from kanegen.errors import BuildError, CacheError


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv(cache_place.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def no_variable(monkeypatch, tmp_path):
    monkeypatch.delenv(cache_place.VARIABLE)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def write(directory):
    (directory / "content").write_text("whole")


def test_the_variable_names_it(root):
    assert cache_place.cache_directory() == root
    assert root.is_dir()


def test_a_name_with_spaces_and_letters_of_any_language(tmp_path, monkeypatch):
    monkeypatch.setenv(cache_place.VARIABLE, str(tmp_path / "my cache ü"))
    assert cache.entry("a", write).directory == tmp_path / "my cache ü" / "a"


def test_a_variable_that_cannot_be_used(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache_place.VARIABLE, str(tmp_path / "file" / "below"))
    with pytest.raises(CacheError, match="cannot be used:"):
        cache_place.cache_directory()


def test_the_user_cache_directory(no_variable, monkeypatch, tmp_path):
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "home" / "kanegen")
    assert cache_place.cache_directory() == tmp_path / "home" / "kanegen"


@pytest.mark.parametrize("home", ["~/.cache/kanegen", "file/kanegen"])
def test_no_home(no_variable, monkeypatch, tmp_path, home):
    """An unknown home directory, or one that cannot be written: a private directory among the temporary files."""
    (tmp_path / "file").write_text("")
    found = tmp_path / home if home.startswith("file") else Path(home)
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: found)
    directory = cache_place.cache_directory()
    assert directory.parent == tmp_path
    assert directory.name.startswith("kanegen-")
    assert directory.stat().st_mode & 0o077 == 0
    assert cache_place.cache_directory() == directory


@pytest.mark.skipif(os.name != "posix", reason="links and permission bits of POSIX")
@pytest.mark.parametrize("trap", ["link", "file"])
def test_a_directory_that_somebody_prepared(no_variable, monkeypatch, tmp_path, trap, caplog):
    """What stands at the expected name does not serve: another private one is made once, and not by every process."""
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "file" / "kanegen")
    (tmp_path / "file").write_text("")
    expected = tmp_path / f"kanegen-{os.getuid()}"
    if trap == "link":
        (tmp_path / "elsewhere").mkdir()
        expected.symlink_to(tmp_path / "elsewhere")
    else:
        expected.write_text("")
    directory = cache_place.cache_directory()
    assert directory != expected
    assert directory.stat().st_mode & 0o077 == 0
    assert cache_place.cache_directory() == directory
    (record,) = caplog.records
    assert record.getMessage() == f"{expected} is not a directory; compiled mechanisms go to {directory}"


@pytest.mark.skipif(os.name != "posix", reason="permission bits of POSIX")
def test_a_directory_of_ours_that_is_open_to_all(no_variable, monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: tmp_path / "file" / "kanegen")
    (tmp_path / "file").write_text("")
    expected = tmp_path / f"kanegen-{os.getuid()}"
    expected.mkdir()
    expected.chmod(0o777)
    assert cache_place.cache_directory() == expected
    assert expected.stat().st_mode & 0o022 == 0
    assert "could be written by other users (mode 0777), and is closed to them now" in caplog.text


def test_an_entry_is_made_once(root):
    made = []

    def make(directory):
        made.append(directory)
        write(directory)

    for _ in range(3):
        assert (cache.entry("a", make).directory / "content").read_text() == "whole"
    assert len(made) == 1
    assert sorted(path.name for path in root.iterdir()) in (["a"], ["a", "a.lock"])


def test_threads_make_an_entry_once(root):
    made = []

    def make(directory):
        made.append(directory)
        write(directory)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: cache.entry("a", make).directory, range(8))) == {root / "a"}
    assert len(made) == 1


def test_nothing_stays_after_an_error(root):
    def make(directory):
        write(directory)
        raise ValueError("wrong model")

    with pytest.raises(ValueError, match="wrong model"):
        cache.entry("a", make)
    assert [path.name for path in root.iterdir() if not path.name.endswith(".lock")] == []
    assert (cache.entry("a", write).directory / "content").exists()


def test_what_a_compiler_choked_on_is_kept(root):
    def make(directory):
        write(directory)
        raise BuildError("cc -c x.c", "x.c:1: error", directory)

    for _ in range(2):
        with pytest.raises(BuildError) as caught:
            cache.entry("a", make)
        assert (caught.value.source / "content").read_text() == "whole"
        assert caught.value.source == root / "a.failed"
    assert not (root / "a").exists()


def test_what_a_killed_process_left_is_cleared(root):
    root.mkdir()
    (root / ".a.killed").mkdir()
    (root / ".b.killed").mkdir()
    cache.entry("a", write)
    assert not (root / ".a.killed").exists()
    assert (root / ".b.killed").exists()


def test_an_entry_in_a_cache_that_cannot_be_written(root):
    cache.entry("a", write)
    (root / "a.lock").unlink(missing_ok=True)
    root.chmod(0o555)
    try:
        assert cache.entry("a", write).directory == root / "a"
    finally:
        root.chmod(0o755)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("where", ["lock", "directory"])
def test_a_cache_that_cannot_be_written(root, monkeypatch, code, where):
    def refuse(*_, **__):
        raise OSError(code, os.strerror(code))

    if where == "lock":
        monkeypatch.setattr(filelock.FileLock, "acquire", refuse)
    else:
        monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(CacheError, match=r"cannot be written:"):
        cache.entry("a", write)
