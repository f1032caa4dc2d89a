"""Code that others put where kanegen looks for its own (CASE 93): what is closed, what is refused, and what is trusted.

With root's rights there are two users: this one, and ``OTHER``, to whom things are given.  A planted library betrays itself
by what it does when it is loaded.
"""

from __future__ import annotations

import contextlib
import ctypes
import grp
import json
import os
import pwd
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import kanegen
from kanegen.builds import cache, cache_place, extensions
from kanegen.errors import CacheError

from .damages import MODEL

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")

ROOT = Path(__file__).parents[2]
OTHER = 65534
TWO_USERS = pytest.mark.skipif(os.geteuid() != 0, reason="giving files to another user needs root")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache_place.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@contextlib.contextmanager
def mask(bits: int) -> Iterator[None]:
    before = os.umask(bits)
    try:
        yield
    finally:
        os.umask(before)


def write(directory: Path) -> None:
    (directory / "content").write_text("ours")


def bits(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def compiled() -> extensions.Compiled:
    return extensions.compiled_entry(
        "arm", {"model": "x"}, lambda directory: extensions.copy_generated(MODEL, directory)
    )


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_nothing_that_is_made_is_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, umask: int) -> None:
    """Case 93: folders 0700 and files 0600 under every umask, also those above the cache that are made for it."""
    monkeypatch.setenv(cache_place.VARIABLE, str(tmp_path / "made" / "for" / "it"))
    with mask(umask):
        made = cache.entry("arm", write).directory
    for path in (tmp_path / "made", *(tmp_path / "made").rglob("*")):
        assert bits(path) == (0o700 if path.is_dir() else 0o600), path
    assert made.is_dir()


def test_a_compiled_entry_is_not_open(place: Path) -> None:
    """Case 93: nor what a compiler writes, which knows no modes; and what failed to compile."""
    with mask(0o000):
        made = compiled().directory
    assert {bits(path) for path in made.iterdir()} == {0o600}
    assert bits(made) == bits(place) == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o770, 0o757, 0o702])
def test_a_folder_of_ours_that_is_open(place: Path, mode: int, caplog: pytest.LogCaptureFixture) -> None:
    """Case 93: it is closed, and used; where all could write it, one line says so.  Reading stays as it was."""
    place.mkdir()
    place.chmod(mode)
    (place / "other.lock").touch()
    (place / "other.lock").chmod(0o666)
    (place / "link.lock").symlink_to(__file__)
    before = bits(Path(__file__))
    cache.entry("arm", write)
    assert bits(place) == mode & ~0o022
    assert bits(place / "other.lock") == 0o600  # whoever could open it could hold it
    assert bits(Path(__file__)) == before
    told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert len(told) == (1 if mode & 0o002 else 0)


