/** Lines of a session text with their kinds, as the engine's parser reads them. Pure: the engine has written the outline. */

/** Kind of a line: that of its step, or of a line that belongs to a step above it. */
export type SessionLineKind =
  | 'command'
  /** Belongs to the script in quotes that the command above begins. */
  | 'script'
  /** A prompt without a command, which means nothing. */
  | 'prompt'
  | 'receive'
  | 'clock'
  | 'race'
  | 'join'
  | 'enter'
  | 'leave'
  | 'heading'
  | 'comment'
  | 'event'
  | 'reply'
  /** A reply behind a bar. */
  | 'literal'
  /** Three dots. */
  | 'anything'
  /** Blank, or printed by redis-cli beside replies. */
  | 'ignored';

/** A line of a session text. */
export interface SessionLine {
  /** Kind of the line. */
  readonly kind: SessionLineKind;
  /** Client of the prompt or mark; '' is the default client. */
  readonly client: string;
  /** The prompt's name as it is written, such as `redis` for the default client; '' without one. */
  readonly name: string;
  /** Number of the database in the prompt; undefined if there is none. */
  readonly database: number | undefined;
  /** Prompt with its sign, or mark, with blanks in front; '' for lines without one. */
  readonly head: string;
  /** The line behind `head`. */
  readonly rest: string;
}

/**
 * Lines of a text by the engine's outline, which has a line for each: kind, name, client, database and length of the head,
 * with tabs between them.
 */
export function outlined(text: string, outline: string): SessionLine[] {
  const parts = outline.split('\n');
  return text.split('\n').map((line, index) => {
    const [kind, name = '', client = '', database = '', head = 0] = parts[index]?.split('\t') ?? [];
    return {
      kind: kind as SessionLineKind,
      client,
      name,
      database: database === '' ? undefined : Number(database),
      head: line.slice(0, Number(head)),
      rest: line.slice(Number(head)),
    };
  });
}
