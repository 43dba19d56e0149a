"""What the workers of the queue proof do; they import it by its name."""
from rq import get_current_job


def add(left, right):
    return left + right


def fail(message):
    raise ValueError(message)


def fail_once():
    job = get_current_job()
    job.meta["attempts"] = job.meta.get("attempts", 0) + 1
    job.save_meta()
    if job.meta["attempts"] == 1:
        raise ValueError("the first attempt")
    return job.meta["attempts"]


def note(name):
    """Leaves its name in a list of its own."""
    return get_current_job().connection.rpush("noted", name)
