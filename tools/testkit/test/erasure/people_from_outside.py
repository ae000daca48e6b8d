"""Checks the counts of searches for people, without any code of Weir. Sends events of ten thousand people, reads
outputs with Confluent's client and fastavro, and compares the searches with its own list. Reads settings as JSON from
standard input, and prints the differences as JSON.
"""

import io
import json
import random
import struct
import sys
import time
import urllib.error
import urllib.request
from collections import Counter

import fastavro
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

PEOPLE = 10_000
SEARCHED = 100
INVENTED = 20
ERASED = 10
BATCH = 500
PATIENCE_SECONDS = 300
#: A data subject is linked only to key field values of the same day, so all events are sent on one day.
BEFORE_MIDNIGHT_SECONDS = 600

KEY = {"visit": "user", "order": "device", "letter": "mail", "call": "user"}
SUBJECT = {"order": "customer"}
PERSONAL = {
    "visit": {"user": 1, "mail": 2},
    "order": {"device": 0, "customer": 1},
    "letter": {"mail": 2},
    "call": {"user": 1},
}
CONTRACTS = {"web": ["visit", "order"], "shop": ["order", "letter", "call"], "desk": ["visit", "call"]}


def passes(output: dict, consent: set) -> bool:
    return set(output["levels"]) <= consent


def opens(output: dict, level: int) -> bool:
    return level <= output["levels"][0] if output["type"] == "CUMULATIVE" else level in output["levels"]


