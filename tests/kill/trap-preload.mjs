// Preloaded with --import: once the file named by KEYLATCH_TRAP exists, each call into an engine traps.
import { existsSync } from 'node:fs';

const { Instance } = WebAssembly;
const trapFile = process.env.KEYLATCH_TRAP;

const trapping =
  (call) =>
  (...given) => {
    if (existsSync(trapFile)) throw new WebAssembly.RuntimeError('unreachable');
    return call(...given);
  };

WebAssembly.Instance = function InstanceThatTraps(module, imports) {
  const { exports } = new Instance(module, imports);
  const entries = Object.entries(exports).map(([name, value]) => [
    name,
    typeof value === 'function' ? trapping(value) : value,
  ]);
  return { exports: Object.fromEntries(entries) };
};
