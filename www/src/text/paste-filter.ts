/**
 * Rewrites foreign text, as people copy it from documentation, terminals and chats, into the session grammar, and says
 * what it changed. Sessions themselves stay strict.
 */

import { isUnfinished, oneLine, quoteWord, type SessionLine } from 'keylatch/hints';
import { isPrintedRaw } from './output.ts';
import { firstLine, linesApart } from './session-lines.ts';
import { redisCliCall, shellCommand } from './shell-line.ts';
import { dedented, indentOf, openQuote, plainQuotes, trailingComment } from './typed-line.ts';

export interface Change {
  /** Number of the pasted line, from 1. */
  readonly line: number;
  readonly was: string;
  /** Lines in its place, joined by line feeds; empty: left out. */
  readonly now: string;
  readonly why: string;
}

export interface Rewritten {
  readonly text: string;
  readonly changes: readonly Change[];
}

/** Facts about commands that the filter needs. */
export interface CommandNames {
  isCommand(word: string): boolean;
  isBlocking(word: string): boolean;
}

/** Commands with the status reply that old documentation shows in quotes. */
const STATUS =
  /^(?:SET|SETEX|PSETEX|MSET|HMSET|LSET|LTRIM|RENAME|SELECT|FLUSHALL|FLUSHDB|MULTI|WATCH|UNWATCH|DISCARD|AUTH|CONFIG|CLIENT|SWAPDB|RESTORE|PFMERGE|PING)\b(?!.*\bGET\b)/i;
