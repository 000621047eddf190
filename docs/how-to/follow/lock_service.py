"""A lock service with leases, on asyncio; every step goes into a log."""

import asyncio
import json
import sys


class Service:
    """Grants one lock to one client at a time, for as long as its lease lasts."""

    def __init__(self, lease, log):
        self.lease, self.log = lease, log
        self.holder, self.token, self.timer = None, 0, None

    def tell(self, event, client):
        print(json.dumps({"event": event, "client": client, "token": self.token}), file=self.log)

    def acquire(self, client):
        if self.holder is not None:
            return None
        self.holder, self.token = client, self.token + 1
        self.timer = asyncio.get_running_loop().call_later(self.lease, self.expire)
        self.tell("granted", client)
        return self.token

    def release(self, client):
        self.holder = None  # the bug: nobody asks whether this client still holds the lock
        self.timer.cancel()
        self.tell("released", client)

    def expire(self):
        self.holder = None  # silently: the log says nothing of it


async def client(service, name, work):
    while service.acquire(name) is None:
        await asyncio.sleep(0.001)
    await asyncio.sleep(work)
    service.release(name)


async def main(path, slow):
    with open(path, "w") as log:
        service = Service(lease=0.05, log=log)
        works = [slow, 0.02, 0.02]
        await asyncio.gather(*(client(service, n, work) for n, work in enumerate(works)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], float(sys.argv[2])))
