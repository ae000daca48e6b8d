"""Confluent's consumer and producer: runs many tasks concurrently, each given by a line of JSON. If the
client doesn't fetch its own token, the settings contain a `token`.

    in   {"id": 1, "do": "follow", "settings": {…}, "topic": "…"}
    out  {"id": 1, "record": "…"}   {"id": 1, "error": "TOPIC_AUTHORIZATION_FAILED"}   {"id": 1, "done": true}
    in   {"id": 4, "do": "stop"}    all tasks with a smaller id
"""

import json
import sys
import threading
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

WITHIN_S = 20
out = threading.Lock()
first_id = 0


def say(id, **what):
    with out:
        print(json.dumps({"id": id, **what}), flush=True)


def goes_on(task):
    return task["id"] >= first_id


def settings_of(task):
    settings = dict(task["settings"])
    token = settings.pop("token", None)
    # This expiry is only for the client, which would not send an expired token.
    if token is not None:
        settings["oauth_cb"] = lambda _: (token, time.time() + 3600)
    # If the broker refuses a token, the client reports it only here.
    settings["error_cb"] = lambda error: say(task["id"], error=error.name())
    return settings


def read(task, group):
    """Reads all existing records, and then new records, until the task is stopped."""
    consumer = Consumer({**settings_of(task), "auto.offset.reset": "earliest"})
    if group:
        consumer.subscribe([task["topic"]])
    else:
        found = look_up(consumer, task)
        if found is None:
            return
        if found.error:
            return say(task["id"], error=found.error.name())
        consumer.assign([TopicPartition(task["topic"], p, OFFSET_BEGINNING) for p in found.partitions])
    while goes_on(task):
        record = consumer.poll(0.2)
        if record is None:
            continue
        if record.error():
            say(task["id"], error=record.error().name())
        else:
            say(task["id"], record=record.value().hex())
    consumer.close()


def look_up(consumer, task):
    """Polls first, because listing topics reports no connection errors."""
    while goes_on(task):
        consumer.poll(0.2)
        try:
            return consumer.list_topics(task["topic"], timeout=1).topics[task["topic"]]
        except KafkaException:
            pass
    return None


def write(task):
    producer = Producer({**settings_of(task), "message.timeout.ms": 5000})
    producer.produce(
        task["topic"], b"forged", on_delivery=lambda error, _: say(task["id"], error=error.name() if error else None)
    )
    producer.flush(WITHIN_S)


def topics(task):
    found = AdminClient(settings_of(task)).list_topics(timeout=WITHIN_S).topics
    say(task["id"], topics=sorted(found))


def run(task):
    try:
        if task["do"] == "write":
            write(task)
        elif task["do"] == "topics":
            topics(task)
        else:
            read(task, task["do"] == "follow")
    except KafkaException as error:
        say(task["id"], error=error.args[0].name())
    say(task["id"], done=True)


for line in sys.stdin:
    task = json.loads(line)
    if task["do"] == "stop":
        first_id = task["id"]
    else:
        threading.Thread(target=run, args=(task,), daemon=True).start()