@pytest.mark.parametrize("name", [None, "content", cache.RECORD_FILE])
@pytest.mark.parametrize("mode", [0o666, 0o620, 0o602])
def test_an_entry_that_was_open(
    place: Path, name: str | None, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Case 93: whoever could write it may have: it is set aside, and made anew."""
    made = cache.entry("arm", write).directory
    path = made if name is None else made / name
    path.chmod(mode | 0o100 if name is None else mode)
    again = cache.entry("arm", write)
    assert again.files == {"content": b"ours"}
    assert "may be written by other users" in caplog.text
    assert bits(made) == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o757])
def test_a_folder_above_that_is_open(place: Path, tmp_path: Path, mode: int) -> None:
    """Case 93: who may write it may put another cache there.  Closed to others, or with the sticky bit, it serves."""
    tmp_path.chmod(mode)
    try:
        with pytest.raises(
            CacheError, match=rf"{tmp_path} may be written by other users \(mode {mode:04o}\)"
        ):
            cache.entry("arm", write)
        tmp_path.chmod(mode | stat.S_ISVTX)
        assert cache.entry("arm", write).directory.parent == place
    finally:
        tmp_path.chmod(0o700)


def test_a_sticky_folder_is_no_cache(place: Path) -> None:
    """Case 93: KANEGEN_CACHE_DIR=/tmp would take the sticky bit's folder away from all, were it closed."""
    place.mkdir()
    place.chmod(0o1777)
    with pytest.raises(
        CacheError,
        match=r"may be written by other users \(mode 1777\)",
    ):
        cache.entry("arm", write)
    assert bits(place) == 0o1777


def test_folders_of_a_private_group(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 93: with umask 002, homes belong to a group of their user alone; any other group is of others."""
    gid, name = 54321, pwd.getpwuid(os.geteuid()).pw_name
    groups = {gid: grp.struct_group((name, "x", gid, []))}
    monkeypatch.setattr(grp, "getgrgid", lambda number: groups[number])
    real = Path.lstat

    def lstat(self: Path) -> os.stat_result:
        status = real(self)
        values = list(status)
        if self == tmp_path:
            values[0], values[5] = status.st_mode | 0o020, gid
        return os.stat_result(values)

    monkeypatch.setattr(Path, "lstat", lstat)
    assert cache.entry("arm", write).directory.parent == place
    for members in ([name], [name, "eve"]):
        groups[gid] = grp.struct_group((name, "x", gid, members))
        assert (cache_place.distrust_of_way(place) is None) == (members == [name])
    groups[gid] = grp.struct_group(("staff", "x", gid, []))
    assert "may be written by other users" in str(cache_place.distrust_of_way(place))
    groups.clear()
    assert "may be written by other users" in str(cache_place.distrust_of_way(place))


@TWO_USERS
@pytest.mark.parametrize("mode", [0o700, 0o755, 0o777])
def test_a_cache_of_another_user(place: Path, mode: int) -> None:
    """Case 93: refused with the reason, whatever its mode; nothing is changed about it."""
    place.mkdir()
    place.chmod(mode)
    os.chown(place, OTHER, OTHER)
    with pytest.raises(
        CacheError, match=rf"KANEGEN_CACHE_DIR=.* cannot be used: {place} belongs to another user \(\w+\)"
    ):
        cache.entry("arm", write)
    assert (bits(place), list(place.iterdir())) == (mode, [])


@TWO_USERS
def test_a_folder_above_of_another_user(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 93: whoever owns a folder on the way may put another one there.

    That is refused for places that nobody named, and in folders open to all.  Where the place was named, owners above it
    count as meant: in a container the checkout of a project belongs to the user outside.
    """
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    os.chown(theirs, OTHER, OTHER)
    monkeypatch.setenv(cache_place.VARIABLE, str(theirs / "cache"))
    assert cache.entry("arm", write).directory.parent == theirs / "cache"
    assert (
        cache_place.distrust_of_way(theirs / "cache")
        == f"{theirs} belongs to another user ({pwd.getpwuid(OTHER).pw_name})"
    )
    tmp_path.chmod(0o1777)
    with pytest.raises(CacheError, match=r"theirs belongs to another user"):
        cache.entry("arm", write)


@TWO_USERS
@pytest.mark.parametrize("what", ["entry", "content", cache.RECORD_FILE])
def test_an_entry_of_another_user(place: Path, what: str, caplog: pytest.LogCaptureFixture) -> None:
    """Case 93: set aside with the reason, and made anew."""
    made = cache.entry("arm", write).directory
    path = made if what == "entry" else made / what
    os.chown(path, OTHER, OTHER)
    assert cache.entry("arm", write).files == {"content": b"ours"}
    assert f"{path} belongs to another user" in caplog.text
    assert (made / "content").stat().st_uid == os.geteuid()


def test_links_on_the_way(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 93: a link of ours is followed to a folder of ours, relative or not; one in a circle is refused."""
    (tmp_path / "disk" / "kanegen").mkdir(parents=True)
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to(tmp_path / "disk" / ".." / "disk" / "kanegen")
    monkeypatch.setenv(cache_place.VARIABLE, str(tmp_path / "one"))
    cache.entry("arm", write)
    assert (tmp_path / "disk" / "kanegen" / "arm" / "content").is_file()
    (tmp_path / "disk").chmod(0o777)
    with pytest.raises(CacheError, match=rf"{tmp_path / 'disk'} may be written by other users"):
        cache.entry("arm", write)
    (tmp_path / "disk").chmod(0o700)
    (tmp_path / "two").unlink()
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(CacheError, match=r"cannot be used: .*one"):
        cache.entry("arm", write)


@TWO_USERS
def test_a_link_of_another_user(place: Path, tmp_path: Path) -> None:
    """Case 93: in a sticky folder anybody may put a link at the expected name, even to a folder of ours."""
    (tmp_path / "ours").mkdir()
    place.symlink_to(tmp_path / "ours")
    os.chown(place, OTHER, OTHER, follow_symlinks=False)
    tmp_path.chmod(0o1777)
    with pytest.raises(CacheError, match=rf"{place} belongs to another user"):
        cache.entry("arm", write)
    assert list((tmp_path / "ours").iterdir()) == []


def planted(marker: Path, folder: Path) -> bytes:
    """A library that says so when it is loaded."""
    source = folder / "planted.c"
    source.write_text(
        "#include <stdio.h>\n__attribute__((constructor)) static void run(void)\n"
        f'{{ FILE *file = fopen("{marker}", "w"); if (file) fclose(file); }}\n'
    )
    library = folder / "planted.so"
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    return library.read_bytes()


def as_other(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python program as the other user: the interpreter starts as this one, whose files it may need, and changes over.

    Only built-in modules are imported after that.
    """
    change = (
        "import hashlib, json, os, pathlib, sys\n"
        f"os.setgroups([]); os.setgid({OTHER}); os.setuid({OTHER})\n"
        "assert os.geteuid() != 0\n"
    )
    command = [sys.executable, "-I", "-c", change + program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that every user can enter, as pytest's are not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@TWO_USERS
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_two_users(reachable: Path, monkeypatch: pytest.MonkeyPatch, umask: int) -> None:
    """Case 93, in full.  The other user cannot swap the library, whatever the umask was; and where everything is 0777, as it
    used to be under umask 000, swaps it with its record, but it is not loaded, and no second attempt is to be had.
    """
    monkeypatch.setenv(cache_place.VARIABLE, str(reachable / "cache"))
    marker = reachable / "marker"
    with mask(umask):
        made = compiled()
    library = next(path for path in made.directory.iterdir() if path.suffix == ".so")
    swap = (
        "library, content = pathlib.Path(sys.argv[1]), bytes.fromhex(sys.argv[2])\n"
        "record = library.with_name('record.json')\n"
        "data = json.loads(record.read_text())\n"
        "data['files'][library.name] = [len(content), hashlib.sha256(content).hexdigest()]\n"
        "for path, new in ((library, content), (record, json.dumps(data).encode())):\n"
        "    path.unlink()\n    path.write_bytes(new)\n    path.chmod(0o600)\n"
    )
    code = planted(marker, reachable).hex()
    done = as_other(swap, str(library), code)
    assert "PermissionError" in done.stderr
    for path in (reachable / "cache", made.directory, *made.directory.iterdir()):
        path.chmod(0o777 if path.is_dir() else 0o666)
    done = as_other(swap, str(library), code)
    assert done.returncode == 0, done.stderr
    assert library.stat().st_uid == OTHER
    made.directory.chmod(0o700)  # so that the owner alone gives it away
    extensions._modules.clear()
    again = compiled()
    assert not marker.exists()
    assert (
        again.module.ffi.string(again.module.lib.kanegen_manifest_digest()).decode() == again.manifest.digest
    )
    done = as_other(swap, str(library), code)
    assert "PermissionError" in done.stderr
    ctypes.CDLL(str(made.directory.with_name(f"{made.directory.name}.damaged") / library.name))
    assert marker.exists()  # so it would have shown


@TWO_USERS
def test_a_cache_that_root_made_for_all(reachable: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 93: a folder of root that nobody else may write is trusted by all, and serves those who cannot write it."""
    monkeypatch.setenv(cache_place.VARIABLE, str(reachable / "cache"))
    made = cache.entry("arm", write).directory
    for path in (reachable / "cache", made, *made.iterdir()):
        path.chmod(0o755 if path.is_dir() else 0o644)
    child = os.fork()
    if child == 0:  # pragma: no cover - in the other process
        status = 1
        with contextlib.suppress(BaseException):
            os.setgroups([])
            os.setgid(OTHER)
            os.setuid(OTHER)
            assert cache.entry("arm", write).files == {"content": b"ours"}
            try:
                cache.entry("new", write)
            except CacheError as error:
                status = 0 if "Permission denied. Set KANEGEN_CACHE_DIR to a directory" in str(error) else 2
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_entries_that_changed_places(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Case 93: a whole entry under another's name is another robot; the record tells."""
    one, other = (cache.entry(name, write).directory for name in ("one", "other"))
    shutil.rmtree(one)
    other.rename(one)
    cache.entry("one", write)
    assert re.search(r"one/record\.json belongs to 'other'\. It is set aside as .*one\.damaged", caplog.text)


def test_a_library_beside_another_manifest(place: Path) -> None:
    """Case 93: library and manifest of one entry are recorded together; those of two are refused before either is used."""
    made = compiled()
    other = extensions.compiled_entry(
        "arm", {"model": "y"}, lambda directory: extensions.copy_generated(MODEL, directory)
    )
    path = other.directory / "manifest.json"
    data = json.loads(path.read_text())
    data["model"]["name"] = "another"
    path.write_text(json.dumps(data))
    shutil.copy2(path, made.directory / "manifest.json")
    with pytest.raises(
        cache.DamagedError, match=r"manifest\.json has \d+ bytes, and had \d+ when it was made"
    ):
        cache.recorded(made.directory, made.directory.name)


def test_what_is_not_recorded_is_not_used(place: Path, tmp_path: Path) -> None:
    """Case 93: a further library, whose name Python would prefer, is nothing to kanegen."""
    import importlib.machinery

    made = compiled()
    (library,) = (path.name for path in made.directory.iterdir() if path.suffix == ".so")
    for suffix in importlib.machinery.EXTENSION_SUFFIXES:
        if f"{extensions.MODULE}{suffix}" != library:
            (made.directory / f"{extensions.MODULE}{suffix}").write_bytes(b"planted")
    extensions._modules.clear()
    assert Path(str(compiled().module.__file__)).name == library


def test_the_lock_follows_no_link(place: Path, tmp_path: Path) -> None:
    """Case 93: filelock from the release on that follows no link at a lock's name: 3.20.3, for its fallback, too."""
    treasure = tmp_path / "treasure"
    treasure.write_text("mine")
    cache_place.cache_directory()
    (place / "arm.lock").symlink_to(treasure)
    with pytest.raises(CacheError, match=r"arm\.lock cannot be written"):
        cache.entry("arm", write)
    assert treasure.read_text() == "mine"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (bound,) = (need for need in project["dependencies"] if need.startswith("filelock"))
    assert tuple(int(part) for part in bound.removeprefix("filelock>=").split(".")) >= (3, 20, 3)


@TWO_USERS
def test_a_neighbour_that_is_called_like_what_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 93: generated C in the working directory is code; a stranger's is not run for its name, but for its path."""
    shutil.copytree(MODEL, tmp_path / "four_bar")
    monkeypatch.chdir(tmp_path)
    assert kanegen.load("four_bar").joint_names
    os.chown(tmp_path / "four_bar", OTHER, OTHER)
    with pytest.raises(kanegen.ManifestError, match=r"belongs to another user .* load '\./four_bar'"):
        kanegen.load("four_bar")
    assert kanegen.load("./four_bar").joint_names
    os.chown(tmp_path, OTHER, OTHER)  # as where a container sees the folder of the user outside
    assert kanegen.load("four_bar").joint_names
    os.chown(tmp_path, 0, 0)


@pytest.mark.parametrize("chosen", ["~nosuchuser/x", "x" * 5000, "/dev/null", "/dev/null/below"])
def test_a_variable_that_names_no_directory(chosen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 93 and its like: one error of ours, whatever it names."""
    monkeypatch.setenv(cache_place.VARIABLE, chosen)
    with pytest.raises(CacheError, match=r"^KANEGEN_CACHE_DIR=.* cannot be used: .*"):
        cache_place.cache_directory()
