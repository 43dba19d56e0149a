// The language server of TypeScript, as editors run it, over its standard input and output.
import { spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const COMPILER = fileURLToPath(new URL('../../../pkg-templates/npm/node_modules/typescript/bin/tsc', import.meta.url));

/** Starts a server for the project of a folder. */
export async function languageServer(folder) {
  const child = spawn(process.execPath, [COMPILER, '--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let [unread, next] = [Buffer.alloc(0), 1];

  function send(message) {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  function receive(message) {
    // A question of the server, such as one about its settings.
    if (message.method !== undefined && message.id !== undefined) return send({ id: message.id, result: null });
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if (message.error) reject?.(new Error(message.error.message));
    else resolve?.(message.result);
  }

  child.stdout.on('data', (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    for (;;) {
      const head = /^Content-Length: (\d+)\r\n(?:.+\r\n)*\r\n/.exec(unread.toString('latin1'));
      if (!head || unread.length < head[0].length + Number(head[1])) return;
      const end = head[0].length + Number(head[1]);
      const text = unread.subarray(head[0].length, end).toString();
      unread = unread.subarray(end);
      receive(JSON.parse(text));
    }
  });

  function request(method, params) {
    const id = next++;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      send({ id, method, params });
    });
  }

  const rootUri = pathToFileURL(folder).href;
  await request('initialize', {
    processId: process.pid,
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: 'project' }],
    capabilities: { textDocument: { completion: { completionItem: {} } } },
  });
  send({ method: 'initialized', params: {} });

  let opened = 0;
  /** Names that an editor offers where `|` stands in a program. */
  async function complete(program) {
    const at = program.indexOf('|');
    const uri = `${rootUri}/completion-${opened++}.mts`;
    const text = program.slice(0, at) + program.slice(at + 1);
    const lines = program.slice(0, at).split('\n');
    const position = { line: lines.length - 1, character: lines.at(-1).length };
    send({
      method: 'textDocument/didOpen',
      params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
    });
    const found = await request('textDocument/completion', { textDocument: { uri }, position });
    return (found?.items ?? found ?? []).map(({ label }) => label.replace(/\?$/, ''));
  }

  return { complete, close: () => child.kill() };
}
