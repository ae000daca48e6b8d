"""Prints what DuckDB and pandas read in an exported file, as JSON."""

import json
import sys

import duckdb
import pandas

path = sys.argv[1]
columns = duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()
rows = duckdb.sql(f"SELECT * FROM '{path}' ORDER BY person")
frame = pandas.read_parquet(path).sort_values("person")

json.dump(
    {
        "types": {name: kind for name, kind, *_ in columns},
        "rows": [dict(zip(rows.columns, row)) for row in rows.fetchall()],
        "times": duckdb.sql(
            f"SELECT count(*) FROM '{path}' WHERE svcMeta.timestamp BETWEEN now() - INTERVAL 1 HOUR AND now() + INTERVAL 1 MINUTE"
        ).fetchall()[0][0],
        "pandas": {
            "rows": len(frame),
            "large": [int(value) for value in frame["large"]],
            "at": [value.isoformat() for value in frame["at"]],
            "items": [[item["name"] for item in value] for value in frame["items"]],
        },
    },
    sys.stdout,
    default=lambda value: value.hex() if isinstance(value, bytes) else str(value),
)
