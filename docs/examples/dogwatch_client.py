"""A live table of a Kubernetes resource from a Dogwatch gateway, written from docs/PROTOCOL.md alone (Python 3.11).
`pip install websockets cryptography`, then `python dogwatch_client.py "$(dogwatch url)" deployments apps v1 [NAMESPACE…]`.
Prints a line for each row that came (+), changed (~) or went (-); what isn't a row goes to stderr."""
import asyncio, base64, contextlib, json, socket as network, sys, urllib.parse, urllib.request, zlib
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from websockets import ConnectionClosed, connect
here = lambda resolve: lambda host, *more, **named: resolve("127.0.0.1" if str(host).endswith(".localhost") else host, *more, **named)
network.getaddrinfo = here(network.getaddrinfo)  # a name below localhost is this machine, whatever the resolver knows
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
        if what.get("reset"): self.at, self.rows = start, {}
        if start != self.at: raise LookupError(f"a frame from {start} at {self.at}")
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

base64url = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()

class Session:  # a key of this program's own, which proves itself; only its public half ever crosses the wire
    def __init__(self, page, code):
        self.key = ec.generate_private_key(ec.SECP256R1())
        point = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        said = {"code": code, "key": base64url(self.key.public_key().public_bytes(*point))}
        login = json.dumps(said).encode(), {"content-type": "application/json"}
        self.id = json.load(urllib.request.urlopen(urllib.request.Request(page + "/api/login", *login)))["session"]
    def proof(self, nonce):
        signature = self.key.sign(f"dogwatch proof\n{nonce}\n".encode(), ec.ECDSA(hashes.SHA256()))
        signature = b"".join(number.to_bytes(32) for number in utils.decode_dss_signature(signature))
        return {"proof": {"session": self.id, "signature": base64url(signature)}}

async def follow(socket, session, table, received=0):  # until the connection ends
    say = lambda kind, body: socket.send(json.dumps({kind: body}))
    greeted = False
    while True:
        try:
            message = await asyncio.wait_for(socket.recv(), 12)
            received += len(message if isinstance(message, bytes) else message.encode())
            text = zlib.decompress(message, -15) if isinstance(message, bytes) else message
            kind, body = json.loads(text, parse_float=Fraction).popitem()
            if kind == "challenge":
                rest = {} if greeted else {"version": "dogwatch.v2", "client": "example 2"}
                await say("auth" if greeted else "hello", {"credential": session.proof(body["nonce"])} | rest)
                if not greeted:
                    greeted = not await say("subscribe", table.subscribe())
                continue
            await say("ack", {"bytes": received})
            table.hear(kind, body)
        except TimeoutError:
            print("# stale: no word for 12 s", file=sys.stderr)
        except LookupError as error:
            print(f"# {error}; subscribing anew", file=sys.stderr)
            await say("unsubscribe", {"id": table.id})
            await say("subscribe", table.subscribe())

async def main(url, resource, group="", version="v1", *namespaces):
    link = urllib.parse.urlsplit(url)
    page, code = f"{link.scheme}://{link.netloc}", link.fragment.removeprefix("code=")
    session, scope = Session(page, code), {"resource": {"group": group, "version": version, "resource": resource}}
    table = Table(scope | ({"namespaces": namespaces} if namespaces else {}))
    async for socket in connect("ws" + page.removeprefix("http") + "/api/ws", subprotocols=["dogwatch.v2"], max_size=2**25):
        with contextlib.suppress(ConnectionClosed):  # it comes back by itself, with the token
            await follow(socket, session, table)

asyncio.run(main(*sys.argv[1:]))
