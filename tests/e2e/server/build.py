"""kube-apiserver, built once from Debian's source package and kept in a cache folder.

No Debian, PyPI or npm package carries a server binary, but Debian 12 has the whole upstream tree with its
vendor folder as source package ``kubernetes``, and the Go 1.19 that compiles it. One build takes five to
seven minutes on two cores; after that the cache folder answers at once.

    python -m tests.e2e.server.build      # prints the path of the binary
"""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

VERSION = "v1.20.2"
"""The Kubernetes version of Debian 12's source package."""
GO = Path("/usr/lib/go-1.19/bin")
"""Where Debian's golang-1.19-go stands; newer compilers refuse this tree."""
RECIPE = {"kubernetes": VERSION, "go": "1.19", "recipe": 1}
"""What a finished build was made from; any other is made anew. Raise ``recipe`` when the steps change."""
PACKAGES = {"etcd": "etcd-server", **{name: name for name in ("openssl", "rsync", "jq", "make")}}
PACKAGES |= {"dpkg-source": "dpkg-dev", str(GO / "go"): "golang-1.19-go"}
"""Each program that is needed, with the Debian package that has it."""
RUN_TIME = ("etcd", "openssl")
"""What a finished build still needs."""


class BuildError(Exception):
    """Why there is no server, in one line."""


@dataclass(frozen=True, slots=True)
class Server:
    """The programs that make an API server."""

    apiserver: Path
    etcd: Path


def cache_folder() -> Path:
    """``$GPUXLATE_CACHE``, or ``gpuxlate`` in the user's cache folder."""
    if named := os.environ.get("GPUXLATE_CACHE"):
        return Path(named).expanduser().resolve()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpuxlate"


def given_server() -> Server | None:
    """The programs of ``$GPUXLATE_APISERVER`` and ``$GPUXLATE_ETCD``, of any version; None without them."""
    named = [os.environ.get(f"GPUXLATE_{name}") for name in ("APISERVER", "ETCD")]
    if not any(named):
        return None
    apiserver, etcd = (Path(one) if one else None for one in named)
    if apiserver is None or etcd is None:
        raise BuildError("name both programs: GPUXLATE_APISERVER and GPUXLATE_ETCD")
    for one in (apiserver, etcd):
        if not os.access(one, os.X_OK):
            raise BuildError(f"{one} is not a program")
    return Server(apiserver, etcd)


def ensure(cache: Path | None = None) -> Server:
    """The server's programs, built and installed where they are missing; at most one build at a time."""
    given = given_server()
    if given is not None and cache is None:
        return given
    cache = cache or cache_folder()
    home = cache / f"kube-apiserver-{VERSION}"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with _locked(cache / "build.lock"):
            if not _finished(home):
                install(PACKAGES)
                _build(cache, home)
            else:
                install({program: PACKAGES[program] for program in RUN_TIME})
    except OSError as problem:
        raise BuildError(f"cannot build kube-apiserver in {cache}: {problem}") from problem
    etcd = shutil.which("etcd")
    assert etcd is not None  # install() has just seen to it
    return Server(home / "kube-apiserver", Path(etcd))


def _finished(home: Path) -> bool:
    try:
        stamp = json.loads((home / "stamp.json").read_text())
    except (OSError, ValueError):
        return False
    return stamp == RECIPE and os.access(home / "kube-apiserver", os.X_OK)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another process builds kube-apiserver; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def install(packages: dict[str, str]) -> None:
    """Install the packages whose programs are missing."""
    missing = [package for program, package in packages.items() if shutil.which(program) is None]
    if not missing:
        return
    command = f"apt-get install {' '.join(missing)}"
    if shutil.which("apt-get") is None:
        raise BuildError(f"the API server for tests needs Debian 12 and its packages {', '.join(missing)}")
    if os.geteuid() != 0:
        raise BuildError(f"the API server for tests needs more packages; as root, run: {command}")
    _say(f"installing {', '.join(missing)}")
    with tempfile.TemporaryFile("w+") as log:
        _run(["apt-get", "update", "-q"], log)
        _run(["apt-get", "install", "-q", "--yes", "--no-install-recommends", *missing], log)
    still = [package for program, package in packages.items() if shutil.which(program) is None]
    if still:
        raise BuildError(f"installed {', '.join(still)}, but the programs are not on PATH")


