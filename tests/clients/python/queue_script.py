"""Lets rq queue and work off jobs and prints what came of them as JSON: port.

rq keeps results in streams where the server has them, and has them in the job's hash where it has not; it is told that
this one has none."""
import itertools
import json
import sys
import threading
import time
from datetime import timedelta

import redis
from rq import Callback, Queue, Retry, SimpleWorker, Worker
from rq.job import Job
from rq.registry import FailedJobRegistry, FinishedJobRegistry, ScheduledJobRegistry
from rq.suspension import is_suspended, resume, suspend

import jobs

connection = redis.Redis(port=int(sys.argv[1]))
setattr(connection, "__rq_redis_server_version", (4, 0, 0))
text = redis.Redis(port=int(sys.argv[1]), decode_responses=True)
high, low = Queue("high", connection=connection), Queue("low", connection=connection)
numbers = itertools.count(1)
results = {}


def noted():
    return text.lrange("noted", 0, -1)


def work(kind=SimpleWorker, **options):
    return kind([high, low], connection=connection, name=f"worker {next(numbers)}").work(burst=True, logging_level="CRITICAL", **options)


def on_success(job, _connection, result):
    text.rpush("noted", f"success {result}")


def on_failure(job, _connection, _kind, value, _trace):
    text.rpush("noted", f"failure {value}")


def statuses(*all_jobs):
    return [job.get_status(refresh=True).value for job in all_jobs]


def queued():
    first = low.enqueue(jobs.add, 2, 3, job_id="first", result_ttl=500, description="two and three")
    second = low.enqueue(jobs.add, "a", "b", job_id="second", meta={"by": "ann"})
    results["queued"] = [low.count, low.job_ids, first.get_position(), second.get_position(), *statuses(first, second)]
    results["fetched"] = [Job.fetch("first", connection).description, Job.fetch("second", connection).meta, Job.exists("none", connection)]
    low.enqueue(jobs.note, "low")
    high.enqueue(jobs.note, "high")
    low.enqueue(jobs.note, "at the front", at_front=True)
    results["worked"] = [work(), work()]
    results["order"] = noted()
    results["results"] = [first.return_value(), second.return_value(), *statuses(first, second)]
    results["kept"] = 400 < text.ttl("rq:job:first") <= 500
    results["finished"] = sorted(job_id for job_id in FinishedJobRegistry(queue=low).get_job_ids() if job_id in ("first", "second"))
    results["many"] = [job.id if job else None for job in Job.fetch_many(["second", "none", "first"], connection)]


def failed():
    bad = high.enqueue(jobs.fail, "as told", job_id="bad", failure_ttl=300)
    flaky = high.enqueue(jobs.fail_once, job_id="flaky", retry=Retry(max=2))
    work()
    registry = FailedJobRegistry(queue=high)
    bad.refresh()
    results["failed"] = [*statuses(bad, flaky), registry.get_job_ids(), "ValueError: as told" in bad.exc_info, flaky.return_value()]
    registry.requeue("bad")
    results["requeued"] = [high.job_ids, registry.get_job_ids()]
    work()
    results["failed again"] = [statuses(bad), bad.id in registry]
    bad.delete()
    results["deleted"] = [Job.exists("bad", connection), registry.count]


def chained():
    first = low.enqueue(jobs.add, 1, 1, job_id="base", on_success=Callback(on_success))
    after = high.enqueue(jobs.add, 2, 2, job_id="after", depends_on=first)
    cancelled = low.enqueue(jobs.note, "never", job_id="cancelled")
    broken = low.enqueue(jobs.fail, "broken", on_failure=Callback(on_failure))
    waiting = low.enqueue(jobs.note, "never either", depends_on=broken)
    results["deferred"] = [*statuses(first, after, waiting), high.count, after.dependency_ids]
    cancelled.cancel()
    work()
    results["chained"] = [*statuses(first, after, cancelled, broken, waiting), after.return_value(), noted()]


def scheduled():
    late = high.enqueue_in(timedelta(hours=1), jobs.note, "late", job_id="late")
    soon = high.enqueue_in(timedelta(seconds=-1), jobs.note, "soon", job_id="soon")
    registry = ScheduledJobRegistry(queue=high)
    results["scheduled"] = [*statuses(late, soon), registry.count, registry.get_job_ids(0, 0)]
    work(with_scheduler=True)
    results["in time"] = [*statuses(late, soon), registry.get_job_ids(), noted()[-1]]


def waited():
    """Workers that fork, one of which waits for its job in a blocking command."""
    timer = threading.Timer(0.5, lambda: low.enqueue(jobs.note, "waited for"))
    timer.start()
    worker = Worker([low], connection=connection, name="waiting")
    results["waited"] = [worker.work(max_jobs=1, logging_level="CRITICAL"), noted()[-1]]
    timer.join()
    forked = low.enqueue(jobs.add, 20, 22)
    results["forked"] = [work(Worker), forked.return_value(), worker.successful_job_count]


def managed():
    suspend(connection, ttl=100)
    results["suspended"] = bool(is_suspended(connection))
    resume(connection)
    many = low.enqueue_many([Queue.prepare_data(jobs.note, (index,)) for index in range(50)])
    results["at once"] = [len(many), low.count, statuses(many[0], many[-1])]
    work(max_jobs=10)
    results["some"] = [low.count, noted()[-10:]]
    # Emptying a queue is a script; its jobs are taken out one by one.
    low.remove(many[-1])
    low.delete(delete_jobs=False)
    results["queues"] = [sorted(queue.name for queue in Queue.all(connection)), low.count, Worker.count(connection)]
    results["left"] = sorted(key for key in text.keys("rq:*") if not key.startswith("rq:job:") and "late" not in key)


for part in (queued, failed, chained, scheduled, waited, managed):
    part()
print(json.dumps(results, indent=1, default=lambda value: value.decode()))
