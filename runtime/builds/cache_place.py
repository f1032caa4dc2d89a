"""Where the cache of compiled mechanisms is: a directory into which no other user can put code.

Whoever may write a folder may put another one in the place of what is in it.  So every folder on the way counts, and every
link that is followed, as for the keys of ssh: by owners and modes of POSIX.  On Windows nothing is checked: there a profile
belongs to its user alone.
"""

from __future__ import annotations

import errno
import functools
import logging
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kanegen.errors import CacheError
from kanegen.files import make_folders

VARIABLE = "KANEGEN_CACHE_DIR"
"""Environment variable that names the directory."""

_log = logging.getLogger("kanegen")


def cache_directory() -> Path:
    """The directory, which exists afterwards.

    $KANEGEN_CACHE_DIR where it is set; else the user's cache directory; else, where there is no home, or it cannot be
    written or trusted or no code may run there, a private directory among the temporary files.  A directory of this user
    that others may write is closed to them.

    Raises CacheError where there is none, or where $KANEGEN_CACHE_DIR cannot be used.
    """
    chosen = os.environ.get(VARIABLE)
    if not chosen:
        return _user_directory() or _temporary_directory()
    try:
        directory = Path(chosen).expanduser().absolute()
    except RuntimeError as error:  # ~ of a user who is not there
        raise _unusable(chosen, str(error)) from error
    reason = _objection(directory, named=True)
    if reason is not None:
        raise _unusable(chosen, reason)
    return directory


def _unusable(chosen: str, reason: str) -> CacheError:
    return CacheError(
        f"{VARIABLE}={chosen} cannot be used: {reason}. Name another directory: one of your own, where code may run"
    )


def _objection(directory: Path, named: bool = False) -> str | None:
    """Why compiled code is not kept in a directory, which is made if it is not there; None where it may be."""
    try:
        make_folders(directory, 0o700)
        _tighten(directory)
        reason = distrust_of_way(directory, named)
    except OSError as error:
        return f"{error.filename or directory}: {error.strerror or error}"
    if reason is None and _forbids_execution(directory):
        reason = (
            f"{directory} is on a file system that is mounted noexec, so that no code can be loaded from it"
        )
    return reason


def _tighten(directory: Path) -> None:
    before = tighten(directory)
    if before is not None:
        for lock in directory.glob("*.lock"):  # whoever can open one can hold it, and make us wait
            status = lock.lstat()
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                lock.chmod(0o600)
        level = logging.WARNING if before & stat.S_IWOTH else logging.INFO
        _log.log(
            level,
            "%s could be written by other users (mode %04o), and is closed to them now",
            directory,
            before,
        )


def _forbids_execution(directory: Path) -> bool:
    """Whether the file system is mounted so that no library can be loaded from it, where the system tells."""
    flag = getattr(os, "ST_NOEXEC", 0)
    return bool(flag and os.statvfs(directory).f_flag & flag)


def _user_directory() -> Path | None:
    """The platform's place for caches of this user, if it can be used."""
    from platformdirs import user_cache_path

    try:
        directory = user_cache_path("kanegen", appauthor=False)
    except RuntimeError:
        return None
    if not directory.is_absolute():  # no home directory is known: "~" stayed as it was
        return None
    try:
        make_folders(directory, 0o700)
    except OSError:
        return None
    reason = _objection(directory)
    if reason is None:
        return directory if os.access(directory, os.W_OK | os.X_OK) else None
    _warn_once(f"{reason}; compiled mechanisms go among the temporary files. {VARIABLE} names another place")
    return None


def _temporary_directory() -> Path:
    """A directory among the temporary files that belongs to this user and that no one else can write.

    Where the name is taken by something else, the first of its kind that serves, so that one is made once, and not by
    every process.
    """
    owner = os.getuid() if hasattr(os, "getuid") else 0
    temporary = Path(tempfile.gettempdir()).absolute()
    expected = temporary / f"kanegen-{owner}"
    reason = _private_objection(expected)
    if reason is None:
        return expected
    private = next(
        (p for p in sorted(temporary.glob(f"kanegen-{owner}-*")) if _private_objection(p) is None), None
    )
    if private is None:
        try:
            private = Path(tempfile.mkdtemp(prefix=f"kanegen-{owner}-", dir=temporary))
            still = _private_objection(private)
        except OSError as error:
            still = f"{temporary} cannot be written ({error.strerror or error})"
        if private is None or still is not None:
            raise CacheError(
                f"there is no directory to keep compiled mechanisms in: {still}. Set {VARIABLE} to a directory of your "
                "own, where code may run"
            )
    _warn_once(f"{reason}; compiled mechanisms go to {private}")
    return private


def _private_objection(directory: Path) -> str | None:
    """As ``_objection``, for a place where everybody may put something: a link, or what is not ours, does not serve."""
    try:
        status = directory.lstat()
    except FileNotFoundError:
        return _objection(directory)
    except OSError as error:
        return f"{directory}: {error.strerror or error}"
    if not stat.S_ISDIR(status.st_mode):
        return f"{directory} is not a directory"
    return _objection(directory)


