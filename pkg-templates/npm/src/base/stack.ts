/**
 * Stacks of errors begin at the caller's line: frames of the package in front of it are removed, so that test
 * frameworks show the line that made the mistake. Nothing is done before an error is made.
 */

/** Parts of V8's interface that are used where they exist; other engines have some of them. */
interface ErrorConstructor {
  captureStackTrace?(target: object): void;
  stackTraceLimit?: number;
}

/** An error, or an object with a captured stack. */
export interface Trace {
  stack?: string;
}

const V8 = Error as unknown as ErrorConstructor;

/** Frames that the package may have on top of the caller's; without them the caller's would fall to the limit. */
const OWN_FRAMES_MAX = 40;

/** Folders of an installed package. In an application's bundle, frames of package and application look alike and stay. */
const PACKAGE_FOLDER = /[\\/](?:node_modules|keylatch(?:@[^\\/]*)?[\\/](?:esm|cjs))[\\/]/;
/** A frame in the notation of V8, and in that of Firefox and Safari; captures the file's address. */
const V8_FRAME = /^\s+at (?:async )?(?:[^(]*\()?(.+?)(?::\d+){1,2}\)?$/;
const OTHER_FRAME = /^[^@]*@(.+?)(?::\d+){1,2}$/;
/** The engine, or a built-in function between frames, such as the `next` of a generator or `map`. */
const BUILT_IN = /\((?:<anonymous>|native)\)$|wasm-function\[/;

/** Captures the present stack; cheap until its `stack` is read. */
export function trace(): Trace {
  return typeof V8.captureStackTrace === 'function' ? captured({}) : new Error();
}

/** Removes the package's frames in front of the caller's line. Returns the error. */
export function fromCaller<E extends Trace>(error: E): E {
  if (V8.stackTraceLimit === 0) return error;
  return withFrames(error, typeof V8.captureStackTrace === 'function' ? captured(error) : error);
}

/** Gives an error the caller's line of a trace, for an error that occurs after the call that is to blame. */
export function fromTrace<E extends Trace>(error: E, { stack }: Trace): E {
  return withFrames(error, { stack: stack ?? '' });
}

function captured<T extends Trace>(target: T): T {
  const limit = V8.stackTraceLimit;
  try {
    V8.stackTraceLimit = (limit ?? 10) + OWN_FRAMES_MAX;
    V8.captureStackTrace?.(target);
  } catch {
    // A frozen Error: the stack stays as it is.
  }
  try {
    if (limit !== undefined) V8.stackTraceLimit = limit;
  } catch {
    // Frozen too.
  }
  return target;
}

/** Sets an error's stack: its own first lines, and the frames of a stack from the caller's on. */
function withFrames<E extends Trace>(error: E, { stack }: Trace): E {
  // A hook of the program may have put something else there.
  if (typeof stack !== 'string') return error;
  const lines = stack.split('\n');
  const start = lines.findIndex((line) => V8_FRAME.test(line) || OTHER_FRAME.test(line));
  if (start < 0) return error;
  const frames = callerFrames(lines.slice(start));
  const isV8 = V8_FRAME.test(lines[start] as string);
  try {
    error.stack = [...(isV8 ? [String(error)] : []), ...frames].join('\n');
  } catch {
    // A frozen error keeps its stack.
  }
  return error;
}

/** Frames from the first one on that is not of this package. */
function callerFrames(frames: readonly string[]): readonly string[] {
  const folder = folderOf(frames[0] as string);
  // All of them: the program's frames are below the package's.
  if (!PACKAGE_FOLDER.test(folder)) return frames;
  const first = frames.findIndex((frame) => !frame.includes(folder) && !BUILT_IN.test(frame));
  // Without a caller, as in a timer, the package's frames are all there is.
  return first < 0 ? frames : frames.slice(first, first + (V8.stackTraceLimit ?? frames.length));
}

function folderOf(frame: string): string {
  const address = (V8_FRAME.exec(frame) ?? OTHER_FRAME.exec(frame))?.[1] ?? '';
  return address.slice(0, Math.max(address.lastIndexOf('/'), address.lastIndexOf('\\')) + 1);
}
