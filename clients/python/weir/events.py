"""Reads what output needs to return an event's keys, and finds and decrypts the encrypted texts of an event."""

from __future__ import annotations

import base64
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class WeirError(Exception):
    """`code` is `refused` (by auth or output), `unreachable` (after a minute), or `unreadable` (an event without its
    keyLink, time or consent levels)."""

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Encrypted:
    """A value that can't be decrypted. `str()` gives the encrypted text.

    `reason` is `erased` (nobody can decrypt fields of this person any more), `expired` (the event is older than the
    stream's keys), `refused` (the output may not show the event any more), `unknown` (Weir did not encrypt the
    value for this event), or `no_key` (the output may not decrypt the level, or the person has withdrawn it).
    """

    text: str
    reason: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Asked:
    """What output needs to return an event's keys. Events with the same name have the same keys."""

    key_link: uuid.UUID
    timestamp: int
    consent: tuple[int, ...]

    @property
    def name(self) -> tuple:
        return (self.key_link, self.consent)

    @property
    def prefix(self) -> bytes:
        """The first bytes of every text that is encrypted for the keyLink."""
        return b"\x01" + self.key_link.bytes[:4]

    @property
    def body(self) -> dict:
        return {"keyLink": str(self.key_link), "timestamp": self.timestamp, "consentLevels": list(self.consent)}


def asked_by_headers(headers: Mapping[str, bytes], event: Mapping) -> Asked:
    try:
        key_link = uuid.UUID(bytes=bytes(headers["svc-key-link"]))
        return Asked(key_link, int(headers["svc-time"]), _consent(event))
    except (KeyError, ValueError):
        raise WeirError("unreadable", "An event is without the headers svc-key-link and svc-time") from None


def asked_by_event(event: Mapping) -> Asked:
    try:
        key_link = event.get("svc_key_link") or event["svcMeta"]["keyLink"]
        return Asked(uuid.UUID(str(key_link)), _milliseconds(event["svcMeta"]["timestamp"]), _consent(event))
    except (AttributeError, KeyError, TypeError, ValueError):
        if isinstance(event, Mapping) and any(str(name).startswith("svcMeta.") for name in event):
            raise WeirError(
                "unreadable",
                "An event has columns such as svcMeta.timestamp, as in CSV files and flattened rows; decrypt the rows of a "
                "Parquet or JSONL file, and flatten them afterwards",
            ) from None
        raise WeirError(
            "unreadable",
            "An event is without its keyLink (the column svc_key_link of an export of an output that readers decrypt), "
            "svcMeta.timestamp or svcMeta.consentLevels",
        ) from None


def _consent(event: Mapping) -> tuple[int, ...]:
    return tuple(sorted({int(level) for level in event["svcMeta"]["consentLevels"]}))


def _milliseconds(moment: Any) -> int:
    if not isinstance(moment, datetime):
        return int(moment)
    aware = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
    return (aware - _EPOCH) // timedelta(milliseconds=1)


def _is_encrypted(text: str, prefix: bytes) -> bool:
    if len(text) < 28:
        return False
    try:
        return base64.b64decode(text[:8], validate=True)[:5] == prefix
    except ValueError:
        return False


def has_encrypted(value: Any, prefix: bytes) -> bool:
    found = []
    mapped(value, prefix, lambda text, path: found.append(text))
    return bool(found)


def mapped(value: Any, prefix: bytes, change: Callable[[str, tuple], Any], path: tuple = ()) -> Any:
    """Returns a copy in which `change` has replaced each text that is encrypted for the keyLink."""
    if isinstance(value, str):
        return change(value, path) if _is_encrypted(value, prefix) else value
    if isinstance(value, Mapping):
        return {name: mapped(item, prefix, change, (*path, name)) for name, item in value.items()}
    if hasattr(value, "tolist") and not isinstance(value, (bytes, memoryview)):  # numpy, in rows of pandas
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [mapped(item, prefix, change, path) for item in value]
    return value


def keys_in(person: Mapping) -> Any:
    if "keys" in person:
        return [AESSIV(base64.b64decode(key)) for key in person["keys"].values()]
    return next((reason for reason in ("erased", "expired", "refused", "unknown") if person.get(reason)), "unknown")


def opened(text: str, path: tuple, keys: Any, otherwise: Callable[[Encrypted], Any]) -> Any:
    if isinstance(keys, str):
        return otherwise(Encrypted(text, keys))
    data = base64.b64decode(text)[5:]
    # A column of a table may name a nested field with dots. Only the right path decrypts the text.
    for name in {"/".join(path), "/".join(path).replace(".", "/")}:
        for key in keys:
            try:
                return key.decrypt(data, [name.encode()]).decode()
            except InvalidTag:
                continue
    return otherwise(Encrypted(text, "no_key"))