@functools.cache
def _warn_once(message: str) -> None:
    """The directory is asked for several times in a load."""
    _log.warning("%s", message)


_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40  # as Linux follows


def distrust_of_owner(path: Path, status: os.stat_result) -> str | None:
    """Why what is at a path is not trusted for its owner: it belongs neither to this user nor to the administrator."""
    if os.name != "posix" or status.st_uid in _trusted_owners():
        return None
    return f"{path} belongs to another user ({_user_name(status.st_uid)})"


def distrust(path: Path, status: os.stat_result) -> str | None:
    """Why what is at a path is not trusted: for its owner, or since others may write it."""
    return distrust_of_owner(path, status) or _open_to_others(path, status)


def distrust_of_way(path: Path, named: bool = False) -> str | None:
    """Why a folder is not trusted, every folder and link on the way to it included.  Raises OSError.

    Folders above it may be open to others where these cannot move what is not theirs (the sticky bit of /tmp).  So may
    those open to a group that has this user as its only member.

    Where the user ``named`` the folder, the owners of those above it are trusted, too, and their groups: in containers these
    are often another user's.  What lies in a folder open to all must belong to trusted owners all the same.
    """
    if os.name != "posix":
        return None
    for step, status, open_above in _steps(path):
        above = named and not open_above and step != path
        reason = None if above else distrust_of_owner(step, status)
        if reason is None and stat.S_ISDIR(status.st_mode) and not status.st_mode & stat.S_ISVTX:
            private = not status.st_mode & stat.S_IWOTH if named else _private_group(step, status)
            if not private and step != path:
                reason = (
                    f"{_open_to_others(step, status)}, and has no sticky bit: chmod +t, or o-w, mends that"
                )
        if reason is not None:
            return reason
    return distrust(path, path.stat())


def distrust_of_neighbour(path: Path) -> str | None:
    """Why something found by its mere name in a folder is not what the user meant: somebody else put it there.

    Trusted is whom the folder belongs to, too: in a container that may be the user outside.  Raises OSError.
    """
    status = path.stat()
    if status.st_uid == path.absolute().parent.stat().st_uid:
        return None
    return distrust_of_owner(path.absolute(), status)


def tighten(folder: Path) -> int | None:
    """Keep others from writing a folder of this user.  Returns its mode before, None where it stays as it is.

    A folder with the sticky bit is meant for all, and no folder for code.  Raises OSError.
    """
    if os.name != "posix":
        return None
    status = folder.stat()
    mode = stat.S_IMODE(status.st_mode)
    if status.st_uid != os.geteuid() or mode & stat.S_ISVTX or not mode & _WRITABLE_BY_OTHERS:
        return None
    folder.chmod(mode & ~_WRITABLE_BY_OTHERS)
    return mode


def _trusted_owners() -> frozenset[int]:
    """This user, root, and the owner of "/": where users are mapped (containers), that is whom root appears as."""
    return frozenset((os.geteuid(), 0, os.lstat("/").st_uid))


def _open_to_others(path: Path, status: os.stat_result) -> str | None:
    if os.name != "posix" or stat.S_ISLNK(status.st_mode) or not status.st_mode & _WRITABLE_BY_OTHERS:
        return None
    return f"{path} may be written by other users (mode {stat.S_IMODE(status.st_mode):04o})"


def _private_group(path: Path, status: os.stat_result) -> bool:
    """Whether those who may write a folder beside its owner are a group of this user alone, or of root.

    A group called like the user and without other members, as systems with umask 002 make them.
    """
    if status.st_mode & stat.S_IWOTH or _has_access_list(path):
        return False
    if status.st_gid == 0:
        return True
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(status.st_gid), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def _has_access_list(path: Path) -> bool:
    """Whether a list names further users or groups; the mode of the group then stands for all of these (Linux)."""
    try:
        return "system.posix_acl_access" in os.listxattr(path)
    except (AttributeError, OSError):
        return False


def _steps(path: Path) -> Iterator[tuple[Path, os.stat_result, bool]]:
    """Every folder and link that is passed on the way to an absolute path, from the root on, with its own status.

    And whether all users may put something into the folder in which it lies.
    """
    at, left, links = Path(path.anchor), list(path.parts[1:]), 0
    yield at, at.lstat(), False
    while left:
        name = left.pop(0)
        if name == "..":
            at = at.parent
            continue
        step = at / name
        status = step.lstat()
        yield step, status, bool(at.lstat().st_mode & stat.S_IWOTH)
        if not stat.S_ISLNK(status.st_mode):
            at = step
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        target = step.readlink()
        if target.is_absolute():
            at = Path(target.anchor)
        left[:0] = target.parts[1:] if target.is_absolute() else target.parts


def _user_name(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
