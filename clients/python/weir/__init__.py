"""Decrypts the events of Weir's outputs with `decryptAt: reader`.

The personal fields of these events are encrypted in the Kafka topic, and in every copy of the topic: a data lake, a
Parquet file, a backup. A `Decrypter` asks output for the keys of the people in the events, and keeps each key only as
long as permitted. So an erased person becomes unreadable in all copies (docs/keys.md, Keys for readers).
"""

from __future__ import annotations

import base64
import io
import json
import logging
import os
import ssl
import time
from collections import OrderedDict
from math import inf
from typing import Any, Callable, Iterable, Mapping, Sequence
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from weir.events import Asked, Encrypted, WeirError, asked_by_event, asked_by_headers, has_encrypted, keys_in, mapped, opened

__all__ = ["Decrypter", "Encrypted", "WeirError"]

_PERSONS_MAX = 1_000
_EVENTS_AT_ONCE = 1_000
_KEPT_MAX = 100_000
_TIMEOUT_S = 30
_GIVE_UP_AFTER_S = 60
_log = logging.getLogger("weir")


class Decrypter:
    """Decrypts events with the credentials of an output. `ca_file` is a file with CA certificates to trust (PEM)."""

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
        for name, url in (("auth_url", auth_url), ("output_url", output_url)):
            if not url.startswith(("http://", "https://")):
                raise ValueError(f"{name} must begin with http:// or https://")
        self._addresses = {"auth": auth_url.rstrip("/"), "output": output_url.rstrip("/")}
        self._credentials = {"billingId": billing_id, "clientId": client_id, "clientSecret": client_secret}
        self._tls = ssl.create_default_context(cafile=ca_file) if ca_file else None
        self._token: tuple[str, float] | None = None
        self._kept: OrderedDict[tuple, tuple[Any, float]] = OrderedDict()
        self._schemas: dict[int, Any] = {}
        self._persons_at_once = _PERSONS_MAX

    def decode(self, messages: Iterable[Any], otherwise: Callable[[Encrypted], Any] | None = None) -> list[dict]:
        """Decodes and decrypts records of the topic: messages of confluent_kafka, or pairs of headers (a dict or a
        list of pairs) and value. Pass many records in one call: a thousand records need at most one request for keys,
        unless their contracts have very many levels. Returns the same as `decrypt`."""
        import fastavro

        events = []
        for message in messages:
            headers, value = (message.headers(), message.value()) if hasattr(message, "headers") else message
            event = fastavro.schemaless_reader(io.BytesIO(value[5:]), self._schema(int.from_bytes(value[1:5], "big")))
            events.append((event, asked_by_headers(dict(headers), event)))
        return self._decrypt(events, otherwise)

    def decrypt(self, events: Iterable[Mapping], otherwise: Callable[[Encrypted], Any] | None = None) -> list[dict]:
        """Decrypts events that are already decoded, such as rows of an exported file. Each event needs `svcMeta` with
        `timestamp` and `consentLevels`, and a keyLink: in `svc_key_link`, or as text in `svcMeta.keyLink`.

        Returns copies of the events. A value that can't be decrypted is an `Encrypted`, or what `otherwise` returns for
        this `Encrypted`."""
        if isinstance(events, (str, bytes, os.PathLike)) or hasattr(events, "to_dict"):
            raise TypeError("give a list of dicts: frame.to_dict('records')")
        return self._decrypt([(event, asked_by_event(event)) for event in events], otherwise)

    def _decrypt(self, events: Sequence[tuple[Mapping, Asked]], otherwise: Callable | None) -> list[dict]:
        change = otherwise or (lambda value: value)
        decrypted = []
        for start in range(0, len(events), _EVENTS_AT_ONCE):
            left = [(event, one, has_encrypted(event, one.prefix)) for event, one in events[start : start + _EVENTS_AT_ONCE]]
            while left:
                self._fetch({one.name: one for _, one, is_encrypted in left if is_encrypted})
                done = self._decrypted_while(left, change)
                decrypted += done
                left = left[len(done) :]
        return decrypted

    def _decrypted_while(self, events: Sequence[tuple[Mapping, Asked, bool]], change: Callable) -> list[dict]:
        """Decrypts events until a key becomes too old, which may happen at any moment."""
        done = []
        for event, one, is_encrypted in events:
            keys, good_until = self._kept[one.name] if is_encrypted else (None, inf)
            if time.monotonic() >= good_until:
                break
            open_one = lambda text, path: opened(text, path, keys, change)  # noqa: E731, B023
            done.append(mapped(event, one.prefix, open_one) if is_encrypted else dict(event))
        return done

    def _fetch(self, asked: dict[tuple, Asked]) -> None:
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
                self._kept[one.name] = (keys_in(person), good_until)
        for name in asked:
            self._kept.move_to_end(name)
        while len(self._kept) > _KEPT_MAX:
            self._kept.popitem(last=False)

    # --- requests ---

    def _ask(self, path: str, body: dict) -> Any:
        """Returns None if one request asks for too many keys. Tries again for a minute, and logs that once. A token
        may have been revoked meanwhile, so the first 401 is retried."""
        end = time.monotonic() + _GIVE_UP_AFTER_S
        pause, may_renew, is_told = 0.1, True, False
        while True:
            reason = None
            try:
                bearer = {"authorization": f"Bearer {self._bearer()}"}
                return self._request("output", path, body, bearer, "maxAgeSeconds")
            except _Refused as refused:
                if refused.status == 401 and may_renew:
                    may_renew, self._token = False, None
                elif refused.status == 422 and len(body["persons"]) > 1:
                    return None
                elif refused.status not in (408, 429) and refused.status < 500:
                    raise WeirError("refused", refused.sentence) from None
                elif time.monotonic() + pause > end:
                    raise WeirError("unreachable", refused.sentence) from None
                else:
                    reason = refused.sentence
            except URLError as error:
                reason = str(error.reason)
                if time.monotonic() + pause > end:
                    raise WeirError("unreachable", reason) from error
            if reason is not None and not is_told:
                is_told = True
                _log.warning("%s; trying again for a minute", reason)
            time.sleep(pause)
            pause = min(10.0, pause * 2)

    def _bearer(self) -> str:
        if self._token is None or time.time() > self._token[1] - 60:
            answer = self._request("auth", "/auth", self._credentials, {}, "expiresAt")
            self._token = (answer["idToken"], answer["expiresAt"])
        return self._token[0]

    def _schema(self, number: int) -> Any:
        if number not in self._schemas:
            import fastavro

            pair = f"{self._credentials['clientId']}:{self._credentials['clientSecret']}"
            basic = {"authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
            try:
                answer = self._request("auth", f"/registry/schemas/ids/{number}", None, basic, "schema")
            except _Refused as refused:
                raise WeirError("refused", refused.sentence) from None
            except URLError as error:
                raise WeirError("unreachable", str(error.reason)) from error
            self._schemas[number] = fastavro.parse_schema(json.loads(answer["schema"]))
        return self._schemas[number]

    def _request(self, service: str, path: str, body: dict | None, headers: dict, wanted: str) -> dict:
        """Returns the JSON response. Raises WeirError if the response lacks the member `wanted`."""
        url = self._addresses[service] + path
        data = None if body is None else json.dumps(body).encode()
        request = Request(url, data, {**headers, "content-type": "application/json"})
        try:
            with urlopen(request, timeout=_TIMEOUT_S, context=self._tls) as response:
                answer = _json_in(response)
        except HTTPError as error:
            answer = _json_in(error)
            # Errors of the registry have an error_code, also for an unknown schema.
            if error.code in (404, 405) and "error_code" not in answer:
                raise self._elsewhere(service, f"it returns {error.code}") from None
            sentence = answer.get("detail") or answer.get("message") or f"{error.url} answers {error.code}"
            raise _Refused(error.code, str(sentence)) from None
        except (URLError, TimeoutError) as error:
            raise URLError(f"{url} can't be reached: {getattr(error, 'reason', error)}") from error
        if wanted not in answer:
            raise self._elsewhere(service, f"its answer has no {wanted}")
        return answer

    def _elsewhere(self, service: str, why: str) -> WeirError:
        return WeirError("refused", f"{service}_url {self._addresses[service]} is not the address of {service}: {why}")


class _Refused(Exception):
    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


def _json_in(response: Any) -> dict:
    try:
        answer = json.loads(response.read())
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
