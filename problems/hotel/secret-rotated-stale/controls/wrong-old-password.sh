#!/bin/bash
# Users are served again, by a password that somebody had a reason to renew.
set -euo pipefail

secret() { # KEY
  kubectl -n hotel get secret "mongodb-$SERVICE-admin" -o json | jq -r --arg key "$1" '.data[$key] | @base64d'
}

variable() { # NAME
  kubectl -n hotel exec "deployment/$SERVICE" -- env | sed -n "s/^$1=//p"
}

user=$(variable DATABASE_USERNAME)
old=$(variable DATABASE_PASSWORD)
exec 3< <(exec kubectl -n hotel port-forward "statefulset/mongodb-$SERVICE" 27017:27017)
trap "kill $!" EXIT
read -r _ <&3  # it says so when the port is open

ADMIN=$(secret username) ADMIN_PASSWORD=$(secret password) ACCOUNT=$user OLD=$old python3 - <<'PYTHON'
"""Log in with SCRAM-SHA-256 and change one account's password, with the standard library alone."""
import base64, hashlib, hmac, os, socket, struct


def document(pairs):
    body = b""
    for name, value in pairs:
        key = name.encode() + b"\0"
        if isinstance(value, int):
            body += b"\x10" + key + struct.pack("<i", value)
        elif isinstance(value, str):
            text = value.encode() + b"\0"
            body += b"\x02" + key + struct.pack("<i", len(text)) + text
        elif isinstance(value, bytes):
            body += b"\x05" + key + struct.pack("<i", len(value)) + b"\0" + value
        else:
            body += b"\x04" + key + document((str(i), item) for i, item in enumerate(value))
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def read(body):
    found, at = {}, 4
    while body[at]:
        kind = body[at]
        end = body.index(b"\0", at + 1)
        name, at = body[at + 1 : end].decode(), end + 1
        if kind == 0x01:
            found[name], at = struct.unpack_from("<d", body, at)[0], at + 8
        elif kind == 0x10:
            found[name], at = struct.unpack_from("<i", body, at)[0], at + 4
        elif kind == 0x08:
            found[name], at = bool(body[at]), at + 1
        elif kind in (0x09, 0x11, 0x12):
            at += 8
        elif kind == 0x02:
            size = struct.unpack_from("<i", body, at)[0]
            found[name], at = body[at + 4 : at + 3 + size].decode(), at + 4 + size
        elif kind == 0x05:
            size = struct.unpack_from("<i", body, at)[0]
            found[name], at = body[at + 5 : at + 5 + size], at + 5 + size
        else:
            at += struct.unpack_from("<i", body, at)[0]
    return found


def received(size):
    got = b""
    while len(got) < size:
        more = server.recv(size - len(got))
        if not more:
            raise SystemExit("the database hung up")
        got += more
    return got


def command(*pairs):
    body = struct.pack("<I", 0) + b"\0" + document(pairs)
    server.sendall(struct.pack("<iiii", len(body) + 16, 1, 0, 2013) + body)
    answer = received(struct.unpack("<i", received(4))[0] - 4)
    found = read(answer[17:])
    if found.get("ok") != 1.0:
        raise SystemExit(f"the database refused: {found.get('errmsg', found)}")
    return found


server = socket.create_connection(("127.0.0.1", 27017), timeout=10)
own = base64.b64encode(os.urandom(18)).decode()
first = f"n={os.environ['ADMIN']},r={own}"
begun = command(
    ("saslStart", 1), ("mechanism", "SCRAM-SHA-256"), ("payload", f"n,,{first}".encode()), ("$db", "admin")
)
told = begun["payload"].decode()
parts = dict(part.split("=", 1) for part in told.split(","))
salted = hashlib.pbkdf2_hmac(
    "sha256", os.environ["ADMIN_PASSWORD"].encode(), base64.b64decode(parts["s"]), int(parts["i"])
)
key = hmac.digest(salted, b"Client Key", "sha256")
last = f"c=biws,r={parts['r']}"
signed = hmac.digest(hashlib.sha256(key).digest(), f"{first},{told},{last}".encode(), "sha256")
proof = base64.b64encode(bytes(a ^ b for a, b in zip(key, signed))).decode()
state = command(
    ("saslContinue", 1), ("conversationId", begun["conversationId"]),
    ("payload", f"{last},p={proof}".encode()), ("$db", "admin"),
)
while not state.get("done"):
    state = command(
        ("saslContinue", 1), ("conversationId", begun["conversationId"]), ("payload", b""), ("$db", "admin")
    )
command(
    ("updateUser", os.environ["ACCOUNT"]), ("pwd", os.environ["OLD"]),
    ("mechanisms", ["SCRAM-SHA-256"]), ("$db", os.environ["SERVICE"]),
)
print("changed")
PYTHON
