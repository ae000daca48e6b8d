"""Prints the events of a derived stream from its topic, as an analyst's consumer reads them: Avro with the
schema registry, committed transactions only.

    pip install 'confluent-kafka[avro]'
    python read_stream.py acme.clicks-1
"""

import json
import os
import sys

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext

BROKERS = os.environ.get("KAFKA_BROKERS", "127.0.0.1:9092")
REGISTRY = os.environ.get("SCHEMA_REGISTRY_URL", "http://127.0.0.1:8085/apis/ccompat/v7")


def main(topic: str) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": BROKERS,
            "group.id": f"read-stream-{os.getpid()}",  # nothing is committed: each run reads all
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
        }
    )
    deserialize = AvroDeserializer(SchemaRegistryClient({"url": REGISTRY, "timeout": 10}))
    partitions = consumer.list_topics(topic, timeout=10).topics[topic].partitions
    consumer.assign([TopicPartition(topic, p, OFFSET_BEGINNING) for p in partitions])
    at_end = set()
    while len(at_end) < len(partitions):
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


if __name__ == "__main__":
    main(sys.argv[1])
