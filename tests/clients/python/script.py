"""Runs commands of every kind of reply through redis-py and prints what they are answered as JSON: port, protocol."""
import json
import sys

import redis

port, protocol = int(sys.argv[1]), int(sys.argv[2])
client = redis.Redis(port=port, protocol=protocol)
text = redis.Redis(port=port, protocol=protocol, decode_responses=True)
results = {}


def note(name, work):
    try:
        results[name] = work()
    except redis.RedisError as error:
        results[name] = f"{type(error).__name__}: {error}"


def transaction(pipe):
    current = int(pipe.get("balance") or 0)
    pipe.multi()
    pipe.set("balance", current + 5)
    pipe.get("balance")


def messages():
    with text.pubsub(ignore_subscribe_messages=True) as pubsub:
        pubsub.subscribe("news")
        pubsub.psubscribe("n*")
        heard = []
        # The confirmations are read before anything is sent.
        pubsub.get_message(timeout=1), pubsub.get_message(timeout=1)
        sent = text.publish("news", "hello")
        while len(heard) < 2:
            message = pubsub.get_message(timeout=1)
            if message is not None:
                heard.append([message["type"], message["pattern"], message["channel"], message["data"]])
        return [sent, heard]


def watched():
    with text.pipeline() as pipe:
        pipe.watch("k")
        text.set("k", "theirs")
        pipe.multi()
        pipe.set("k", "mine")
        return pipe.execute()


def pipelined():
    with text.pipeline(transaction=False) as pipe:
        pipe.set("p", 1).incr("p").lpush("p", "x").get("p")
        return [str(reply) for reply in pipe.execute(raise_on_error=False)]


note("set", lambda: text.set("k", "v", ex=100, nx=True))
note("set again", lambda: text.set("k", "w", nx=True))
note("get", lambda: repr(client.get("k")))
note("missing", lambda: text.get("missing"))
note("ttl", lambda: text.ttl("k"))
note("persist", lambda: text.persist("k"))
note("mset", lambda: text.mset({"a": 1, "b": 2}))
note("mget", lambda: text.mget("a", "b", "c"))
note("incrbyfloat", lambda: text.incrbyfloat("f", 1.5))
note("wrong type", lambda: text.lpush("k", "x"))
note("unknown", lambda: text.execute_command("NOSUCH", "x"))
note("wrong arity", lambda: text.execute_command("GET"))
note("binary", lambda: [client.set(b"bin\r\n\x00\xff", b"\xff\x00"), repr(client.get(b"bin\r\n\x00\xff"))])
note("rpush", lambda: text.rpush("list", "a", "b", "c"))
note("lrange", lambda: text.lrange("list", 0, -1))
note("blpop", lambda: text.blpop(["list"], timeout=1))
note("blpop of nothing", lambda: text.blpop(["nothing"], timeout=0.05))
note("transaction", lambda: text.transaction(transaction, "balance"))
note("watched", watched)
note("pipeline", pipelined)
note("messages", messages)
note("scan_iter", lambda: sorted(text.scan_iter(match="[a-k]", count=1)))
note("exists", lambda: text.exists("k", "a", "missing"))
note("type", lambda: text.type("list"))
note("config", lambda: text.config_get("maxmemory"))
note("client_setname", lambda: [text.client_setname("me"), text.client_getname()])
note("bitcount", lambda: [text.setbit("bits", 7, 1), text.bitcount("bits"), text.bitpos("bits", 1)])
note("command_getkeys", lambda: text.command_getkeys("MSET", "a", 1, "b", 2))
note("delete", lambda: text.delete("a", "b", "c"))
print(json.dumps(results, indent=1))
