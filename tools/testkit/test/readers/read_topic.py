"""Reads a topic, for the programs in this folder."""

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition


def read(settings: dict, topic: str, is_wanted=lambda message: True) -> list:
    """Returns all wanted messages of the topic."""
    own = {"enable.auto.commit": False, "enable.partition.eof": True}
    consumer = Consumer({"group.id": "any", **settings, **own})
    partitions = consumer.list_topics(topic, timeout=20).topics[topic].partitions
    consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in partitions])
    found, at_end = [], set()
    while len(at_end) < len(partitions):
        for message in consumer.consume(100, timeout=1):
            if message.error() is None:
                if is_wanted(message):
                    found.append(message)
            elif message.error().code() == KafkaError._PARTITION_EOF:
                at_end.add(message.partition())
            else:
                raise SystemExit(str(message.error()))
    consumer.close()
    return found
