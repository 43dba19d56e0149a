/** Locks of Python, unchanged: redis-py, python-redis-lock, pottery, and redis-py's register_script. */
import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { both } from './support/both.mjs';
import { run } from '../clients/support/server.mjs';

const python = process.env.KEYLATCH_PYTHON ?? resolve(import.meta.dirname, '../../target/python/scripts/bin/python');

for (const scenario of ['redis_py_lock', 'python_redis_lock', 'pottery', 'register_script', 'two_processes']) {
  both(`Python: ${scenario}`, async (_t, port) => {
    const { code, output, errors } = await run(python, [join(import.meta.dirname, 'python/locks.py'), scenario, port]);
    assert.equal(code, 0, errors);
    assert.equal(output.trim(), 'done');
  });
}
