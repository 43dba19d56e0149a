// Firefox by Marionette and WebKit by WebDriver, for what depends on the browser. Scripts that run in the page do the rest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FIREFOX = process.env.FIREFOX ?? '/usr/bin/firefox-esr';
const WEBKIT_DRIVER = process.env.WEBKIT_DRIVER ?? '/usr/bin/WebKitWebDriver';
const XVFB_RUN = process.env.XVFB_RUN ?? '/usr/bin/xvfb-run';
/** Time for a browser to start, and for a script in a page. */
const LIMIT_MS = 120_000;
const PAUSE_MS = 50;

export const ENGINES = { Firefox: startFirefox, WebKit: startWebKit };

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Calls `attempt` until it succeeds. */
async function retried(attempt) {
  for (const endMs = Date.now() + LIMIT_MS; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > endMs) throw error;
    }
    await new Promise((done) => setTimeout(done, PAUSE_MS));
  }
}

/** A program with its children, and how they end. */
function started(program, args) {
  const child = spawn(program, args, { detached: true, stdio: 'ignore' });
  const ended = once(child, 'close');
  const stop = async () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
    await ended;
  };
  return stop;
}

/** For scripts in a page: an element, by selectors of which each is looked for inside the shadow tree of the one before. */
const find = (...path) =>
  path.reduce((root, selector) => (root?.shadowRoot ?? root)?.querySelector(selector), document);

/**
 * The page that a driver controls. `run` calls a function in the page, which may use `find`, and awaits it; `until` calls it
 * until its result is truthy, also over navigations.
 */
function pageOf(command, stop) {
  const run = (work, ...args) =>
    command('ExecuteScript', { script: `const find = ${find}; return (${work})(...arguments);`, args }).then(
      ({ value }) => value,
    );
  const until = (work, ...args) =>
    retried(async () => {
      const value = await run(work, ...args);
      if (!value) throw new Error(`never true in time: ${work}`);
      return value;
    });
  return {
    run,
    until,
    open: (url) => command('Navigate', { url }),
    reload: () => command('Refresh', {}),
    /** Opens a tab and shows it. Returns a function that shows the present one again. */
    async openTab() {
      const { value: present } = await command('GetWindowHandle', {});
      const { value, handle = value.handle } = await command('NewWindow', { type: 'tab' });
      await command('SwitchToWindow', { handle });
      return () => command('SwitchToWindow', { handle: present });
    },
    stop,
  };
}

/** A connection to Marionette: messages are JSON behind their length. */
class Marionette {
  #socket;
  #received = Buffer.alloc(0);
  #waiting = [];

  static async connect(port) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const connection = new Marionette(socket);
    await connection.#next();
    return connection;
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#hear(chunk));
    socket.on('close', () => this.#waiting.splice(0).forEach(({ fail }) => fail(new Error('Firefox has ended'))));
    socket.on('error', () => undefined);
  }

  async send(name, parameters) {
    const text = JSON.stringify([0, 1, name, parameters]);
    this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , error, result] = await this.#next();
    if (error) throw new Error(`${error.error}: ${error.message}`);
    return result ?? {};
  }

  end() {
    this.#socket.destroy();
  }

  #next() {
    return new Promise((done, fail) => this.#waiting.push({ done, fail }));
  }

  #hear(chunk) {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const colon = this.#received.indexOf(':');
      const end = colon + 1 + Number(this.#received.subarray(0, Math.max(colon, 0)));
      if (colon === -1 || this.#received.length < end) return;
      const message = JSON.parse(this.#received.subarray(colon + 1, end));
      this.#received = this.#received.subarray(end);
      this.#waiting.shift()?.done(message);
    }
  }
}

async function startFirefox() {
  const profile = await mkdtemp(join(tmpdir(), 'keylatch-firefox-'));
  const port = await freePort();
  await writeFile(join(profile, 'user.js'), `user_pref("marionette.port", ${port});\n`);
  const kill = started(FIREFOX, ['--headless', '--marionette', '--no-remote', '--profile', profile]);
  const connection = await retried(() => Marionette.connect(port));
  const command = (name, parameters) => connection.send(`WebDriver:${name}`, parameters);
  await command('NewSession', { timeouts: { script: LIMIT_MS, pageLoad: LIMIT_MS } });
  return pageOf(command, async () => {
    connection.end();
    await kill();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
}

/** Commands of WebDriver as paths of HTTP. */
const PATHS = {
  ExecuteScript: ['POST', 'execute/sync'],
  Navigate: ['POST', 'url'],
  Refresh: ['POST', 'refresh'],
  GetWindowHandle: ['GET', 'window'],
  NewWindow: ['POST', 'window/new'],
  SwitchToWindow: ['POST', 'window'],
};

async function request(url, method, body) {
  const options = method === 'GET' ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, ...options });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return { value };
}

async function startWebKit() {
  const port = await freePort();
  const kill = started(XVFB_RUN, ['--auto-servernum', WEBKIT_DRIVER, `--port=${port}`]);
  const driver = `http://127.0.0.1:${port}/session`;
  const timeouts = { script: LIMIT_MS, pageLoad: LIMIT_MS };
  const session = await retried(() => request(driver, 'POST', { capabilities: { alwaysMatch: { timeouts } } }));
  const command = (name, parameters) => {
    const [method, path] = PATHS[name];
    return request(`${driver}/${session.value.sessionId}/${path}`, method, parameters);
  };
  return pageOf(command, async () => {
    await request(`${driver}/${session.value.sessionId}`, 'DELETE', {}).catch(() => undefined);
    await kill();
  });
}
