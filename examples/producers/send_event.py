"""Sends events one by one as JSON, and prints the final status of each. Needs only Python 3.

    python3 send_event.py clickstream < events.ndjson

The argument is the contract's id. WEIR_BILLING_ID, WEIR_CLIENT_ID and WEIR_CLIENT_SECRET name the input stream. Standard
input contains one event per line, whose svcMeta needs only consentLevels. After `Retry-After` (429, 503) the program
sends the event again, so an event may be stored twice. Any other refusal, or a lost connection, ends the program with exit code 1.
"""

import json
import os
import sys
import time
from http.client import InvalidURL
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

AUTH = os.environ.get("WEIR_AUTH_URL", "http://127.0.0.1:8081")
INGEST = os.environ.get("WEIR_INGEST_URL", "http://127.0.0.1:8082")


for address in (AUTH, INGEST):
    if not address.startswith(("http://", "https://")):
        sys.exit(f"{address} must begin with http:// or https://")


def setting(name: str) -> str:
    return os.environ.get(name) or sys.exit(f"{name} is not set")


def post(url: str, body: bytes, headers: dict):
    """Returns the status, headers and text of the response, also for a refusal."""
    try:
        with urlopen(Request(url, body, {"Content-Type": "application/json", **headers})) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except HTTPError as refusal:
        return refusal.code, refusal.headers, refusal.read().decode()
    except (URLError, ConnectionError, InvalidURL) as error:
        sys.exit(f"{url} cannot be reached: {error}")


def id_token() -> str:
    """Returns a token, which is valid for an hour. A program that runs longer must get a new one before `expiresAt`."""
    credentials = {
        "billingId": setting("WEIR_BILLING_ID"),
        "clientId": setting("WEIR_CLIENT_ID"),
        "clientSecret": setting("WEIR_CLIENT_SECRET"),
    }
    status, _, text = post(AUTH + "/auth", json.dumps(credentials).encode(), {})
    return json.loads(text)["idToken"] if status == 200 else sys.exit(f"{AUTH}/auth says {status} {text}")


def is_json(event: bytes) -> bool:
    try:
        json.loads(event)
    except ValueError:
        return False
    return True


def send(number: int, event: bytes, headers: dict) -> None:
    status, answered, text = post(INGEST + "/event", event, headers)
    while "Retry-After" in answered:
        time.sleep(float(answered["Retry-After"]))
        status, answered, text = post(INGEST + "/event", event, headers)
    if status != 204:
        hint = "" if is_json(event) else "; each event must be on one line"
        sys.exit(f"line {number}: {status} {text}{hint}")
    print(status)


def main(contract: str) -> None:
    headers = {"Authorization": "Bearer " + id_token(), "Svc-Schema-Id": contract}
    for number, line in enumerate(sys.stdin.buffer, 1):
        if line.strip():
            send(number, line, headers)


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
