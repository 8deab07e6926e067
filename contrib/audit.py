"""Known vulnerabilities of what the locks name: ``python contrib/audit.py`` (``make audit``).

pip-audit asks PyPI about each package in ``requirements/``, but for those of ``lowest.txt``: they are old on
purpose and go nowhere but into a test. One that is found fails (exit 1). Where the service cannot be
asked, or does not know a version, that is said and is no failure: it says nothing about the packages.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCKS = sorted(one for one in (ROOT / "requirements").glob("*.txt") if one.stem != "lowest")
OPTIONS = (
    *("--format", "json", "--progress-spinner", "off", "--vulnerability-service", "pypi"),
    *("--disable-pip", "--require-hashes", "--timeout", "15"),
)
UNREACHABLE = re.compile("Connection|Timeout|timed out|Max retries|ServiceError|Proxy|HTTPError: 5")
"""What the last line of pip-audit says where the service gives no answer."""


def main() -> int:
    """Ask, and say what was answered."""
    files = [word for one in LOCKS for word in ("--requirement", str(one))]
    command = [sys.executable, "-m", "pip_audit", *OPTIONS, *files]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        if UNREACHABLE.search(last):
            print(f"NOT AUDITED: the advisory service gives no answer ({last[:200]})")
            return 0
        print(f"pip-audit failed: {done.stderr}")
        return 2
    return report(found)


def report(found: list[dict[str, Any]]) -> int:
    """Print the vulnerabilities; 1 if there is one."""
    unknown = sorted({one["name"] for one in found if "skip_reason" in one})
    asked = sorted({(one["name"], one["version"]) for one in found if "skip_reason" not in one})
    bad = {
        f"{one['name']} {one['version']}: {each['id']}, {fixed(each['fix_versions'])}"
        for one in found
        for each in one.get("vulns", ())
    }
    for line in sorted(bad):
        print(line)
    print(f"audited packages: {len(asked)}, known vulnerabilities: {len(bad)}")
    if unknown:
        names = (
            f"{len(unknown)} packages: {', '.join(unknown)}" if asked else f"any of {len(unknown)} packages"
        )
        print(f"NOT AUDITED: the advisory service does not know {names}")
    return 1 if bad else 0


def fixed(versions: list[str]) -> str:
    """The versions without a vulnerability."""
    return f"fixed in {' or '.join(versions)}" if versions else "not fixed yet"


if __name__ == "__main__":
    sys.exit(main())
