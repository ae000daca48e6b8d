"""Sends a file as the body of one request with httpx, a third-party client, and prints the answer.

Like many clients, httpx reads nothing before it has sent everything.
"""

import json
import sys

import httpx

url, protocol, path, headers = sys.argv[1:]
with open(path, "rb") as file:
    body = file.read()
is_http2 = protocol == "http2"
with httpx.Client(http1=not is_http2, http2=is_http2, timeout=30) as client:
    answer = client.post(url, content=body, headers=json.loads(headers))
assert answer.status_code == 200, answer.text
assert answer.http_version == ("HTTP/2" if is_http2 else "HTTP/1.1")
print(answer.text)
