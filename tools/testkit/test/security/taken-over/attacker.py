"""An attacker with a service's login to Kafka. Makes the attempts given on stdin, and prints the results.

In: {"settings": {…}, "produce": [{"topic": …, "transactionalId"?: …}], "fence": [transactional ids], "read": [topics]}
Out: {"produced": {topic: null or the error's name}, "fenced": {id: …},
"read": {topic: [[key, value or null], …] or the error's name}}
Keys and values are in base64. Transactions are aborted.
"""

import base64
import json
import sys

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)

task = json.load(sys.stdin)


def producer(transactional_id=None):
    more = {} if transactional_id is None else {"transactional.id": transactional_id}
    return Producer({**task["settings"], **more, "message.timeout.ms": 20000})


def produce(topic, transactional_id):
    outcome = ["NOTHING"]

    def on_delivery(error, _message):
        outcome[0] = None if error is None else error.name()

    client = producer(transactional_id)
    if transactional_id is not None:
        client.init_transactions(20)
        client.begin_transaction()
    client.produce(topic, partition=0, key=b"attack", value=None, on_delivery=on_delivery)
    client.flush(30)
    if transactional_id is not None:
        abort(client)
    return outcome[0]


def abort(client):
    try:
        client.abort_transaction(20)
    except KafkaException:
        pass  # the transaction was empty


def fence(transactional_id):
    producer(transactional_id).init_transactions(20)


def read(topic):
    consumer = Consumer(
        {
            **task["settings"],
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
        }
    )
    refused = consumer.list_topics(topic, timeout=20).topics[topic].error
    if refused is not None:
        raise KafkaException(refused)
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    records = []
    while True:
        message = consumer.poll(20)
        if message is None:
            raise RuntimeError("nothing came")
        if message.error() is None:
            pair = (message.key(), message.value())
            records.append([None if part is None else base64.b64encode(part).decode() for part in pair])
        elif message.error().code() == KafkaError._PARTITION_EOF:
            consumer.close()
            return records
        elif message.error().code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
            continue  # reading needs no group
        else:
            raise KafkaException(message.error())


def tried(work, *arguments):
    try:
        return work(*arguments)
    except KafkaException as error:
        return error.args[0].name()


print(
    json.dumps(
        {
            "produced": {
                each["topic"]: tried(produce, each["topic"], each.get("transactionalId"))
                for each in task["produce"]
            },
            "fenced": {each: tried(fence, each) for each in task["fence"]},
            "read": {each: tried(read, each) for each in task["read"]},
        }
    )
)
