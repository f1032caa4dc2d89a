"""Whether other users of a machine could put their code where ours is looked for: owners and modes of POSIX.

Whoever may write a folder may put another one in the place of what is in it.  So every folder on the way counts, and every
link that is followed, as for the keys of ssh.  On Windows nothing is checked: there a profile belongs to its user alone.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

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