class Weir:
    def __init__(self, wanted: dict) -> None:
        self.wanted = wanted

    def call(self, method: str, path: str, body: object = None) -> dict:
        request = urllib.request.Request(
            self.wanted["auth"] + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + self.wanted["apiKey"], "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            raise SystemExit(f"{method} {path}: {refusal.code} {refusal.read().decode()}") from None

    def send(self, stream: str, contract: str, events: list) -> None:
        request = urllib.request.Request(
            self.wanted["ingest"] + "/events",
            data="\n".join(json.dumps(event) for event in events).encode(),
            headers={
                "Authorization": "Bearer " + self.wanted["streams"][stream]["token"],
                "Svc-Schema-Id": contract,
                "Content-Type": "application/x-ndjson",
            },
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            said = json.load(answer)
        if said["rejected"] or said["accepted"] != len(events):
            raise SystemExit(f"not all were stored: {said}")

    def search(self, value: str) -> dict:
        path = "/v2/people/searches/" + self.call("POST", "/v2/people/search", {"value": value})["searchId"]
        found = until(f"the search at {path[:24]}", lambda: not_running(self.call("GET", path)))
        if found["state"] != "done":
            raise SystemExit(f"a search failed: {found}")
        return {stream["stream"]: stream for stream in found["streams"]}

    def erase(self, stream: str, body: dict) -> None:
        path = f"/v2/streams/{stream}/erasures"
        record = self.call("POST", path, body)
        until("an erasure", lambda: "at" in self.call("GET", f"{path}/{record['id']}")["states"]["applied"] or None)


def not_running(found: dict):
    return None if found["state"] == "running" else found


def until(what: str, look):
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        seen = look()
        if seen is not None:
            return seen
        time.sleep(0.05)
    raise SystemExit(f"{what} took too long")


def make_events(choose: random.Random) -> list:
    """Creates events of each person, with random streams, contracts and consents."""
    people = [f"person-{n}" for n in range(PEOPLE)]
    made = []
    for person in people:
        for _ in range(choose.randint(1, 5)):
            stream = choose.choice(list(CONTRACTS))
            contract = choose.choice(CONTRACTS[stream])
            consent = {level for level in range(4) if choose.random() < 0.7}
            fields = {"mail": f"mail of {person}"} if contract == "visit" else {}
            if contract == "order":
                fields = {"device": f"device {choose.randint(0, 2)} of {person}", "customer": person}
            elif contract == "call" and choose.random() < 0.3:
                fields = {"user": f"device {choose.randint(0, 2)} of {person}"}
            else:
                fields[KEY[contract]] = person
            made.append({"stream": stream, "contract": contract, "consent": consent, "fields": fields})
    choose.shuffle(made)
    return made


def send_all(weir: Weir, made: list) -> None:
    while 86_400 - time.time() % 86_400 < BEFORE_MIDNIGHT_SECONDS:
        time.sleep(1)
    for stream, contracts in CONTRACTS.items():
        for contract in contracts:
            events = [one for one in made if one["stream"] == stream and one["contract"] == contract]
            for start in range(0, len(events), BATCH):
                weir.send(stream, contract, [as_json(one) for one in events[start : start + BATCH]])


def as_json(event: dict) -> dict:
    names = ["schemaId", "nonce", "timestamp", "keyLink", "billingId"]
    svc_meta = {**{name: None for name in names}, "consentLevels": sorted(event["consent"])}
    return {"svcMeta": svc_meta, **event["fields"]}


class Held:
    """The sent events, by stream, in the form of a search's response."""

    def __init__(self, made: list, outputs: list) -> None:
        self.outputs = outputs
        self.by_key: dict = {}
        self.devices: dict = {}
        for one in made:
            key = (one["stream"], one["fields"][KEY[one["contract"]]])
            self.by_key.setdefault(key, []).append(one)
            if one["contract"] in SUBJECT:
                whose = (one["stream"], one["fields"][SUBJECT[one["contract"]]])
                self.devices.setdefault(whose, set()).add(key[1])

    def of(self, stream: str, value: str) -> dict:
        mine = self.by_key.get((stream, value), [])
        by = Counter((one["contract"], KEY[one["contract"]], "key_field") for one in mine)
        others = [one for device in self.devices.get((stream, value), ()) for one in self.by_key[stream, device]]
        for one in others:
            contract = one["contract"]
            by[contract, SUBJECT.get(contract, KEY[contract]), "data_subject_field"] += 1
        held = {(stream, "input"): (len(mine) + len(others), [])}
        for output in self.outputs:
            if output["stream"] == stream:
                passed = [one for one in mine + others if passes(output, one["consent"])]
                opened = {
                    path
                    for one in passed
                    for path, level in PERSONAL[one["contract"]].items()
                    if opens(output, level)
                }
                held[output["name"], "output"] = (len(passed), sorted(opened))
                held[output["name"], "dead"] = (0, [])
        return {"by": dict(by), "held": held}

    def key_events(self, stream: str, value: str) -> int:
        return len(self.by_key.get((stream, value), []))


def said(stream: dict) -> dict:
    by = {(each["contract"], each["field"], each["as"]): each["events"] for each in stream["by"]}
    held = {(each["name"], each["kind"]): (each["events"], each["decrypted"]) for each in stream["held"]}
    return {"by": by, "held": held}


def compare(weir: Weir, held: Held, values: list, differ: list) -> dict:
    found = {}
    for value in values:
        found[value] = weir.search(value)
        for stream in CONTRACTS:
            answer, wanted = said(found[value][stream]), held.of(stream, value)
            if answer != wanted or "notSearched" in found[value][stream]:
                differ.append(repr((value, stream, answer, wanted)))
    return found


def read_output(wanted: dict, output: dict, expected: int) -> Counter:
    """Counts the events of the output that name each person, in any field."""
    consumer = Consumer(
        {
            "bootstrap.servers": wanted["brokers"],
            "group.id": "people-from-outside",
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
        }
    )
    partitions = consumer.list_topics(output["topic"], timeout=30).topics[output["topic"]].partitions
    consumer.assign([TopicPartition(output["topic"], each, OFFSET_BEGINNING) for each in partitions])
    schemas: dict = {}
    named: Counter = Counter()
    seen = 0
    end = time.monotonic() + PATIENCE_SECONDS
    while seen < expected and time.monotonic() < end:
        record = consumer.poll(1)
        if record is None:
            continue
        if record.error():
            raise SystemExit(str(record.error()))
        seen += 1
        for value in {*strings_of(decode(wanted["registry"], schemas, record.value()))}:
            named[value] += 1
    while (late := consumer.poll(2)) is not None:
        if late.error() is None or late.error().code() != KafkaError._PARTITION_EOF:
            seen += 1
    consumer.close()
    if seen != expected:
        raise SystemExit(f"{output['name']} has {seen} events, not {expected}")
    return named


def decode(registry: str, schemas: dict, value: bytes) -> dict:
    number = struct.unpack(">I", value[1:5])[0]
    if number not in schemas:
        with urllib.request.urlopen(f"{registry}/schemas/ids/{number}", timeout=30) as answer:
            schemas[number] = fastavro.parse_schema(json.loads(json.load(answer)["schema"]))
    return fastavro.schemaless_reader(io.BytesIO(value[5:]), schemas[number])


def strings_of(event: dict):
    return (value for name, value in event.items() if name != "svcMeta" and isinstance(value, str))


def main() -> None:
    wanted = json.load(sys.stdin)
    weir = Weir(wanted)
    choose = random.Random(31)
    made = make_events(choose)
    send_all(weir, made)
    held = Held(made, wanted["outputs"])
    differ: list = []
    named = {}
    for output in wanted["outputs"]:
        passed = [one for one in made if one["stream"] == output["stream"] and passes(output, one["consent"])]
        named[output["name"]] = read_output(wanted, output, len(passed))

    people = [f"person-{n}" for n in choose.sample(range(PEOPLE), SEARCHED)]
    found = compare(weir, held, people, differ)
    # This output decrypts every field of its stream that names people, so its topic shows the events of each person.
    whole = wanted["outputs"][0]
    for person in people:
        answer = said(found[person][whole["stream"]])["held"][whole["name"], "output"][0]
        if answer != named[whole["name"]][person]:
            differ.append(repr((person, answer, named[whole["name"]][person])))
    compare(weir, held, [f"person-{PEOPLE + n}" for n in range(INVENTED)], differ)

    erased = [one for one in people if held.key_events("web", one) > 0][:ERASED]
    withdrawn = [one for one in people if held.key_events("desk", one) > 0 and one not in erased][:ERASED]
    for person in erased:
        weir.erase("web", {"keyFieldValue": person})
    for person in withdrawn:
        weir.erase("desk", {"keyFieldValue": person, "levels": [2]})
    found = compare(weir, held, people, differ)
    for person in people:
        web, desk = found[person]["web"], found[person]["desk"]
        gone = next(each["erased"] for each in web["held"] if each["kind"] == "input")
        if gone != (held.key_events("web", person) if person in erased else 0):
            differ.append(repr((person, "erased", gone)))
        if desk.get("withdrawn") != ([2] if person in withdrawn else None):
            differ.append(repr((person, "withdrawn", desk.get("withdrawn"))))
    print(json.dumps({"events": len(made), "erased": len(erased), "withdrawn": len(withdrawn), "differ": differ[:20]}))


main()
