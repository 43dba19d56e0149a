"""redis-py with its cache over RESP3: what it reads while another client writes, and what its cache holds.

Usage: caching.py PORT
"""

import json
import sys
import time

import redis
from redis.cache import CacheConfig

port = int(sys.argv[1])
reader = redis.Redis(port=port, protocol=3, cache_config=CacheConfig(), decode_responses=True)
writer = redis.Redis(port=port, protocol=3, decode_responses=True)
seen, sizes = [], []


def read(key):
    # Invalidation messages are read before the cache is used.
    time.sleep(0.05)
    sizes.append(reader.get_cache().size)
    seen.append(reader.get(key))


writer.flushall()
read("k")
read("k")
writer.set("k", "v")
read("k")
read("k")
writer.set("other", "w")
read("other")
writer.delete("k", "other")
read("k")
read("other")
writer.flushall()
read("k")
reader.set("k", "own")
read("k")
writer.set("k", "short", px=20)
read("k")
read("k")
print(json.dumps({"seen": seen, "sizes": sizes}))
