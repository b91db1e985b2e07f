"""A live table of a Kubernetes resource from a Dogwatch gateway, written from docs/PROTOCOL.md alone (Python 3.11).
`pip install websockets`, then `python dogwatch_client.py "$(dogwatch url)" deployments apps v1 [NAMESPACE…]`.
Prints a line for each row that came (+), changed (~) or went (-); what isn't a row goes to stderr."""
import asyncio, contextlib, json, sys, urllib.request, zlib
from websockets import ConnectionClosed, connect
Fraction = type("Fraction", (str,), {})  # a number that isn't whole, as it came: digests are made of its text

def written(cell):
    return str(cell) if isinstance(cell, Fraction) else json.dumps(cell, separators=(",", ":"), ensure_ascii=False)

def digest(rows, mask=2**64 - 1):
    total = 0
    for id, (_, version, cells) in rows.items():
        h = 0xCBF29CE484222325
        for byte in f'["{id}",{written(version)},[{",".join(map(written, cells))}]]'.encode():
            h = (h ^ byte) * 0x100000001B3 & mask
        h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & mask
        h = (h ^ h >> 27) * 0x94D049BB133111EB & mask
        total += h ^ h >> 31
    return f"{total & mask:016x}"

class Table:
    def __init__(self, scope):  # rows by id: (key, resourceVersion, cells); what is shown is the last cut
        self.scope, self.id, self.token, self.rows, self.shown = scope, 0, None, {}, {}
    def subscribe(self):
        self.id, self.view, self.at = self.id + 1, None, None
        return {"id": self.id, "scope": self.scope} | ({"token": self.token} if self.token else {})
    def hear(self, kind, body):
        if kind == "subscribed" and body["id"] == self.id:
            self.view, self.answer = body["view"], body
            self.at = body.get("at", 0) if body["epoch"] else None
            self.rows = dict(self.shown) if "at" in body else {}  # with `at` the token is continued
        elif kind == "rows" and body[0] == self.view:
            self.apply(*body[1:])
        elif kind == "sync" and body["view"] == self.view and self.at is not None:
            mine = digest(self.rows) if "digest" in body else None
            if (body["at"], body.get("digest")) != (self.at, mine):
                self.token = None
                raise LookupError(f"{body} isn't what is here: {mine} at {self.at}")
            print(f"# {len(self.rows)} rows at {self.at}{', digest agrees' if mine else ''}", file=sys.stderr)
        elif kind in ("state", "problem", "goaway"):
            print("#", json.dumps({kind: body}), file=sys.stderr)
    def apply(self, start, end, version, what):
        if what.get("reset"):
            self.at, self.rows = start, {}
        if start != self.at:
            raise LookupError(f"a frame from {start} at {self.at}")
        put = what.get("put", {"ids": ""})
        for i in range(len(put["ids"]) // 10):
            said = {"name": put["names"][i], "age": {"age": put["created"][i]}}
            cells = [said[column] if isinstance(column, str) else column[i] for column in put["cells"]]
            key = put["namespaces"][i], put["names"][i]
            self.rows[put["ids"][10 * i:10 * i + 10]] = key, put["versions"][i], cells
        for id, patch, *own in what.get("set", []):
            key, _, cells = self.rows[id]
            cells = [patch.get(str(place), cell) for place, cell in enumerate(cells)]
            self.rows[id] = key, own[0] if own else version, cells
        for id in what.get("delete", []): self.rows.pop(id, None)
        self.at = end
        if what.get("more"):
            return  # not yet a cut: nothing of it is shown, and the token stays where it is
        for id in self.rows.keys() | self.shown.keys():
            if (old := self.shown.get(id)) != (new := self.rows.get(id)):
                sign, (key, _, cells) = "~" if old and new else "+" if new else "-", new or old
                print(sign, "/".join(filter(None, key)), f"[{','.join(map(written, cells))}]", flush=True)
        self.shown = dict(self.rows)
        self.token = {"cluster": self.answer["cluster"], "columns": self.answer["columns_hash"],
                      "epoch": self.answer["epoch"], "sequence": str(end), "resource_version": version}

async def follow(socket, secret, table, received=0):  # until the connection ends
    say = lambda kind, body: socket.send(json.dumps({kind: body}))
    await say("hello", {"version": "dogwatch.v1", "credential": {"local": secret}, "client": "example 1"})
    await say("subscribe", table.subscribe())
    while True:
        try:
            message = await asyncio.wait_for(socket.recv(), 12)
            received += len(message if isinstance(message, bytes) else message.encode())
            await say("ack", {"bytes": received})
            text = zlib.decompress(message, -15) if isinstance(message, bytes) else message
            table.hear(*json.loads(text, parse_float=Fraction).popitem())
        except TimeoutError:
            print("# stale: no word for 12 s", file=sys.stderr)
        except LookupError as error:
            print(f"# {error}; subscribing anew", file=sys.stderr)
            await say("unsubscribe", {"id": table.id})
            await say("subscribe", table.subscribe())

async def main(url, resource, group="", version="v1", *namespaces):
    page, _, code = url.partition("/#code=")
    login = json.dumps({"code": code}).encode(), {"content-type": "application/json"}
    secret = json.load(urllib.request.urlopen(urllib.request.Request(page + "/api/login", *login)))["secret"]
    scope = {"resource": {"group": group, "version": version, "resource": resource}}
    table = Table(scope | ({"namespaces": namespaces} if namespaces else {}))
    async for socket in connect("ws" + page.removeprefix("http") + "/api/ws", subprotocols=["dogwatch.v1"],
                                additional_headers={"authorization": f"Bearer {secret}"}, max_size=2**25):
        with contextlib.suppress(ConnectionClosed):  # it comes back by itself, with the token
            await follow(socket, secret, table)

asyncio.run(main(*sys.argv[1:]))
