/** A session in other forms: Markdown, HTML, and a shell script for redis-cli. Pure. */

import type { SessionStep } from 'keylatch/hints';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** The session as a fenced block, with the title above and the link below. */
export function asMarkdown(title: string, text: string, link?: string): string {
  const body = text.trimEnd();
  // A fence is longer than every run of backticks in the text.
  const runs = [...body.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)));
  const heading = title.replace(/[\\`*_[\]<>#]/g, '\\$&');
  const end = link ? `\n[Open in the playground](${link})\n` : '';
  return `### ${heading}\n\n${fence}text\n${body}\n${fence}\n${end}`;
}

export function asHtml(title: string, text: string, link?: string): string {
  const caption = link ? `<a href="${escapeHtml(link)}">${escapeHtml(title)}</a>` : escapeHtml(title);
  return `<figure>\n<pre><code>${escapeHtml(text.trimEnd())}</code></pre>\n<figcaption>${caption}</figcaption>\n</figure>\n`;
}

/**
 * HTML that shows the session on another page. Keys before its first line need a link; `script` is the address of the
 * element.
 */
export function asEmbed(text: string, script: string, link?: string): string {
  const tag = `<script src="${escapeHtml(script)}" async></script>\n`;
  if (link) return `${tag}<keylatch-repl link="${escapeHtml(link)}"></keylatch-repl>\n`;
  return `${tag}<keylatch-repl>\n<pre>\n${escapeHtml(text.trimEnd())}\n</pre>\n</keylatch-repl>\n`;
}

/** Commands of one client that follow each other. */
interface Run {
  readonly client: string;
  readonly commands: string[];
}

const WORD = 'END_OF_COMMANDS';

/**
 * A script for `sh` that sends the commands to a server. Each run of commands of one client is a connection of its own;
 * steps of the clock become pauses. What cannot be kept is said in comments.
 */
export function asScript(title: string, steps: readonly SessionStep[]): string {
  const parts: (Run | string)[] = [];
  const seen = new Map<string, number>();
  let nowMs = steps[0]?.nowMs ?? 0;
  for (const step of steps) {
    const last = parts.at(-1);
    if (step.kind === 'command' && typeof last === 'object' && last.client === step.client)
      last.commands.push(step.text);
    else if (step.kind === 'command') {
      seen.set(step.client, (seen.get(step.client) ?? 0) + 1);
      parts.push({ client: step.client, commands: [step.text] });
    } else parts.push(...remark(step, step.nowMs - nowMs));
    nowMs = step.nowMs;
  }
  const split = [...seen].filter(([, runs]) => runs > 1).map(([client]) => client || 'the default client');
  const head = ['#!/bin/sh', `# ${title}`, '# Usage: sh FILE [redis-cli options, such as -h HOST -p PORT]'];
  if (split.length > 0)
    head.push(
      `# ${split.join(', ')}: several connections here; transactions, databases and watched keys do not carry over.`,
    );
  return `${[...head, 'set -eu', ...parts.map(partText)].join('\n')}\n`;
}

function remark(step: SessionStep, elapsedMs: number): string[] {
  if (step.kind === 'heading' || step.kind === 'comment') return [`# ${step.text}`.trimEnd()];
  if (step.kind === 'receive') return [`# ${step.client} receives a message here.`];
  if (step.kind !== 'clock') return [`# ${step.prompt} ${step.text}`.trimEnd()];
  if (elapsedMs > 0) return [`sleep ${elapsedMs / 1000} # @ ${step.text}`];
  return [`# The clock cannot be set: @ ${step.text}`];
}

/** A quoted here-document: the shell changes nothing in it. */
function partText(part: Run | string): string {
  if (typeof part === 'string') return part;
  return `redis-cli "$@" <<'${WORD}'\n${part.commands.join('\n')}\n${WORD}`;
}
