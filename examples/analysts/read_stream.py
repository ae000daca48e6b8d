"""Prints the events of a stream from its topic, as an analyst's consumer reads them: Avro with the schema
registry, committed transactions only.

    npx weir kafka clicks-1 > clicks-1.properties
    pip install 'confluent-kafka[avro,schemaregistry]'
    python read_stream.py acme.clicks-1 clicks-1.properties
"""

import json
import os
import sys

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext


def main(topic: str, settings: dict) -> None:
    consumer = Consumer(
        {
            **settings,
            "enable.auto.commit": False,  # nothing is committed: each run reads all
            "enable.partition.eof": True,
        }
    )
    deserialize = AvroDeserializer(SchemaRegistryClient({"url": registry(), "timeout": 10}))
    found = consumer.list_topics(topic, timeout=10).topics[topic]
    if found.error:
        sys.exit(str(found.error))
    consumer.assign([TopicPartition(topic, p, OFFSET_BEGINNING) for p in found.partitions])
    at_end = set()
    while len(at_end) < len(found.partitions):
        record = consumer.poll(10)
        if record is None:
            sys.exit("no answer from Kafka within 10 s")
        if record.error():
            if record.error().code() != KafkaError._PARTITION_EOF:
                sys.exit(str(record.error()))
            at_end.add(record.partition())
            continue
        event = deserialize(record.value(), SerializationContext(topic, MessageField.VALUE))
        source = dict(record.headers())["svc-source"].decode()
        print(source, json.dumps(event, default=str))
    consumer.close()


def registry() -> str:
    if "SCHEMA_REGISTRY_URL" in os.environ:
        return os.environ["SCHEMA_REGISTRY_URL"]
    try:
        with open(".weir/demo.json") as demo:
            return json.load(demo)["schemaRegistryUrl"]
    except FileNotFoundError:
        return "http://127.0.0.1:8085/apis/ccompat/v7"


def read_settings(path: str) -> dict:
    with open(path) as file:
        return dict(line.strip().split("=", 1) for line in file if "=" in line)


def plain_settings() -> dict:
    """Past the listener for analysts, where a broker lets in everybody."""
    brokers = os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092")
    group = f"read-stream-{os.getpid()}"
    return {"bootstrap.servers": brokers, "group.id": group, "isolation.level": "read_committed"}


if __name__ == "__main__":
    main(sys.argv[1], read_settings(sys.argv[2]) if len(sys.argv) > 2 else plain_settings())
