"""Decrypts the events of Weir's outputs with `decryptAt: reader`.

Their personal fields are encrypted in the Kafka topic, and in every copy of it: a data lake, a Parquet file, a backup.
A `Decrypter` asks output for the keys of the people in the events, and keeps each key only as long as it may. So a
person who is erased becomes unreadable in all of these copies (docs/keys.md, Keys for readers).
"""

from __future__ import annotations

import base64
import io
import json
import ssl
import time
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Iterable, Mapping, Sequence
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

__all__ = ["Decrypter", "Encrypted", "WeirError"]

_PERSONS_MAX = 1_000
_EVENTS_AT_ONCE = 1_000
_KEPT_MAX = 100_000
_TIMEOUT_S = 30
_GIVE_UP_AFTER_S = 60
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
    stream's keys), `refused` (the output may not show the event any more), `unknown` (Weir did not encrypt it for this
    event), or `no_key` (the output may not see the level, or the person has withdrawn it).
    """

    text: str
    reason: str

    def __str__(self) -> str:
        return self.text


class Decrypter:
    """Needs the credentials of the output. `ca_file` is a file with authorities to trust, in PEM."""

    def __init__(
        self,
        *,
        auth_url: str,
        output_url: str,
        billing_id: str,
        client_id: str,
        client_secret: str,
        ca_file: str | None = None,
    ):
        self._auth_url = auth_url.rstrip("/")
        self._output_url = output_url.rstrip("/")
        self._credentials = {"billingId": billing_id, "clientId": client_id, "clientSecret": client_secret}
        self._tls = ssl.create_default_context(cafile=ca_file) if ca_file else None
        self._token: tuple[str, float] | None = None
        self._kept: OrderedDict[tuple, tuple[Any, float]] = OrderedDict()
        self._schemas: dict[int, Any] = {}
        self._persons_at_once = _PERSONS_MAX

    def decode(self, messages: Iterable[Any], otherwise: Callable[[Encrypted], Any] | None = None) -> list[dict]:
        """Decodes and decrypts records of the topic: messages of confluent_kafka, or pairs of headers (a dict or a
        list of pairs) and value. Pass many in one call: a thousand take one request for keys at most, if they have few levels."""
        import fastavro

        events = []
        for message in messages:
            headers, value = (message.headers(), message.value()) if hasattr(message, "headers") else message
            event = fastavro.schemaless_reader(io.BytesIO(value[5:]), self._schema(int.from_bytes(value[1:5], "big")))
            events.append((event, _asked_by_headers(dict(headers), event)))
        return self._decrypt(events, otherwise)

    def decrypt(self, events: Iterable[Mapping], otherwise: Callable[[Encrypted], Any] | None = None) -> list[dict]:
        """Decrypts events that are decoded already, such as rows of an exported file. Each needs `svcMeta` with
        `timestamp` and `consentLevels`, and the keyLink: in `svc_key_link`, or as text in `svcMeta`.

        Returns copies. A value that can't be decrypted is an `Encrypted`, or what `otherwise` returns for it."""
        return self._decrypt([(event, _asked_by_event(event)) for event in events], otherwise)

    def _decrypt(self, events: Sequence[tuple[Mapping, _Asked]], otherwise: Callable | None) -> list[dict]:
        change = otherwise or (lambda value: value)
        decrypted = []
        for start in range(0, len(events), _EVENTS_AT_ONCE):
            part = [(event, one, _has_encrypted(event, one.prefix)) for event, one in events[start : start + _EVENTS_AT_ONCE]]
            self._fetch({one.name: one for _, one, is_encrypted in part if is_encrypted})
            # Used before anything else is waited for, so that no key is too old.
            for event, one, is_encrypted in part:
                keys = self._kept[one.name][0] if is_encrypted else None
                open_one = lambda text, path: _opened(text, path, keys, change)  # noqa: E731
                decrypted.append(_mapped(event, one.prefix, open_one) if is_encrypted else dict(event))
        return decrypted

    def _fetch(self, asked: dict[tuple, _Asked]) -> None:
        """Asks output for the keys that are missing or too old."""
        while True:
            now = time.monotonic()
            missing = [one for name, one in asked.items() if now >= self._kept.get(name, (None, 0.0))[1]]
            if not missing:
                break
            part = missing[: self._persons_at_once]
            sent = time.monotonic()
            answer = self._ask("/v2/keys", {"persons": [one.body for one in part]})
            if answer is None:
                self._persons_at_once = -(-len(part) // 4)
                continue
            good_until = sent + answer["maxAgeSeconds"]
            if time.monotonic() >= good_until:
                raise WeirError("unreachable", "The keys were too old when they arrived")
            for one, person in zip(part, answer["persons"]):
                self._kept[one.name] = (_keys_in(person), good_until)
        for name in asked:
            self._kept.move_to_end(name)
        while len(self._kept) > _KEPT_MAX:
            self._kept.popitem(last=False)

    # --- requests ---

    def _ask(self, path: str, body: dict) -> Any:
        """None if output gives fewer keys in one request. Tries again for a minute. A token may have been revoked meanwhile, so a first 401 is worth another try."""
        end = time.monotonic() + _GIVE_UP_AFTER_S
        pause, may_renew = 0.1, True
        while True:
            try:
                return self._request(self._output_url + path, body, {"authorization": f"Bearer {self._bearer()}"})
            except _Refused as refused:
                if refused.status == 401 and may_renew:
                    may_renew, self._token = False, None
                elif refused.status == 422 and len(body["persons"]) > 1:
                    return None
                elif refused.status not in (408, 429) and refused.status < 500:
                    raise WeirError("refused", refused.sentence) from None
                elif time.monotonic() + pause > end:
                    raise WeirError("unreachable", refused.sentence) from None
            except URLError as error:
                if time.monotonic() + pause > end:
                    raise WeirError("unreachable", f"{self._output_url} can't be reached: {error.reason}") from error
            time.sleep(pause)
            pause = min(10.0, pause * 2)

    def _bearer(self) -> str:
        if self._token is None or time.time() > self._token[1] - 60:
            answer = self._request(f"{self._auth_url}/auth", self._credentials, {})
            self._token = (answer["idToken"], answer["expiresAt"])
        return self._token[0]

    def _schema(self, number: int) -> Any:
        if number not in self._schemas:
            import fastavro

            pair = f"{self._credentials['clientId']}:{self._credentials['clientSecret']}"
            basic = {"authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
            try:
                answer = self._request(f"{self._auth_url}/registry/schemas/ids/{number}", None, basic)
            except _Refused as refused:
                raise WeirError("refused", refused.sentence) from None
            except URLError as error:
                raise WeirError("unreachable", f"{self._auth_url} can't be reached: {error.reason}") from error
            self._schemas[number] = fastavro.parse_schema(json.loads(answer["schema"]))
        return self._schemas[number]

    def _request(self, url: str, body: dict | None, headers: dict) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(url, data, {**headers, "content-type": "application/json"})
        try:
            with urlopen(request, timeout=_TIMEOUT_S, context=self._tls) as response:
                return json.load(response)
        except HTTPError as error:
            raise _Refused(error.code, _sentence(error)) from None
        except TimeoutError as error:
            raise URLError(error) from error


class _Refused(Exception):
    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


def _sentence(error: HTTPError) -> str:
    try:
        answer = json.loads(error.read())
        return str(answer.get("detail") or answer["message"])
    except (ValueError, KeyError, AttributeError):
        return f"{error.url} answers {error.code}"


# --- events ---


@dataclass(frozen=True)
class _Asked:
    """What output must know of an event. Events with the same name have the same keys."""

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


def _asked_by_headers(headers: Mapping[str, bytes], event: Mapping) -> _Asked:
    try:
        key_link = uuid.UUID(bytes=bytes(headers["svc-key-link"]))
        return _Asked(key_link, int(headers["svc-time"]), _consent(event))
    except (KeyError, ValueError):
        raise WeirError("unreadable", "An event is without the headers svc-key-link and svc-time") from None


def _asked_by_event(event: Mapping) -> _Asked:
    try:
        key_link = event.get("svc_key_link") or event["svcMeta"]["keyLink"]
        return _Asked(uuid.UUID(str(key_link)), _milliseconds(event["svcMeta"]["timestamp"]), _consent(event))
    except (KeyError, TypeError, ValueError):
        raise WeirError(
            "unreadable", "An event is without its keyLink (svc_key_link), svcMeta.timestamp or svcMeta.consentLevels"
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


def _has_encrypted(value: Any, prefix: bytes) -> bool:
    found = []
    _mapped(value, prefix, lambda text, path: found.append(text))
    return bool(found)


def _mapped(value: Any, prefix: bytes, change: Callable[[str, tuple], Any], path: tuple = ()) -> Any:
    """A copy in which `change` has replaced each text that is encrypted for the keyLink."""
    if isinstance(value, str):
        return change(value, path) if _is_encrypted(value, prefix) else value
    if isinstance(value, Mapping):
        return {name: _mapped(item, prefix, change, (*path, name)) for name, item in value.items()}
    if hasattr(value, "tolist") and not isinstance(value, (bytes, memoryview)):  # numpy, in rows of pandas
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_mapped(item, prefix, change, path) for item in value]
    return value


def _keys_in(person: Mapping) -> Any:
    if "keys" in person:
        return [AESSIV(base64.b64decode(key)) for key in person["keys"].values()]
    return next((reason for reason in ("erased", "expired", "refused", "unknown") if person.get(reason)), "unknown")


def _opened(text: str, path: tuple, keys: Any, otherwise: Callable[[Encrypted], Any]) -> Any:
    if isinstance(keys, str):
        return otherwise(Encrypted(text, keys))
    data = base64.b64decode(text)[5:]
    # Columns of tables may name a nested field with dots. Only the right path decrypts.
    for name in {"/".join(path), "/".join(path).replace(".", "/")}:
        for key in keys:
            try:
                return key.decrypt(data, [name.encode()]).decode()
            except InvalidTag:
                continue
    return otherwise(Encrypted(text, "no_key"))
