// Stand-in for the part of node:assert/strict that the package's tests use, in a page.
import { isDeepStrictEqual, print } from './util.js';

function fail(message, told) {
  throw new Error(`${message ?? 'assertion failed'}: ${told}`);
}

function ok(value, message) {
  if (!value) fail(message, print(value));
}

function equal(actual, expected, message) {
  if (!Object.is(actual, expected)) fail(message, `${print(actual)}, expected ${print(expected)}`);
}

function deepEqual(actual, expected, message) {
  if (!isDeepStrictEqual(actual, expected)) fail(message, `${print(actual)}, expected ${print(expected)}`);
}

/** Checks the class or some properties of a thrown error. */
function throws(run, expected) {
  let thrown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  if (thrown === undefined) fail('nothing was thrown', String(run));
  if (typeof expected === 'function') return ok(thrown instanceof expected, String(thrown));
  for (const [name, value] of Object.entries(expected)) {
    if (value instanceof RegExp) ok(value.test(thrown[name]), String(thrown));
    else deepEqual(thrown[name], value, String(thrown));
  }
}

export default { ok, equal, deepEqual, throws };
