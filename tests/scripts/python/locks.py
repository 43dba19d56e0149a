"""Scenarios of lock libraries: `locks.py SCENARIO PORT`. Each fails by an assertion and ends with the word done."""

import multiprocessing
import sys
import tempfile

import redis


def connect(port):
    # The library waits in BLPOP for longer than the default limit of a read.
    return redis.Redis(port=port, host="127.0.0.1", socket_timeout=30)


def redis_py_lock(port):
    client = connect(port)
    lock = client.lock("door", timeout=2)
    assert lock.acquire(blocking=False)
    other = client.lock("door", timeout=2)
    assert not other.acquire(blocking=False)
    lock.extend(5)
    assert client.pttl("door") > 2000
    lock.reacquire()
    assert client.pttl("door") <= 2000
    lock.release()
    assert other.acquire(blocking=False)
    client.set("door", "stolen")
    try:
        other.release()
        raise AssertionError("a lock of another owner was released")
    except redis.exceptions.LockNotOwnedError:
        pass


def python_redis_lock(port):
    import redis_lock

    client = connect(port)
    lock = redis_lock.Lock(client, "door", expire=5, auto_renewal=True)
    assert lock.acquire(blocking=False)
    other = redis_lock.Lock(client, "door", expire=5)
    assert not other.acquire(blocking=False)
    assert not other.acquire(timeout=1)
    lock.extend(7)
    lock.release()
    assert other.acquire(timeout=1)
    other.release()
    redis_lock.reset_all(client)


def pottery(port):
    from pottery import Redlock, ReleaseUnlockedLock

    masters = {connect(port)}
    lock = Redlock(key="door", masters=masters, auto_release_time=2)
    assert lock.acquire(blocking=False)
    assert lock.locked() > 0
    assert not Redlock(key="door", masters=masters).acquire(blocking=False)
    lock.extend()
    lock.release()
    try:
        lock.release()
        raise AssertionError("a free lock was released")
    except ReleaseUnlockedLock:
        pass


def register_script(port):
    client = connect(port)
    double = client.register_script("return { redis.call('INCRBY', KEYS[1], ARGV[1] * 2), ARGV[2] }")
    assert double(keys=["n"], args=[21, "x"]) == [42, b"x"]
    client.script_flush()
    assert double(keys=["n"], args=[1, "y"]) == [44, b"y"]
    with client.pipeline() as pipe:
        double(keys=["n"], args=[0, "z"], client=pipe)
        pipe.get("n")
        assert pipe.execute() == [[44, b"z"], b"44"]


def increment(port, path, turns):
    import redis_lock

    client = connect(port)
    for _ in range(turns):
        with redis_lock.Lock(client, "file", expire=10):
            with open(path) as file:
                number = int(file.read())
            with open(path, "w") as file:
                file.write(str(number + 1))


def two_processes(port):
    """Two processes count in a file under a lock that is handed over by BLPOP."""
    with tempfile.NamedTemporaryFile("w+", suffix=".txt") as file:
        file.write("0")
        file.flush()
        workers = [multiprocessing.Process(target=increment, args=(port, file.name, 250)) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
            assert worker.exitcode == 0
        with open(file.name) as result:
            assert result.read() == "500"


scenario, port = sys.argv[1], int(sys.argv[2])
globals()[scenario](port)
print("done")
