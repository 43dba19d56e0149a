/** Commands as programs write them, printed with the package: with keylatch, and those of lessons with ioredis and node-redis. */

import { readFileSync } from 'node:fs';

export interface Form {
  /** Name of the row, such as `CLIENT|LIST`. */
  readonly name: string;
  /** Session file that the use is from, from the root of the repository. */
  readonly path: string;
  readonly keylatch: string;
  readonly ioredis?: string;
  readonly nodeRedis?: string;
}

/** Forms of commands, and of the commands of lessons. */
export interface Forms {
  readonly commands: readonly Form[];
  readonly lessons: readonly Form[];
}

export function readForms(): Forms {
  return JSON.parse(readFileSync('../target/generated/forms.json', 'utf8')) as Forms;
}

const SETUP = {
  keylatch: "import { Keylatch } from 'keylatch';\n\nconst db = new Keylatch();",
  ioredis: "import { Redis } from 'ioredis';\n\nconst redis = new Redis();",
  nodeRedis: "import { createClient } from 'redis';\n\nconst client = await createClient().connect();",
} as const;
const LABELS = { keylatch: 'In this process', ioredis: 'ioredis', nodeRedis: 'node-redis' } as const;

/** Forms as Markdown, a block for each library that has any. */
export function formsMarkdown(forms: readonly Form[]): string {
  const blocks = (['keylatch', 'ioredis', 'nodeRedis'] as const).flatMap((library) => {
    const lines = forms.flatMap((form) => form[library] ?? []);
    if (lines.length === 0) return [];
    return [`${LABELS[library]}:\n\n\`\`\`ts\n${SETUP[library]}\n${lines.join('\n')}\n\`\`\`\n`];
  });
  return blocks.join('\n');
}