const QUOTED_STATUS = /^"(OK|PONG|QUEUED)"$/;
const ELAPSED = /^\((\d+\.\d\d)s\)$/;
/** Longest command over several lines that is read as one. */
const MAX_JOINED = 100;
const MS_PER_SECOND = 1000;
const EXIT = /^exit$/i;
const NO_EXIT = 'exit belongs to redis-cli';
/** Several words that are no printed reply. */
const PROSE = /^(?!OK|PONG|QUEUED|["'(|…]|-?\d|\.\.\.|Background )\S+\s+\S/;
/** A sentence that begins with a word that is also a command, such as "Set the key:". */
const SENTENCE = /^[A-Z][a-z]+\s.*[.:]$/;
const REPLACED_QUOTES = 'typographic quotes were replaced: check the arguments';

/** Kinds of lines that belong to a command above them. */
const REPLIES: ReadonlySet<SessionLine['kind']> = new Set(['reply', 'literal', 'anything', 'script']);

export function rewritePasted(text: string, names: CommandNames): Rewritten {
  return new Filter(text, names).run();
}

class Filter {
  private readonly lines: readonly string[];
  /** Kinds of the lines, each by itself. */
  private readonly kinds: readonly SessionLine[];
  private readonly written: string[] = [];
  private readonly changes: Change[] = [];
  private readonly prompted: boolean;
  private readonly databases = new Set<string>();
  private at = 0;
  /**
   * Prompt and text of the last command, the index of its first reply among the written lines, and the indentation
   * that it lost, which its reply has, too.
   */
  private last: { head: string; text: string; replies: number; indent: string } | undefined;
  /** Set below a line of a shell that is no command of Redis. */
  private inShell = false;

  constructor(
    text: string,
    private readonly names: CommandNames,
  ) {
    const whole = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
    this.lines = whole.split('\n');
    this.kinds = linesApart(whole);
    this.prompted = this.lines.some((line, at) => this.isPrompted(at) || redisCliCall(line) !== undefined);
  }

  run(): Rewritten {
    for (; this.at < this.lines.length; this.at += 1) this.step(this.lines[this.at] ?? '');
    return { text: this.written.join('\n'), changes: this.changes };
  }

  private step(line: string): void {
    if (/^\s*(?:```|~~~)/.test(line)) return this.change('', 'code fences are left out');
    const call = redisCliCall(plainQuotes(line));
    if (call) return this.redisCli(call.words, call.database);
    const shell = shellCommand(line);
    if (shell !== undefined) return this.shell(shell);
    const { kind, head = '', rest = '' } = this.kinds[this.at] ?? {};
    if (kind === 'command') return this.command(head.trim(), rest.trim());
    if (kind === 'reply' && !this.prompted) return this.unprompted(line);
    if (kind !== undefined && REPLIES.has(kind)) return this.reply(line);
    if (kind === 'ignored') return this.ignored(line);
    if (kind !== 'comment') this.inShell = false;
    this.keep(line);
  }

  private isPrompted(at: number): boolean {
    return this.kinds[at]?.kind === 'command';
  }

  /** A command of redis-cli among its arguments. Another database than 0 is another client, as the call is. */
  private redisCli(words: readonly string[], database: string | undefined): void {
    const line = this.lines[this.at] ?? '';
    if (words.length === 0) return this.change('', 'redis-cli itself is not run');
    const select = database !== undefined && !this.databases.has(database) ? [`db${database}> SELECT ${database}`] : [];
    if (database !== undefined) this.databases.add(database);
    const prompt = database === undefined ? '>' : `db${database}>`;
    const text = words.map(quoteWord).join(' ');
    const typographic = plainQuotes(line) === line ? '' : `; ${REPLACED_QUOTES}`;
    this.change(
      [...select, `${prompt} ${text}`].join('\n'),
      `the arguments of redis-cli are the command${typographic}`,
    );
    this.expectReplies(prompt, text, indentOf(line));
  }

  private shell(text: string): void {
    const pause = /^sleep\s+(\d+(?:\.\d+)?)s?$/.exec(text);
    this.inShell = pause === null;
    if (pause) this.change(`@ +${Math.round(Number(pause[1]) * MS_PER_SECOND)}ms`, 'a pause is a step of the clock');
    else this.change(`# $ ${text}`, 'commands of a shell are not run');
  }

  private command(head: string, typed: string): void {
    if (EXIT.test(typed)) return this.change('', NO_EXIT);
    const whole = isUnfinished(typed) ? this.overLines(typed, isUnfinished) : undefined;
    if (whole) return this.typed(head, whole.text, 'a script is one line', whole.end);
    this.typed(head, typed, undefined);
  }

  /** A line of a text in which no command has a prompt: a command, its reply, or prose between them. */
  private unprompted(line: string): void {
    const text = line.trim();
    if (EXIT.test(text)) return this.change('', NO_EXIT);
    const isSentence = SENTENCE.test(text);
    if (this.names.isCommand(firstWord(line)) && !isSentence) return this.bareCommand(text);
    const isProse = isSentence || (PROSE.test(text) && !isPrintedRaw((this.last?.text ?? '').split(/\s+/)));
    if (!isProse || this.inShell || !this.last) return this.reply(line);
    this.change(`# ${text}`, 'text between commands is a comment');
  }

  /** A command without a prompt; quotes that stay open are closed on a later line. */
  private bareCommand(typed: string): void {
    const whole = openQuote(typed) ? this.overLines(typed, (text) => openQuote(text) !== undefined) : undefined;
    this.typed('>', whole?.text ?? typed, 'a command has a prompt', whole?.end);
  }

  /** Joins an open command with the lines below, up to the one that closes it; undefined if none does. */
  private overLines(
    typed: string,
    isOpen: (text: string) => boolean,
  ): { readonly text: string; readonly end: number } | undefined {
    let whole = typed;
    const last = Math.min(this.lines.length - 1, this.at + MAX_JOINED);
    for (let end = this.at + 1; end <= last; end += 1) {
      const line = this.lines[end] ?? '';
      if (this.isPrompted(end)) return undefined;
      whole += `\n${line}`;
      if (!isOpen(whole)) return { text: oneLine(whole), end };
    }
    return undefined;
  }

  private typed(head: string, typed: string, why: string | undefined, end = this.at): void {
    const quoted = plainQuotes(typed);
    const { text, comment } = trailingComment(quoted);
    const reasons = [
      why,
      quoted === typed ? undefined : REPLACED_QUOTES,
      comment === undefined ? undefined : 'the comment stands on a line of its own',
    ].filter((reason) => reason !== undefined);
    const now = [...(comment === undefined ? [] : [`# ${comment}`]), `${head} ${text}`];
    const line = this.lines[this.at] ?? '';
    if (reasons.length === 0) this.keep(line);
    else this.change(now.join('\n'), reasons.join('; '), end);
    this.at = end;
    this.expectReplies(head, text, reasons.length === 0 ? '' : indentOf(line));
  }

  private expectReplies(head: string, text: string, indent: string): void {
    this.last = { head, text, replies: this.written.length, indent };
    this.inShell = false;
  }

  private reply(pasted: string): void {
    const line = dedented(pasted, this.last?.indent ?? '');
    const text = line.trim();
    if (this.inShell) return this.change(`# ${text}`, 'output of a shell command is a comment');
    if (!this.last) return this.change(`# ${text}`, 'text above the first command is a comment');
    if (text === '…') return this.change('...', 'three dots stand for any lines');
    const plain = plainQuotes(line);
    const status = QUOTED_STATUS.exec(plain.trim())?.[1];
    if (status && STATUS.test(this.last.text)) return this.change(status, 'a status is printed without quotes');
    const { text: bare, comment } = /^(?:OK|PONG|QUEUED|\(|"|\d+[)#~] )/.test(plain.trim())
      ? trailingComment(plain)
      : { text: plain };
    if (comment !== undefined) return this.change(bare, `the comment “${comment}” is left out`);
    if (plain !== line && !line.includes('"')) return this.change(plain, 'typographic quotes were replaced');
    this.keep(line);
  }

  /** A line without a meaning. `(1.05s)` is printed by redis-cli below a reply that it had to wait for. */
  private ignored(line: string): void {
    const [, seconds] = ELAPSED.exec(line.trim()) ?? [];
    if (seconds === undefined) this.keep(line);
    else this.elapsed(Number(seconds));
  }

  private elapsed(seconds: number): void {
    const { last } = this;
    const replies = last ? this.written.slice(last.replies) : [];
    const waited = last && this.names.isBlocking(firstWord(last.text)) && replies.join('') === '(nil)';
    if (!waited) return this.keep(this.lines[this.at] ?? '');
    const { name } = firstLine(last.head);
    const named = firstLine(`${name}<`).kind === 'receive' ? name : 'redis';
    const moved = `@ +${Math.round(seconds * MS_PER_SECOND)}ms`;
    this.written.splice(last.replies, replies.length, moved, `${named}<`, ...replies);
    this.note([moved, `${named}<`, ...replies].join('\n'), 'the reply came after a wait');
  }

  private keep(line: string): void {
    this.written.push(line);
  }

  private change(now: string, why: string, end = this.at): void {
    if (now !== '') this.written.push(...now.split('\n'));
    this.note(now, why, end);
  }

  private note(now: string, why: string, end = this.at): void {
    this.changes.push({ line: this.at + 1, was: this.lines.slice(this.at, end + 1).join('\n'), now, why });
  }
}

function firstWord(line: string): string {
  return line.trim().split(/\s/, 1)[0] ?? '';
}
