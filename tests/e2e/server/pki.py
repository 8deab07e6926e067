"""Certificates for servers on loopback, made by the openssl program."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

_CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_LOOPBACK = "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n"
_CLIENT = "extendedKeyUsage=clientAuth\n"


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key, as PEM files."""

    certificate: Path
    key: Path


class Authority:
    """A certificate authority of its own in ``folder``, good for two days."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.pair = Pair(folder / "ca.crt", folder / "ca.key")
        _openssl(
            *("req", "-x509", *_CURVE, "-days", "2", "-subj", "/CN=gpuxlate-e2e-ca"),
            *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
            *("-keyout", str(self.pair.key), "-out", str(self.pair.certificate)),
        )

    def server(self, name: str = "server") -> Pair:
        """A certificate for 127.0.0.1 and localhost."""
        return self._sign(name, f"/CN={name}", _LOOPBACK)

    def client(self, user: str, group: str) -> Pair:
        """A certificate that Kubernetes reads as this user in this group."""
        return self._sign(user, f"/O={group}/CN={user}", _CLIENT)

    def _sign(self, name: str, subject: str, extensions: str) -> Pair:
        pair = Pair(self._folder / f"{name}.crt", self._folder / f"{name}.key")
        request, extension_file = self._folder / f"{name}.csr", self._folder / f"{name}.ext"
        extension_file.write_text(extensions)
        _openssl("req", "-new", *_CURVE, "-subj", subject, "-keyout", str(pair.key), "-out", str(request))
        _openssl(
            *("x509", "-req", "-in", str(request), "-days", "2", "-extfile", str(extension_file)),
            *("-CA", str(self.pair.certificate), "-CAkey", str(self.pair.key), "-CAcreateserial"),
            *("-out", str(pair.certificate)),
        )
        return pair


def _openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, stdin=subprocess.DEVNULL)
