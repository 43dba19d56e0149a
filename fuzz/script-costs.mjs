/**
 * Processor time of scripts beside that of an empty loop which is charged as much, in WebAssembly: `node script-costs.mjs
 * PACKAGE SCRIPTS SECONDS`. SCRIPTS is a file with a JSON text a line; each script runs until it ends or its limit ends
 * it. Prints the worst ones, and fails if one takes longer than its charges allow.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Charges of one run: an empty loop takes about 20 ms for them. */
const INSTRUCTIONS = 2_000_000;
const MEMORY_BYTES = 64 * 1024 * 1024;
/** Longest time of a script, as a multiple of that of an empty loop. */
const RATIO_MAX = 8;
/** Scripts with a higher ratio run again, this often. */
const SUSPECT = RATIO_MAX / 2;
const AGAIN = 5;
/** Time after which a script is ended, in milliseconds. */
const PATIENCE_MS = 30_000;
const EMPTY = 'while true do end';
const SHOWN = 30;
const WARM_UP = 10;
/** Runs of one engine. */
const RUNS = 20;

/** Runs scripts as they come, each as a message, and answers each with its time in microseconds and how it ended. */
async function serve() {
  const { Keylatch } = await import(pathToFileURL(join(workerData, 'esm/index.js')).href);
  let [db, runs] = [undefined, 0];
  const run = (script) => {
    if (runs % RUNS === 0) {
      db = new Keylatch();
      db.configSet('lua-instruction-limit', String(INSTRUCTIONS));
      db.configSet('lua-memory-limit', String(MEMORY_BYTES));
      db.eval('return 1', [], []);
    }
    runs += 1;
    let end = 'done';
    db.flushall();
    const before = process.cpuUsage();
    try {
      db.eval(script, [], []);
    } catch (error) {
      const text = String(error.message);
      const isLimit = text.includes('lua-instruction-limit');
      end = isLimit ? 'limit' : text.includes('more memory') ? 'memory' : text.slice(0, 60);
    }
    const { user, system } = process.cpuUsage(before);
    return { time: user + system, end };
  };
  parentPort.on('message', (script) => parentPort.postMessage(run(script)));
}

/** Runs scripts in another thread, which is ended if one of them does not end. */
class Runner {
  #worker;

  constructor(folder) {
    this.folder = folder;
  }

  async run(script) {
    while (this.#worker === undefined) {
      const worker = new Worker(import.meta.filename, { workerData: this.folder });
      this.#worker = worker;
      // The machine's code is compiled twice: fast at first, then optimised. On a busy machine even that may take too long.
      for (let turn = 0; turn < WARM_UP && this.#worker === worker; turn += 1) await this.#runOn(worker, EMPTY);
    }
    return this.#runOn(this.#worker, script);
  }

  async #runOn(worker, script) {
    let [timer, failed] = [undefined, undefined];
    try {
      return await new Promise((resolve, reject) => {
        failed = reject;
        worker.once('error', failed);
        worker.once('message', resolve);
        timer = setTimeout(() => {
          this.#worker = undefined;
          worker.terminate();
          resolve({ time: PATIENCE_MS * 1000, end: 'no end' });
        }, PATIENCE_MS);
        worker.postMessage(script);
      });
    } finally {
      clearTimeout(timer);
      worker.off('error', failed);
    }
  }

  async end() {
    await this.#worker?.terminate();
  }
}

async function measure(folder, file, seconds) {
  const runner = new Runner(folder);
  const emptyTime = async () => {
    const times = [];
    for (let turn = 0; turn < 3; turn += 1) times.push((await runner.run(EMPTY)).time);
    return Math.min(...times);
  };
  const until = Date.now() + seconds * 1000;
  const found = [];
  let empty = await emptyTime();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (Date.now() > until) break;
    if (line === '') continue;
    const script = JSON.parse(line);
    const { time, end } = await runner.run(script);
    let ratio = time / empty;
    // A ratio that is high once may be the machine's.
    for (let turn = 0; turn < AGAIN && end !== 'no end' && ratio > SUSPECT; turn += 1) {
      empty = await emptyTime();
      ratio = Math.min(ratio, (await runner.run(script)).time / empty);
    }
    found.push({ script, end, ratio });
  }
  await runner.end();
  found.sort((one, other) => other.ratio - one.ratio);
  for (const { script, end, ratio } of found.slice(0, SHOWN)) {
    console.log(`${ratio.toFixed(1).padStart(7)}  ${end.padEnd(6)}  ${script}`);
  }
  const worst = found[0]?.ratio ?? 0;
  console.log(
    `${found.length} scripts; the worst takes ${worst.toFixed(1)} times an empty loop (at most ${RATIO_MAX})`,
  );
  process.exitCode = worst > RATIO_MAX ? 1 : 0;
}

if (isMainThread) {
  const [folder, file, seconds] = process.argv.slice(2);
  await measure(folder, file, Number(seconds));
} else {
  await serve();
}
