"""Compares the events that people get about themselves with what was sent, without any code of Weir. It sends events of
very many people, half of them in one term and half in the next, and requests those of some people. Reads its task as
JSON from standard input, and prints the differences as JSON.
"""

import csv
import io
import json
import random
import sys
import time
import urllib.error
import urllib.request

BATCH = 1_000
KEY = {"visit": "user", "order": "device", "letter": "recipient"}
ASKED = 5


def make_event(choose: random.Random, people: int) -> dict:
    person = f"person-{choose.randrange(people)}"
    contract = choose.choice(list(KEY))
    device = f"device {choose.randrange(3)} of {person}"
    if contract == "visit":
        return {"contract": contract, "user": device if choose.random() < 0.3 else person, "mail": f"mail of {person}"}
    if contract == "order":
        return {"contract": contract, "device": device, "customer": person}
    return {"contract": contract, "recipient": person}


def make_half(half: int, count: int) -> list:
    choose = random.Random(half)
    return [{**make_event(choose, max(count // 10, 20)), "nr": f"{half}-{nth}"} for nth in range(count // 2)]


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

    def erase(self, value: str, more: dict) -> None:
        """Uses a search, because a stream may be too large to be searched within one request."""
        search = self.post("/v2/people/search", {"value": value, "streams": ["events"]})["searchId"]
        while self.get(f"/v2/people/searches/{search}")["state"] == "running":
            time.sleep(0.2)
        path = "/v2/streams/events/erasures"
        erasure = self.post(path, {"searchId": search, **more})["id"]
        while "at" not in self.get(f"{path}/{erasure}")["states"]["applied"]:
            time.sleep(0.1)


def send_half(wanted: dict) -> dict:
    weir = Weir(wanted)
    events = make_half(wanted["half"], wanted["count"])
    for contract in KEY:
        mine = [event for event in events if event["contract"] == contract]
        for start in range(0, len(mine), BATCH):
            weir.send(contract, mine[start : start + BATCH])
    return {"sent": len(events)}


class Sent:
    """By half, because a data subject's links belong to a term."""

    def __init__(self, count: int) -> None:
        self.by_key: list = [{}, {}]
        self.devices: list = [{}, {}]
        for half in (0, 1):
            for event in make_half(half, count):
                key = event[KEY[event["contract"]]]
                self.by_key[half].setdefault(key, []).append(event)
                if "customer" in event:
                    self.devices[half].setdefault(event["customer"], set()).add(key)

    def of_key(self, value: str) -> list:
        return [event for half in self.by_key for event in half.get(value, [])]

    def of_subject(self, value: str) -> list:
        halves = zip(self.by_key, self.devices)
        return [event for keyed, devices in halves for device in devices.get(value, ()) for event in keyed[device]]


def told(line: str, boundary: str) -> tuple:
    said = json.loads(line)
    half = "0" if said["time"] < boundary else "1"
    fields = {name: value for name, value in said["event"].items() if name != "svcMeta"}
    if not fields["nr"].startswith(half + "-"):
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
    sent = Sent(wanted["count"])
    choose = random.Random(4)
    people = [f"person-{n}" for n in choose.sample(range(max(wanted["count"] // 10, 20)), ASKED)]
    differ: list = []
    seconds: list = []

    def hold(body: dict, events: list) -> None:
        start = time.monotonic()
        lines = weir.export(body).splitlines()
        seconds.append(round(time.monotonic() - start, 1))
        given, want = sorted(told(line, wanted["boundary"]) for line in lines), expected(events)
        if given != want:
            differ.append({"body": body, "given": given[:5], "wanted": want[:5], "sizes": [len(given), len(want)]})

    hold({"keyFieldValue": people[0]}, sent.of_key(people[0]))
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
    return {"differ": differ, "seconds": seconds}


wanted = json.load(sys.stdin)
print(json.dumps(send_half(wanted) if wanted["do"] == "send" else compare(wanted)))
