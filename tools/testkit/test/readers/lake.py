"""A data lake: an exported Parquet file, read by DuckDB, and its copy in an Iceberg table. Also reads the topic.

Each line of standard input is a JSON task, each line of standard output its result. `look` finds the rows of a sample
of people by their keyLinks, and decrypts only these rows.
"""

import hashlib
import json
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[4] / "clients/python"))

import duckdb  # noqa: E402
import weir  # noqa: E402
from pyarrow.parquet import read_table  # noqa: E402
from pyiceberg.catalog.sql import SqlCatalog  # noqa: E402
from pyiceberg.expressions import In  # noqa: E402
from read_topic import read  # noqa: E402

SAMPLE_ROWS = 100


class Lake:
    def __init__(self, task: dict):
        self.task = task
        self.file, self.warehouse = task["file"], Path(task["folder"]) / "warehouse"
        self.warehouse.mkdir()
        catalog = {"uri": f"sqlite:///{task['folder']}/catalog.db", "warehouse": f"file://{self.warehouse}"}
        self.table = self.fill(SqlCatalog("lake", **catalog))
        self.links = self.sample()
        self.kept = weir.Decrypter(**task["options"])

    def fill(self, catalog: SqlCatalog):
        """Appends the file in two halves, then replaces both with one file, as a compaction does."""
        events = read_table(self.file)
        catalog.create_namespace("lake")
        table = catalog.create_table("lake.events", schema=events.schema)
        half = events.num_rows // 2
        table.append(events.slice(0, half))
        table.append(events.slice(half))
        table.overwrite(events)
        return table

    def sample(self) -> list[str]:
        """Returns the keyLinks of rows at equal distances in the file."""
        numbered = f"FROM read_parquet('{self.file}', file_row_number = true)"
        [(rows,)] = duckdb.sql(f"SELECT count(*) {numbered}").fetchall()
        every = max(1, rows // SAMPLE_ROWS)
        found = duckdb.sql(f"SELECT svc_key_link {numbered} WHERE file_row_number % {every} = 0 ORDER BY file_row_number")
        return [link for (link,) in found.fetchall()]

    def hashes(self) -> dict:
        """Returns size and hash of every file except the catalog."""
        files = [Path(self.file), *(path for path in self.warehouse.rglob("*") if path.is_file())]
        return {str(path): [path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest()] for path in files}

    def look(self, decrypter: weir.Decrypter) -> dict:
        """Returns, by place, the number of rows, the sample's personal fields by keyLink, and the seconds."""
        places = {"topic": self.in_topic, "parquet": self.in_parquet, "iceberg": self.in_iceberg}
        for snapshot in self.table.snapshots():
            places[f"snapshot {snapshot.sequence_number}"] = partial(self.in_iceberg, snapshot=snapshot)
        looked, seconds = {}, {}
        for name, look in places.items():
            started = time.monotonic()
            rows, events = look(decrypter)
            people = {event["svc_key_link"]: [event["producerSessionId"], event["customer"]["id"]] for event in events}
            looked[name] = {"rows": rows, "people": people}
            seconds[name] = round(time.monotonic() - started, 1)
        return {"places": looked, "seconds": seconds}

    def in_topic(self, decrypter: weir.Decrypter):
        wanted = {link.encode() for link in self.links}
        rows = 0

        def is_wanted(message) -> bool:
            nonlocal rows
            rows += 1
            return message.key() in wanted

        messages = read(self.task["kafka"], self.task["topic"], is_wanted)
        events = decrypter.decode(messages, reason_of)
        return rows, [{**event, "svc_key_link": message.key().decode()} for event, message in zip(events, messages)]

    def in_parquet(self, decrypter: weir.Decrypter):
        [(rows,)] = duckdb.sql(f"SELECT count(*) FROM '{self.file}'").fetchall()
        found = duckdb.execute(f"SELECT * FROM '{self.file}' WHERE list_contains($1, svc_key_link)", [self.links])
        names = [column[0] for column in found.description]
        return rows, decrypter.decrypt([dict(zip(names, row)) for row in found.fetchall()], reason_of)

    def in_iceberg(self, decrypter: weir.Decrypter, snapshot=None):
        at = snapshot or self.table.current_snapshot()
        scan = self.table.scan(In("svc_key_link", self.links), snapshot_id=snapshot and snapshot.snapshot_id)
        return int(at.summary["total-records"]), decrypter.decrypt(scan.to_arrow().to_pylist(), reason_of)


def reason_of(value: weir.Encrypted) -> dict:
    return {"encrypted": value.reason}


def main() -> None:
    lake = None
    for line in sys.stdin:
        task = json.loads(line)
        match task["do"]:
            case "open":
                lake = Lake(task)
                result = lake.links
            case "hash":
                result = lake.hashes()
            case "look":
                result = lake.look(lake.kept if task["isKept"] else weir.Decrypter(**lake.task["options"]))
        print(json.dumps(result), flush=True)


main()
