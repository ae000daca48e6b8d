"""Sends events one by one as Avro over HTTP/2, and prints each answer.

    pip install 'httpx[http2]' fastavro
    python send_event.py examples/contracts/clickstream.json < events.ndjson

WEIR_BILLING_ID, WEIR_CLIENT_ID and WEIR_CLIENT_SECRET name the input stream. Standard input holds one event a line, with plain
values where the schema has unions. What may be sent again is sent again, so an event may be stored twice.
"""

import io
import json
import os
import sys
import time

import httpx
from fastavro import parse_schema, schemaless_writer

AUTH = os.environ.get("WEIR_AUTH_URL", "http://127.0.0.1:8081")
INGEST = os.environ.get("WEIR_INGEST_URL", "http://127.0.0.1:8082")


def id_token(client: httpx.Client) -> str:
    """Good for an hour; a program that runs longer gets a new one before `expiresAt`."""
    answer = client.post(
        AUTH + "/auth",
        json={
            "billingId": os.environ["WEIR_BILLING_ID"],
            "clientId": os.environ["WEIR_CLIENT_ID"],
            "clientSecret": os.environ["WEIR_CLIENT_SECRET"],
        },
    )
    answer.raise_for_status()
    return answer.json()["idToken"]


def send(client: httpx.Client, headers: dict, datum: bytes) -> httpx.Response:
    while True:
        answer = client.post(INGEST + "/event", headers=headers, content=datum)
        if answer.status_code not in (429, 503):
            return answer
        time.sleep(float(answer.headers.get("retry-after", "1")))


def main(contract_path: str) -> None:
    with open(contract_path, encoding="utf-8") as file:
        contract = json.load(file)
    schema = parse_schema(contract["schema"]["definition"])
    with httpx.Client(http1=False, http2=True) as client:
        headers = {
            "Authorization": "Bearer " + id_token(client),
            "Svc-Schema-Id": contract["id"],
            "Content-Type": "avro/binary",
        }
        for line in filter(str.strip, sys.stdin):
            datum = io.BytesIO()
            schemaless_writer(datum, schema, json.loads(line))
            answer = send(client, headers, datum.getvalue())
            print(answer.status_code, answer.text, sep=" " if answer.text else "")


if __name__ == "__main__":
    main(sys.argv[1])
