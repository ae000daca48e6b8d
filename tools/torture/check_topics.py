"""Compares derived topics with their input topics without any code of Weir, with Confluent's client and fastavro. A
derived topic must contain each event that has consent to all its levels once, in the input's order, and nothing else
except foreign records. Reads a JSON request from stdin, and prints the result as JSON.
"""

import http.client
import io
import json
import struct
import sys
import time
import urllib.error
import urllib.request

import fastavro
from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, Consumer, KafkaError, TopicPartition

ANSWER_SECONDS = 30
SHOWN_MAX = 20


def main() -> None:
    wanted = json.load(sys.stdin)
    schemas = Schemas(wanted["registry"])
    found = {"inputRecords": 0, "derivedRecords": 0, "violations": []}
    for isolation in wanted["isolation"]:
        for stream in wanted["streams"]:
            for partition in range(stream["partitions"]):
                check_partition(wanted["brokers"], isolation, stream, partition, schemas, found)
    found["violations"] = found["violations"][:SHOWN_MAX]
    print(json.dumps(found))


class Schemas:
    """Loads schemas by the id that precedes each event, and decodes events with them."""

    def __init__(self, registry: str) -> None:
        self.registry = registry.rstrip("/")
        self.known: dict = {}

    def decode(self, value: bytes) -> dict:
        magic, number = struct.unpack(">bI", value[:5])
        if magic != 0:
            raise ValueError("not framed")
        if number not in self.known:
            self.known[number] = fastavro.parse_schema(json.loads(self.load(number)))
        return fastavro.schemaless_reader(io.BytesIO(value[5:]), self.known[number])

    def load(self, number: int) -> str:
        """A registry that doesn't answer says nothing about the event. One that doesn't know the id does."""
        give_up_at = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                with urllib.request.urlopen(f"{self.registry}/schemas/ids/{number}", timeout=10) as answer:
                    return json.load(answer)["schema"]
            except urllib.error.HTTPError:
                raise
            except (OSError, http.client.HTTPException) as error:
                if time.monotonic() > give_up_at:
                    sys.exit(f"no answer from the registry within {ANSWER_SECONDS} s: {error!r}")
                time.sleep(0.2)


def check_partition(brokers: str, isolation: str, stream: dict, partition: int, schemas: Schemas, found: dict) -> None:
    events = {}  # by offset: consent levels, key, time, and the event's mark
    for record in read(brokers, isolation, stream["topic"], partition):
        if is_foreign(record):
            continue
        try:
            event = schemas.decode(record.value())
            consent = event["svcMeta"]["consentLevels"]
        except Exception as error:  # depends on what is there instead of an event
            where = f"{isolation}: {stream['topic']}/{partition}"
            found["violations"].append(f"{where} holds at {record.offset()} what is no event: {error!r}")
            continue
        events[record.offset()] = (set(consent), record.key(), record.timestamp()[1], mark_of(event))
    found["inputRecords"] += len(events)
    for derived in stream["derived"]:
        check_derived(brokers, isolation, stream["topic"], partition, derived, events, found)


def check_derived(brokers: str, isolation: str, source: str, partition: int, derived: dict, events: dict, found: dict) -> None:
    topic = derived["topic"]
    earliest = min(events, default=0)
    seen: set = set()
    last = -1

    def violated(what: str) -> None:
        found["violations"].append(f"{isolation}: {topic}/{partition} {what}")

    for record in read(brokers, isolation, topic, partition):
        if is_foreign(record):
            continue
        found["derivedRecords"] += 1
        headers = dict(record.headers() or [])
        if not {"svc-source", "svc-time"} <= headers.keys():
            violated(f"holds at {record.offset()} a record without its source")
            continue
        place = headers["svc-source"].decode()
        from_topic, from_partition, from_offset = place.split("/")
        offset = int(from_offset)
        if from_topic != source or int(from_partition) != partition:
            violated(f"holds {place}, of another partition")
        if offset in seen:
            violated(f"holds {place} twice")
        elif offset < last:
            violated(f"holds {place} after offset {last}")
        if record.timestamp()[0] != TIMESTAMP_LOG_APPEND_TIME:
            violated(f"holds {place} without the time at which it was appended")
        seen.add(offset)
        last = max(last, offset)
        if offset < earliest:  # retention has removed the source meanwhile
            continue
        if offset not in events:
            violated(f"holds {place}, which is not there")
        elif not set(derived["levels"]) <= events[offset][0]:
            violated(f"holds {place}, whose consent does not reach it")
        elif record.key() != events[offset][1]:
            violated(f"holds {place} under another key")
        elif headers["svc-time"].decode() != str(events[offset][2]):
            violated(f"holds {place} with another time")
    start = derived["startLatest"][partition]
    gaps = [(gap["from"], gap["to"]) for gap in derived["gaps"] if gap["partition"] == partition]
    may_lack = set(derived["mayLack"])
    for offset, (consent, _, _, mark) in events.items():
        is_gone = any(begin <= offset < end for begin, end in gaps)
        is_wanted = offset >= start and not is_gone and mark not in may_lack
        if is_wanted and offset not in seen and set(derived["levels"]) <= consent:
            violated(f"lacks {source}/{partition}/{offset}")


def mark_of(event: dict):
    texts = (value for value in event.values() if isinstance(value, str))
    return next((text for text in texts if text.startswith("mark-")), None)


def is_foreign(record) -> bool:
    return "torture-stranger" in dict(record.headers() or [])


def read(brokers: str, isolation: str, topic: str, partition: int):
    """Yields all records from the partition's beginning to its current end."""
    consumer = Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": "weir-torture-check",
            "enable.auto.commit": False,
            "isolation.level": isolation,
            "enable.partition.eof": True,
        }
    )
    try:
        first, _ = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=ANSWER_SECONDS)
        consumer.assign([TopicPartition(topic, partition, first)])
        while True:
            record = consumer.poll(ANSWER_SECONDS)
            if record is None:
                sys.exit(f"no answer from Kafka within {ANSWER_SECONDS} s")
            if record.error() is None:
                yield record
            elif record.error().code() == KafkaError._PARTITION_EOF:
                return
            else:
                sys.exit(str(record.error()))
    finally:
        consumer.close()


main()
