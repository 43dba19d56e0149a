/** What the engine tells about itself and about keys, and its settings. */
import type { Argument } from '../argument.js';
import type { Carried, ResultMode } from '../result-mode.js';
import { Row } from '../generated/convention.js';
import { pushPairs, type Pairs } from './arguments.js';
import { ConnectionCommands } from './connection.js';

export abstract class InspectionCommands<
  C extends ResultMode,
  Text extends string | Uint8Array,
> extends ConnectionCommands<C, Text> {
  /** How a value is kept, in the words of Redis: `listpack`, `hashtable`, `int`, .. */
  objectEncoding(key: Argument): Carried<C, Text | null> {
    return this.execute<Text | null>(['OBJECT', 'ENCODING', key]);
  }

  /** Bytes that a key takes with its value. */
  memoryUsage(key: Argument): Carried<C, number | null> {
    return this.execute<number | null>(['MEMORY', 'USAGE', key]);
  }

  /** Settings whose names match. */
  configGet(...patterns: Argument[]): Carried<C, Map<Text, Text>> {
    return this.execute<Map<Text, Text>>(['CONFIG', 'GET', ...patterns]);
  }

  /** `configSet({ 'notify-keyspace-events': 'KEA' })`: all of them or none. */
  configSet(settings: Pairs): Carried<C, 'OK'> {
    const argv: Argument[] = ['CONFIG', 'SET'];
    pushPairs(argv, settings);
    return this.execute<'OK'>(argv);
  }

  /** Lines of `name:value` below headings of sections; `all` and names of sections choose. */
  info(...sections: Argument[]): Carried<C, string> {
    return this.run<string>(Row.INFO, ['INFO', ...sections]);
  }
}
