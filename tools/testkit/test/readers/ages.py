"""Checks how long a `Decrypter` uses a key, and how many keys it requests, with a simulated clock and server."""

import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from json import dumps, loads
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "clients/python"))

import weir  # noqa: E402

asked = []


class Services(BaseHTTPRequestHandler):
    def do_POST(self):
        body = loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/auth":
            answer = {"idToken": "t", "refreshToken": "r", "expiresAt": 99_999_999_999}
        else:
            asked.append(body["persons"])
            if len(body["persons"]) > 2:
                return self.answer(422, {"detail": "too many"})
            answer = {"maxAgeSeconds": 30, "persons": [{**one, "erased": True} for one in body["persons"]]}
        self.answer(200, answer)

    def answer(self, status, answer):
        data = dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Services)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
now = 1_000.0
weir.time.monotonic = lambda: now

decrypter = weir.Decrypter(auth_url=url, output_url=url, billing_id="b", client_id="c", client_secret="s")
meta = {"timestamp": 0, "consentLevels": [0]}
text = "AQAAAAAA" + "A" * 24
event = {"svc_key_link": "00000000-0000-0000-0000-000000000000", "svcMeta": meta, "name": text}
counts = []
for now in (1_000.0, 1_029.9, 1_030.0):
    [decrypted] = decrypter.decrypt([event, event])[:1]
    assert decrypted["name"] == weir.Encrypted(text, "erased"), decrypted
    counts.append(len(asked))
assert counts == [1, 1, 2], counts
assert [len(persons) for persons in asked] == [1, 1], asked

# A key that becomes too old between its check and its use is requested again.
asked.clear()
clock = iter([1_059.0])
weir.time.monotonic = lambda: next(clock, 1_060.0)
[decrypted] = decrypter.decrypt([event])
assert decrypted["name"] == weir.Encrypted(text, "erased"), decrypted
assert len(asked) == 1, asked
weir.time.monotonic = lambda: now

# The server refuses more than two people per request, so the decrypter requests fewer.
asked.clear()
people = [{**event, "svc_key_link": f"00000000-0000-0000-0000-{number:012}"} for number in range(1, 8)]
assert all(one["name"] == weir.Encrypted(text, "erased") for one in decrypter.decrypt(people))
assert [len(persons) for persons in asked] == [7, 2, 2, 2, 1], asked

# While a service can't be reached, a warning says so once.
warnings = []
weir._log.warning = lambda *said: warnings.append(said[0] % said[1:])
unreachable = weir.Decrypter(auth_url=url, output_url="http://127.0.0.1:9", billing_id="b", client_id="c", client_secret="s")
weir.time.sleep = lambda seconds: None
hours = iter(range(0, 3600, 20))
weir.time.monotonic = lambda: next(hours)
try:
    unreachable.decrypt([event])
    raise AssertionError("nothing listens there")
except weir.WeirError as error:
    assert error.code == "unreachable", error
[warning] = warnings
assert warning.startswith("http://127.0.0.1:9/v2/keys can't be reached"), warning
assert warning.endswith("; trying again for a minute"), warning
weir.time.monotonic = lambda: now

# An error names the address that is wrong or can't be reached.
own = {"billing_id": "b", "client_id": "c", "client_secret": "s"}
weir._GIVE_UP_AFTER_S = 0
for addresses, sentence in (
    ({"auth_url": "auth", "output_url": url}, "auth_url must begin with http:// or https://"),
    ({"auth_url": url, "output_url": "output"}, "output_url must begin with http:// or https://"),
    ({"auth_url": "http://127.0.0.1:9", "output_url": url}, "http://127.0.0.1:9/auth can't be reached"),
    ({"auth_url": url, "output_url": "http://127.0.0.1:9"}, "http://127.0.0.1:9/v2/keys can't be reached"),
):
    try:
        weir.Decrypter(**addresses, **own).decrypt([event])
        raise AssertionError(sentence)
    except (ValueError, weir.WeirError) as error:
        assert str(error).startswith(sentence), error
print(dumps("right"))
