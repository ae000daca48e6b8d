"""Sends events in one request as Avro. Before each datum is its length, as four bytes, big-endian.

    pip install fastavro
    TOKEN=$(npx @weir/cli token clicks) python send_batch.py examples/contracts/clickstream.json < events.ndjson

Standard input contains one event per line, with plain values where the schema has unions. An event's svcMeta needs only
consentLevels. The exit code is 1 if the request or an event was refused. A line that does not fit the schema ends the
program, but events of earlier lines may be stored.
"""

import io
import json
import os
import struct
import sys
from http.client import InvalidURL
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

try:
    from fastavro import parse_schema, schemaless_writer, validate
    from fastavro.validation import ValidationError
except ImportError:
    sys.exit("fastavro is missing: pip install fastavro")

INGEST = os.environ.get("WEIR_INGEST_URL", "http://127.0.0.1:8082")
if not INGEST.startswith(("http://", "https://")):
    sys.exit(f"{INGEST} must begin with http:// or https://")
# An Avro record needs all its fields. Ingest overwrites these values.
PLACEHOLDERS = {"schemaId": "", "eventContractRef": "", "nonce": 0, "timestamp": 0}


def framed(lines, schema):
    """Yields the body in parts, because it may be larger than memory."""
    placeholders = placeholders_in(schema)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        datum = io.BytesIO()
        try:
            event = json.loads(line)
        except ValueError as error:
            sys.exit(f"line {number} is not JSON; each event must be on one line: {error}")
        if not isinstance(event, dict) or not isinstance(event.get("svcMeta"), dict):
            sys.exit(f'line {number} needs an event with {{"svcMeta": {{"consentLevels": [0, 1]}}}}')
        event["svcMeta"] = {**placeholders, **event["svcMeta"]}
        try:
            # without strict_allow_default, fastavro drops a misspelt field
            schemaless_writer(datum, schema, event, strict_allow_default=True)
            validate(event, schema)  # the writer turns 19.99 into 19 for an int, and true into 1
        except ValidationError as found:
            sys.exit(f"line {number}: {found.errors[0]}")
        except (TypeError, ValueError, OverflowError) as error:
            sys.exit(f"line {number}: {misfit(event, schema, error)}")
        yield struct.pack(">I", datum.tell()) + datum.getvalue()


def misfit(event, schema, error):
    """Explains the writer's error: names the field of a wrong symbol or number, or says that unions need no branch."""
    if "<class 'dict'>) do not match" in str(error):
        return f"{error}; give a union's value without its branch, and with the fields of one"
    try:
        if isinstance(error, OverflowError) or str(error).endswith("is not in list"):
            validate(event, schema)
    except ValidationError as found:
        return found.errors[0]
    return error


def contract_in(path: str):
    """Returns the contract's id and schema."""
    try:
        with open(path, encoding="utf-8") as file:
            contract = json.load(file)
        return contract["id"], parse_schema(contract["schema"]["definition"])
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{path} is not JSON: {error}")
    except (KeyError, TypeError):
        sys.exit(f"{path} is not a contract: it needs id and schema.definition")


def placeholders_in(schema):
    envelope = schema["fields"][0]["type"]
    if isinstance(envelope, list):
        envelope = next(branch for branch in envelope if branch != "null")
    names = [field["name"] for field in envelope["fields"]]
    return {name: PLACEHOLDERS[name] for name in names if name in PLACEHOLDERS}


def main(contract_path: str) -> None:
    schema_id, schema = contract_in(contract_path)
    request = Request(
        INGEST + "/events",
        data=framed(sys.stdin, schema),
        headers={
            "Authorization": "Bearer " + (os.environ.get("TOKEN") or sys.exit("TOKEN is not set")),
            "Svc-Schema-Id": schema_id,
            "Content-Type": "application/x-avro-batch",
        },
    )
    try:
        with urlopen(request) as answer:
            text = answer.read().decode()
    except HTTPError as refusal:
        sys.exit(f"{refusal.code} {refusal.read().decode()}")
    except (URLError, ConnectionError, InvalidURL) as error:
        sys.exit(f"{INGEST} cannot be reached, or TOKEN was refused before all was sent: {error}")
    except ValueError:  # its message would repeat the token
        sys.exit("TOKEN has a character that no token has")
    print(text)
    sys.exit(1 if json.loads(text)["rejected"] else 0)


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
