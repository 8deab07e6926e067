"""The start of the zipapp: unpacks what is for this Python once, then runs gpuxlate from there.

Compiled modules cannot be imported out of an archive. They go to the user's cache; where there is none
to write to, to a temporary folder that is removed at the end. Standard library alone, any Python 3.
"""

import os
import shutil
import sys
import tempfile
import zipfile

ARCHIVE = os.path.dirname(os.path.abspath(__file__))
TAG = "cp%d%d" % sys.version_info[:2]


def main():  # type: () -> None
    """Run the command by the name it was called by."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        folders = {name.split("/")[1] for name in archive.namelist() if name.startswith("lib/")}
        if TAG not in folders:
            known = ", ".join(sorted(folder for folder in folders if folder.startswith("cp")))
            sys.exit("error: this file is for " + known + ", and python3 is " + TAG)
        inside = [name for name in archive.namelist() if name.startswith(("lib/any/", "lib/" + TAG + "/"))]
        lib = os.path.join(unpacked(archive, inside, archive.read("BUILD").decode()), "lib")
        sys.path[:1] = [os.path.join(lib, TAG), os.path.join(lib, "any")]
    from importlib import import_module

    called = os.path.basename(sys.argv[0])
    module = "gpuxlate.cli"
    if called.startswith("kubectl-"):
        module += ".kubectl"
    elif called.startswith("kubectl_complete-"):
        module += ".complete"
    import_module(module).main()


def unpacked(archive, names, build):  # type: (zipfile.ZipFile, list, str) -> str
    """The folder with the modules; made whole, then renamed, so that two starts at once do no harm."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    parent = os.path.join(home, "gpuxlate")
    target = os.path.join(parent, build + "-" + TAG)
    if not os.path.isdir(target):
        try:
            os.makedirs(parent, mode=0o700, exist_ok=True)
            part = tempfile.mkdtemp(prefix=".part-", dir=parent)
        except OSError:
            return extracted(archive, names, temporary())
        extracted(archive, names, part)
        try:
            os.rename(part, target)
        except OSError:  # somebody was faster
            shutil.rmtree(part, ignore_errors=True)
    return target


def temporary():  # type: () -> str
    """A folder that goes when Python ends."""
    import atexit

    folder = tempfile.mkdtemp(prefix="gpuxlate-")
    atexit.register(shutil.rmtree, folder, True)
    return folder


def extracted(archive, names, folder):  # type: (zipfile.ZipFile, list, str) -> str
    archive.extractall(folder, names)
    return folder


main()
