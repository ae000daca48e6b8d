"""Reads an output whose readers decrypt. Reads one JSON task from standard input, and prints each result as a line of
JSON. Prints an `Encrypted` as its reason."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "clients/python"))

import weir  # noqa: E402
from read_topic import read  # noqa: E402


def main(task: dict) -> None:
    decrypter = weir.Decrypter(**task["options"])
    reasons = lambda value: {"encrypted": value.reason}  # noqa: E731
    try:
        if "rows" in task:
            show(decrypter.decrypt(task["rows"], reasons))
        else:
            messages = read(task["kafka"], task["topic"])
            show(decrypter.decode(messages, reasons))
            # Events that are decoded, but not decrypted, as in an export or a lake.
            show([stored(decrypter, message) for message in messages])
    except weir.WeirError as error:
        show({"code": error.code, "message": str(error)})
    except TypeError as error:
        show(str(error))


def stored(decrypter: weir.Decrypter, message) -> dict:
    """Returns the event with its fields as stored in the topic."""
    import io

    import fastavro

    value = message.value()
    schema = decrypter._schema(int.from_bytes(value[1:5], "big"))
    event = fastavro.schemaless_reader(io.BytesIO(value[5:]), schema)
    return {**event, "svc_key_link": message.key().decode()}


def show(result) -> None:
    print(json.dumps(result, default=str), flush=True)


main(json.load(sys.stdin))
