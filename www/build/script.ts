/** Scripts that are one file without imports, for pages that include them by one tag. */

import { build, type Plugin } from 'vite';

/** The code of an entry with all that it imports. */
export async function bundledScript(entry: string, plugins: Plugin[] = []): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    plugins,
    build: {
      write: false,
      target: 'es2022',
      lib: { entry, formats: ['iife'], name: 'keylatch', fileName: 'script' },
    },
  });
  const [output] = Array.isArray(built) ? built : [built];
  if (!output || !('output' in output) || output.output.length !== 1)
    throw new Error(`${entry} did not become one file`);
  return output.output[0].code;
}
