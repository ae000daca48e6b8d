"""Sends events in one request as length-prefixed Avro: before each datum its length as four octets, big-endian.

    pip install fastavro
    TOKEN=$(npx weir token clicks) python send_batch.py examples/contracts/clickstream.json < events.ndjson

Standard input holds one event a line, with plain values where the schema has unions.
"""

import io
import json
import os
import struct
import sys
import urllib.request

from fastavro import parse_schema, schemaless_writer

INGEST = os.environ.get("WEIR_INGEST_URL", "http://127.0.0.1:8082")


def framed(events, schema):
    """The body, piece by piece: it may be longer than memory."""
    for event in events:
        datum = io.BytesIO()
        schemaless_writer(datum, schema, event)
        yield struct.pack(">I", datum.tell()) + datum.getvalue()


def main(contract_path: str) -> None:
    with open(contract_path, encoding="utf-8") as file:
        contract = json.load(file)
    events = (json.loads(line) for line in sys.stdin if line.strip())
    request = urllib.request.Request(
        INGEST + "/events",
        data=framed(events, parse_schema(contract["schema"]["definition"])),
        headers={
            "Authorization": "Bearer " + os.environ["TOKEN"],
            "Svc-Schema-Id": contract["id"],
            "Content-Type": "application/x-avro-batch",
        },
    )
    with urllib.request.urlopen(request) as answer:
        print(answer.read().decode())


if __name__ == "__main__":
    main(sys.argv[1])
