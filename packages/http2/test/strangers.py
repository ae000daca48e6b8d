"""Sends concurrent requests with bodies of a given size, by httpx, a third-party library.

Prints how many got 204 over HTTP/2.
"""

import asyncio
import sys

import httpx


async def main(url: str, requests: int, size: int) -> None:
    limits = httpx.Limits(max_connections=1)
    async with httpx.AsyncClient(
        http1=False, http2=True, verify=False, limits=limits, timeout=60
    ) as client:
        answers = await asyncio.gather(
            *(client.post(url, content=b"x" * size) for _ in range(requests))
        )
    print(sum(a.status_code == 204 and a.http_version == "HTTP/2" for a in answers))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
