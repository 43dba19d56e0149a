/** Base class of all command classes: runs one command. The command methods depend on nothing else. */
import type { Argument } from '../base/argument.js';
import type { Carried, ResultMode } from '../base/result-mode.js';
import { NAMES, type Row } from '../host/generated/convention.js';

/** Runs commands; its subclasses choose the form of the results. */
export abstract class Executor<C extends ResultMode, _Text extends string | Uint8Array> {
  /** Runs one command. T is the reply's type as the caller declares it; nothing checks or converts the reply. */
  protected abstract execute<T>(argv: readonly Argument[]): Carried<C, T>;

  // Variants by row number, which avoid the lookup by name.

  /** @internal `argv` begins with the command's name. */
  protected run<T>(_row: Row, argv: readonly Argument[]): Carried<C, T> {
    return this.execute<T>(argv);
  }

  /** @internal */
  protected run1<T>(row: Row, first: Argument): Carried<C, T> {
    return this.execute<T>([nameOf(row), first]);
  }

  /** @internal */
  protected run2<T>(row: Row, first: Argument, second: Argument): Carried<C, T> {
    return this.execute<T>([nameOf(row), first, second]);
  }

  /** @internal */
  protected run3<T>(row: Row, first: Argument, second: Argument, third: Argument): Carried<C, T> {
    return this.execute<T>([nameOf(row), first, second, third]);
  }

  /**
   * @internal Changes the result of the command that was run last; `carried` is what running it returned. An
   * executor with other results than immediate ones and promises overrides this.
   */
  protected mapped<T>(
    carried: unknown,
    change: (result: unknown, method: string) => unknown,
    method: string,
  ): Carried<C, T> {
    const result = carried instanceof Promise ? carried.then((it) => change(it, method)) : change(carried, method);
    return result as Carried<C, T>;
  }
}

/** Name of a row. Its number is in the lower sixteen bits. */
function nameOf(row: Row): string {
  return NAMES[row & 0xffff] ?? '';
}
