"""Decrypts the personal fields in a live input topic, with the KEKs of output. Written from docs/keys.md, this program
shares no code with Weir, so it shows whether that page is complete and right.

Reads a JSON task from standard input: `kafka` (settings of librdkafka), `topic`, `kekFile`, `schemas` (Avro schemas by
the registry's id), `fields` (levels by field path). Prints a line of JSON for each record: values or `erased`, by path.
"""

import base64
import hashlib
import hmac
import io
import json
import struct
import sys

import fastavro
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from read_topic import read

ROTATION_MS = 24 * 3_600_000


# --- key records ---


def unwrap(key: bytes, record_key: str, nonce_and_rest: bytes) -> bytes:
    return AESGCM(key).decrypt(nonce_and_rest[:12], nonce_and_rest[12:], record_key.encode())


class Keys:
    """The key records of one stream, decrypted when they are needed."""

    def __init__(self, records: dict, keks: dict, folder: str):
        self.records, self.keks, self.folder = records, keks, folder

    def open(self, name: str, ring: str) -> bytes | None:
        record_key = f"{self.folder}/{name}"
        record = self.records.get(record_key)
        if record is None:
            return None
        assert record[0] == 1
        [version] = struct.unpack(">I", record[1:5])
        return unwrap(self.wrapping_key(ring, version), record_key, record[5:])

    def wrapping_key(self, ring: str, version: int) -> bytes:
        record_key = f"_ring/{ring}/{version}"
        record = self.records[record_key]
        assert record[0] == 1
        kek, wrapped = record[2 : 2 + record[1]].decode(), record[2 + record[1] :]
        provider, name, number = kek.split(":")
        assert provider == "file"
        return unwrap(self.keks[name, int(number)], record_key, wrapped)

    def tree(self, term: int) -> dict:
        """Returns the nodes by prefix, from all key records of the tree."""
        nodes = {}
        start = f"{self.folder}/t{term}/tree"
        for record_key in [key for key in self.records if key == start or key.startswith(start + ".")]:
            plain = self.open(record_key[len(self.folder) + 1 :], "open")
            at = 0
            while at < len(plain):
                digits = plain[at]
                packed = plain[at + 1 : at + 1 + (digits + 3) // 4]
                at += 1 + len(packed) + 32
                nodes[base4(packed)[:digits]] = plain[at - 32 : at]
        return nodes


def base4(data: bytes) -> str:
    return "".join(str(byte >> shift & 3) for byte in data for shift in (6, 4, 2, 0))


# --- derivation ---


def leaf_of(nodes: dict, path: str) -> bytes | None:
    for length in range(len(path) + 1):
        node = nodes.get(path[:length])
        if node is not None:
            for digit in path[length:]:
                node = hashlib.sha256(node + bytes([int(digit)])).digest()
            return node
    return None


def link_of(label_key: bytes, key_link: bytes, epoch: int) -> bytes:
    decryptor = Cipher(algorithms.AES(label_key), modes.ECB()).decryptor()
    block = decryptor.update(key_link)
    assert block[8:] == struct.pack(">I", epoch) + bytes(4), "the keyLink is not one of this stream and time"
    return block[:8]


def consent_of(levels: list) -> bytes:
    bits = bytearray(32)
    for level in levels:
        bits[level // 8] |= 0x80 >> level % 8
    return bytes(bits)


def field(keys: Keys, record: dict, path: str, level: int, text: str) -> str:
    """Returns the value, or `erased` if the tree has no prefix of the path."""
    nodes, time_ms, key_link = record["nodes"], record["time"], record["keyLink"]
    era, epoch = time_ms // 2_764_800_000, time_ms // ROTATION_MS
    link = link_of(keys.open(f"{era}/label", "open"), key_link, epoch)
    leaf = leaf_of(nodes(era // 12), base4(link) + base4(bytes([level])))
    if leaf is None:
        return "erased"
    level_key = keys.open(f"{era}/level.{level}", f"level.{level}")
    message = leaf + struct.pack(">I", epoch) + consent_of(record["consent"]) + b"weir/siv/2"
    data = base64.b64decode(text, validate=True)
    assert data[:5] == b"\x01" + key_link[:4]
    return AESSIV(hmac.digest(level_key, message, "sha512")).decrypt(data[5:], [path.encode()]).decode()


# --- a topic ---


def keks_in(path: str) -> dict:
    keks = {}
    with open(path) as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                name, version, key = line.split()
                keks[name, int(version)] = bytes.fromhex(key) if len(key) == 64 else base64.b64decode(key)
    return keks


def keys_of(task: dict, account: str, message) -> Keys:
    """Finds the topic's stream, whose id is not in events: only the right stream's label decrypts the keyLink."""
    records = {}
    for record in read(task["kafka"], "weir.keys"):
        records[record.key().decode()] = record.value()
    records = {key: value for key, value in records.items() if value is not None}
    time_ms = message.timestamp()[1]
    for folder in {"/".join(key.split("/")[:2]) for key in records if key.startswith(f"{account}/")}:
        keys = Keys(records, keks_in(task["kekFile"]), folder)
        label = keys.open(f"{time_ms // 2_764_800_000}/label", "open")
        try:
            link_of(label, dict(message.headers())["svc-key-link"], time_ms // ROTATION_MS)
            return keys
        except (AssertionError, TypeError):
            continue
    raise SystemExit("no stream has the keys of this topic")


def main(task: dict) -> None:
    messages = read(task["kafka"], task["topic"])
    keys = keys_of(task, task["topic"].split(".")[0], messages[0])
    trees = {}

    def nodes(term: int) -> dict:
        if term not in trees:
            trees[term] = keys.tree(term)
        return trees[term]

    for message in messages:
        value = message.value()
        [schema_id] = struct.unpack(">I", value[1:5])
        schema = fastavro.parse_schema(task["schemas"][str(schema_id)])
        event = fastavro.schemaless_reader(io.BytesIO(value[5:]), schema)
        record = {
            "nodes": nodes,
            "time": message.timestamp()[1],
            "keyLink": dict(message.headers())["svc-key-link"],
            "consent": event["svcMeta"]["consentLevels"],
        }
        values = {}
        for path, level in task["fields"].items():
            text = event
            for name in path.split("/"):
                text = text[name]
            values[path] = field(keys, record, path, level, text)
        print(json.dumps(values))


main(json.load(sys.stdin))
