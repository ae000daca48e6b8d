"""Compares exports and searches of people with the sent events, without any code of Weir. Sends events of very many
people, some in each era, and requests the events of some people. Reads a task as JSON from standard input, and prints
the differences as JSON.
"""

import csv
import io
import json
import random
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime

BATCH = 1_000
KEY = {"visit": "user", "order": "device", "letter": "recipient"}
ASKED = 5
ERA_MS = 32 * 24 * 3_600_000
TERM_ERAS = 12
# `returner` is erased three times, so this person has four generations.
GENERATIONS = 4


def make_event(choose: random.Random, people: int) -> dict:
    person = f"person-{choose.randrange(people)}"
    contract = choose.choice(list(KEY))
    device = f"device {choose.randrange(3)} of {person}"
    if contract == "visit":
        return {"contract": contract, "user": device if choose.random() < 0.3 else person, "mail": f"mail of {person}"}
    if contract == "order":
        return {"contract": contract, "device": device, "customer": person}
    return {"contract": contract, "recipient": person}


def make_part(era: int, wanted: dict) -> list:
    choose = random.Random(era)
    events = range(wanted["count"] // len(wanted["eras"]))
    return [{**make_event(choose, people_of(wanted)), "nr": f"{era}-{nth}"} for nth in events]


def people_of(wanted: dict) -> int:
    return max(wanted["count"] // 10, 20)


def fields_of(event: dict) -> dict:
    return {name: value for name, value in event.items() if name != "contract"}


class Weir:
    def __init__(self, wanted: dict) -> None:
        self.wanted = wanted

    def ask(self, url: str, bearer: str, body: bytes | None = None, headers: dict | None = None) -> bytes:
        asked = {"Authorization": "Bearer " + bearer, "Content-Type": "application/json", **(headers or {})}
        request = urllib.request.Request(url, data=body, headers=asked)
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                return answer.read()
        except urllib.error.HTTPError as refusal:
            raise SystemExit(f"{url}: {refusal.code} {refusal.read().decode()}") from None

    def send(self, contract: str, events: list) -> None:
        names = ["schemaId", "nonce", "timestamp", "keyLink", "billingId"]
        svc_meta = {**{name: None for name in names}, "consentLevels": [0]}
        lines = [json.dumps({"svcMeta": svc_meta, **fields_of(event)}) for event in events]
        headers = {"Svc-Schema-Id": contract, "Content-Type": "application/x-ndjson"}
        url = self.wanted["ingest"] + "/events"
        said = json.loads(self.ask(url, self.wanted["token"], "\n".join(lines).encode(), headers))
        if said["rejected"] or said["accepted"] != len(events):
            raise SystemExit(f"not all were stored: {said}")

    def post(self, path: str, body: dict) -> dict:
        return json.loads(self.ask(self.wanted["auth"] + path, self.wanted["apiKey"], json.dumps(body).encode()))

    def get(self, path: str) -> dict:
        return json.loads(self.ask(self.wanted["auth"] + path, self.wanted["apiKey"]))

    def export(self, body: dict, query: str = "") -> str:
        path = "/v2/streams/events/subject-access"
        token = self.post(path, body)["accessToken"]
        return self.ask(self.wanted["output"] + path + query, token).decode()

    def search(self, value: str) -> dict:
        search = self.post("/v2/people/search", {"value": value, "streams": ["events"]})["searchId"]
        while (found := self.get(f"/v2/people/searches/{search}"))["state"] == "running":
            time.sleep(0.2)
        stream = found["streams"][0]
        erased = [held["erased"] for held in stream["held"] if held["kind"] == "input"]
        return {"searchId": search, "by": stream["by"], "erased": sum(erased)}

    def erase(self, value: str, more: dict) -> None:
        """Searches first, because one request may be too short for searching a large stream."""
        path = "/v2/streams/events/erasures"
        erasure = self.post(path, {"searchId": self.search(value)["searchId"], **more})["id"]
        while "at" not in self.get(f"{path}/{erasure}")["states"]["applied"]:
            time.sleep(0.1)

    def send_all(self, events: list) -> None:
        for contract in KEY:
            mine = [event for event in events if event["contract"] == contract]
            for start in range(0, len(mine), BATCH):
                self.send(contract, mine[start : start + BATCH])


def send_part(wanted: dict) -> dict:
    events = make_part(wanted["era"], wanted)
    Weir(wanted).send_all(events)
    return {"sent": len(events)}


class Sent:
    """The sent events, by term, because a data subject's links belong to a term."""

    def __init__(self, wanted: dict) -> None:
        self.by_key: dict = {}
        self.devices: dict = {}
        for era in wanted["eras"]:
            keyed = self.by_key.setdefault(era // TERM_ERAS, {})
            devices = self.devices.setdefault(era // TERM_ERAS, {})
            for event in make_part(era, wanted):
                key = event[KEY[event["contract"]]]
                keyed.setdefault(key, []).append(event)
                if "customer" in event:
                    devices.setdefault(event["customer"], set()).add(key)

    def of_key(self, value: str) -> list:
        return [event for keyed in self.by_key.values() for event in keyed.get(value, [])]

    def of_subject(self, value: str) -> list:
        terms = [(keyed, self.devices[term]) for term, keyed in self.by_key.items()]
        return [event for keyed, devices in terms for device in devices.get(value, ()) for event in keyed[device]]


def told(line: str) -> tuple:
    said = json.loads(line)
    era = int(datetime.fromisoformat(said["time"]).timestamp() * 1_000) // ERA_MS
    fields = {name: value for name, value in said["event"].items() if name != "svcMeta"}
    if not fields["nr"].startswith(f"{era}-"):
        raise SystemExit(f"an event has the time {said['time']}")
    for name in said.get("notDecrypted", {}):
        fields[name] = said["notDecrypted"][name]
    return (said["contract"], json.dumps(fields, sort_keys=True))


def withdrawn_of_level_2(event: dict) -> dict:
    return {name: "withdrawn" if name in {"mail", "recipient"} else value for name, value in event.items()}


def expected(events: list) -> list:
    return sorted((event["contract"], json.dumps(fields_of(event), sort_keys=True)) for event in events)


def compare(wanted: dict) -> dict:
    weir = Weir(wanted)
    sent = Sent(wanted)
    choose = random.Random(4)
    people = [f"person-{n}" for n in choose.sample(range(people_of(wanted)), ASKED)]
    differ: list = []
    seconds: list = []

    def hold(body: dict, events: list) -> None:
        start = time.monotonic()
        lines = weir.export(body).splitlines()
        seconds.append(round(time.monotonic() - start, 1))
        given, want = sorted(told(line) for line in lines), expected(events)
        if given != want:
            differ.append({"body": body, "given": given[:5], "wanted": want[:5], "sizes": [len(given), len(want)]})

    def hold_search(value: str, by_key: list, by_subject: list, erased: int = 0) -> None:
        """A search counts erased events, too, and also counts these separately."""
        search = weir.search(value)
        found = {(by["contract"], by["as"]): by["events"] for by in search["by"]} | {"erased": search["erased"]}
        want: dict = {"erased": erased}
        for way, events in (("key_field", by_key), ("data_subject_field", by_subject)):
            for event in events:
                want[event["contract"], way] = want.get((event["contract"], way), 0) + 1
        if found != want:
            differ.append({"search": value, "found": str(found), "wanted": str(want)})

    hold({"keyFieldValue": people[0]}, sent.of_key(people[0]))
    for person in people[:3]:
        hold_search(person, sent.of_key(person), sent.of_subject(person))
    hold({"keyFieldValue": f"device 1 of {people[1]}"}, sent.of_key(f"device 1 of {people[1]}"))
    hold({"subject": people[2]}, sent.of_subject(people[2]))
    hold({"keyFieldValue": "person-none"}, [])

    rows = list(csv.reader(io.StringIO(weir.export({"subject": people[2]}, "?format=csv"))))
    numbers = sorted(row[4] for row in rows if row[3] == "nr")
    if numbers != sorted(event["nr"] for event in sent.of_subject(people[2])):
        differ.append({"csv": numbers[:5]})

    weir.erase(people[3], {})
    hold({"keyFieldValue": people[3]}, [])
    weir.erase(people[4], {"levels": [2]})
    left = [withdrawn_of_level_2(event) for event in sent.of_key(people[4])]
    hold({"keyFieldValue": people[4]}, left)
    hold_returner(weir, hold, hold_search)
    return {"differ": differ, "seconds": seconds}


def hold_returner(weir: Weir, hold, hold_search) -> None:
    """Erases a person repeatedly. After an erasure, an export contains only later events of the person."""
    era = int(time.time() * 1_000) // ERA_MS
    devices = [f"device {n} of returner" for n in (0, 1)]
    erased: list = []
    for generation in range(GENERATIONS):
        orders = [
            {"contract": "order", "device": device, "customer": "returner", "nr": f"{era}-back-{generation}-{n}"}
            for n, device in enumerate(devices)
        ]
        visits = [
            {"contract": "visit", "user": "returner", "mail": "m", "nr": f"{era}-back-{generation}-own-{n}"}
            for n in range(generation + 1)
        ]
        weir.send_all(orders + visits)
        hold({"subject": "returner"}, orders)
        hold({"keyFieldValue": "returner"}, visits)
        hold({"keyFieldValue": devices[1]}, orders[1:])
        hold_search("returner", erased + visits, orders, len(erased))
        if generation < GENERATIONS - 1:
            weir.erase("returner", {})
            erased += visits
            hold({"subject": "returner"}, [])
            hold({"keyFieldValue": "returner"}, [])


wanted = json.load(sys.stdin)
print(json.dumps(send_part(wanted) if wanted["do"] == "send" else compare(wanted)))