def _build(cache: Path, home: Path) -> None:
    started = time.monotonic()
    _say(f"building kube-apiserver {VERSION} in {cache}: five to seven minutes on two cores, once")
    for left in cache.glob("build-*"):  # of a build that was killed; ours is the only one now
        shutil.rmtree(left, ignore_errors=True)
    with (
        (cache / "build.log").open("w+") as log,
        tempfile.TemporaryDirectory(prefix="build-", dir=cache, ignore_cleanup_errors=True) as folder,
        _cleaning_up_when_terminated(),
    ):
        work = Path(folder)
        tree = work / "kubernetes"
        _run(["dpkg-source", "--no-check", "-x", str(_download(work, log)), str(tree)], log)
        _run(["make", "WHAT=cmd/kube-apiserver"], log, cwd=tree, env=_environment(work))
        made = tree / "_output" / "bin" / "kube-apiserver"
        if not made.is_file():
            raise BuildError(f"make wrote no {made.relative_to(tree)}; the log is {log.name}")
        # Under a name of its own first, so that what is called kube-apiserver is always whole.
        part = home / "kube-apiserver.part"
        shutil.copy2(made, part)
        part.rename(home / "kube-apiserver")
        (home / "stamp.json").write_text(json.dumps(RECIPE) + "\n")
    _say(f"built in {time.monotonic() - started:.0f} s")


@contextmanager
def _cleaning_up_when_terminated() -> Iterator[None]:
    """SIGTERM ends us like Ctrl-C: else the compilers would go on alone for minutes."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _source_lines() -> list[str]:
    """Lines of source packages for the distribution's own archives; those of others are left out."""
    asked = (
        "apt-get",
        "indextargets",
        "--format",
        "$(REPO_URI) $(RELEASE) $(COMPONENT)",
        "Created-By: Packages",
    )
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    own = [f"{suite} main" for suite in ("bookworm", "bookworm-updates", "bookworm-security")]
    found = [f"deb-src {line}" for line in said.splitlines() if line.partition(" ")[2] in own]
    if not found:
        raise BuildError("apt knows no mirror of Debian 12 to take the source package from")
    return found


def _download(work: Path, log: IO[str]) -> Path:
    """The source package from the machine's own mirror, with package lists apart from the machine's."""
    lists, listed, cached = work / "lists", work / "deb-src.list", work / "archives"
    (lists / "partial").mkdir(parents=True)
    (cached / "partial").mkdir(parents=True)
    listed.write_text("".join(f"{line}\n" for line in _source_lines()))
    options = [
        *("-q", "-o", f"Dir::Etc::sourcelist={listed}", "-o", "Dir::Etc::sourceparts=-"),
        *("-o", f"Dir::State::lists={lists}", "-o", f"Dir::Cache={cached}"),
        *("-o", "APT::Update::Error-Mode=any"),  # a mirror that is not reached is no mere warning here
        *("-o", "APT::Sandbox::User="),  # the folder is ours alone: apt's own user could not write there
    ]
    _run(["apt-get", "update", *options], log)
    _run(["apt-get", "source", *options, "--download-only", "kubernetes"], log, cwd=work)
    found = list(work.glob("kubernetes_*.dsc"))
    if not found:
        raise BuildError(f"apt-get source brought no kubernetes package; the log is {log.name}")
    if VERSION.removeprefix("v") not in found[0].name:
        raise BuildError(f"the mirror has {found[0].name}, not Kubernetes {VERSION}: Debian 12 is needed")
    return found[0]


def _environment(work: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GO", "KUBE", "MAKE"))}
    kept |= {"PATH": f"{GO}:{os.environ['PATH']}", "KUBE_GIT_VERSION": VERSION}
    return kept | {"GO111MODULE": "off", "GOCACHE": str(work / "go-cache"), "CGO_ENABLED": "0"}


def _run(
    command: Sequence[str], log: IO[str], *, cwd: Path | None = None, env: dict[str, str] | None = None
) -> None:
    env = (env or dict(os.environ)) | {"DEBIAN_FRONTEND": "noninteractive"}
    start = log.tell()
    # A group of its own: when we are interrupted, the compilers under make must stop too.
    said = subprocess.STDOUT
    child = subprocess.Popen(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=said, start_new_session=True
    )
    try:
        code = child.wait()
    except BaseException:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        raise
    log.seek(0, os.SEEK_END)
    if code:
        raise BuildError(f"{' '.join(command[:2])} failed with exit code {code}: {_last_words(log, start)}")


def _last_words(log: IO[str], start: int) -> str:
    """The line of the log that says what went wrong, and where the rest is."""
    log.seek(start)
    lines = [line.strip() for line in log if line.strip()]
    log.seek(0, os.SEEK_END)
    # apt marks errors by "E:"; for make the first line with "rror" says more than the last.
    telling = [line for line in lines if line.startswith("E:")] or [line for line in lines if "rror" in line]
    words = (telling or lines or ["it said nothing"])[0]
    return f"{words} (log: {log.name})" if isinstance(log.name, str) else words


def _say(text: str) -> None:
    print(f"e2e: {text}", file=sys.stderr, flush=True)


def main() -> int:
    try:
        print(ensure().apiserver)
    except BuildError as problem:
        _say(str(problem))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
