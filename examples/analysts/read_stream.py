"""Prints the events of a stream. Reads only committed records of its topic, as an analyst's consumer does, and
decodes Avro with the schemas that auth shows for the same credentials.

    npx @weir/cli kafka clicks-1 > clicks-1.properties
    pip install 'confluent-kafka[avro,schemaregistry]'
    python read_stream.py acme.clicks-1 clicks-1.properties
"""

import json
import os
import sys
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import urlopen

try:
    from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition
    from confluent_kafka.schema_registry import SchemaRegistryClient
    from confluent_kafka.schema_registry.avro import AvroDeserializer
    from confluent_kafka.schema_registry.error import SchemaRegistryError
    from confluent_kafka.serialization import MessageField, SerializationContext
except ImportError as error:
    sys.exit(f"{error}: pip install 'confluent-kafka[avro,schemaregistry]'")


def main(topic: str, path: str) -> None:
    kafka, schemas = read_settings(path)
    require_token(kafka)
    errors: list = []
    consumer = Consumer(
        {
            **kafka,
            "enable.auto.commit": False,  # no offset is committed, so each run reads all
            "enable.partition.eof": True,
            "log_level": 0,  # otherwise the log repeats an error until the program ends
            "error_cb": errors.append,
        }
    )
    deserialize = AvroDeserializer(
        SchemaRegistryClient(
            {
                "url": schemas["schema.registry.url"],
                "basic.auth.user.info": schemas["basic.auth.user.info"],
                "timeout": 10,
            }
        )
    )
    try:
        found = consumer.list_topics(topic, timeout=10).topics[topic]
    except KafkaException:
        consumer.poll(0)  # this calls error_cb
        reason = f" ({errors[0].str()})" if errors else ""
        sys.exit(f"Kafka at {kafka.get('bootstrap.servers')} can't be reached; is it the listener for analysts?{reason}")
    if found.error:
        # Kafka does not say whether a topic exists if the client may not read it.
        own = schemas.get("topic", topic)
        sys.exit(f"{topic}: {found.error.str()}" + (f". The settings in {path} are for {own}" if own != topic else ""))
    consumer.assign([TopicPartition(topic, p, OFFSET_BEGINNING) for p in found.partitions])
    at_end = set()
    while len(at_end) < len(found.partitions):
        record = consumer.poll(10)
        if record is None:
            sys.exit("no answer from Kafka within 10 s")
        if record.error():
            require_end(record.error(), kafka, path)
            at_end.add(record.partition())
            continue
        try:
            event = deserialize(record.value(), SerializationContext(topic, MessageField.VALUE))
        except SchemaRegistryError as error:
            sys.exit(f"The schema registry {schemas['schema.registry.url']} refuses: {error}")
        # Only records of outputs have the header. A record of an input stream is its own source.
        source = dict(record.headers()).get("svc-source")
        print(
            source.decode() if source else f"{topic}/{record.partition()}/{record.offset()}",
            json.dumps(event, default=str),
            flush=True,
        )
    consumer.close()


def require_end(error, kafka: dict, path: str) -> None:
    if error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
        start = kafka.get("sasl.oauthbearer.client.id", "the client id of the credentials")
        sys.exit(
            f"These credentials may not use the group {kafka.get('group.id')}: "
            f"group.id in {path} must begin with {start}, after the prefix of the topics if there is one"
        )
    if error.code() != KafkaError._PARTITION_EOF:
        sys.exit(str(error))


def require_token(kafka: dict) -> None:
    """Exits if auth refuses the credentials. librdkafka would repeat the request, and not say why."""
    url = kafka.get("sasl.oauthbearer.token.endpoint.url")
    if url is None:
        return
    form = {
        "grant_type": "client_credentials",
        "client_id": kafka["sasl.oauthbearer.client.id"],
        "client_secret": kafka["sasl.oauthbearer.client.secret"],
    }
    try:
        urlopen(url, urlencode(form).encode()).close()
    except HTTPError as refusal:
        sys.exit(f"{refusal.code} {refusal.read().decode()}")
    except URLError as error:
        sys.exit(f"{url} cannot be reached: {error.reason}")


def read_settings(path: str) -> tuple[dict, dict]:
    """Returns the settings of Kafka and the schemas. The latter are in comments: librdkafka refuses unknown names."""
    kafka: dict = {}
    schemas: dict = {}
    try:
        with open(path) as file:
            lines = file.readlines()
    except OSError as error:
        sys.exit(f"{path}: {error.strerror}")
    for line in lines:
        name, found, value = line.strip().partition("=")
        if found:
            (schemas if name.startswith("# ") else kafka)[name.removeprefix("# ")] = value
    if "schema.registry.url" not in schemas:
        sys.exit(f"{path} is not what weir kafka NAME writes for librdkafka")
    return kafka, schemas


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except BrokenPipeError:  # for example, `| head` has read enough
        os._exit(0)
