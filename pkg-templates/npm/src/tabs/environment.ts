/** The platform of a tab: locks, channels and the life of the page. Tests have another one. */
import { platformLocks, type Locks } from '../persist/web-lock.js';
import { TabsError } from './tabs-error.js';

/** A BroadcastChannel. */
export interface Channel {
  postMessage(message: unknown): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  close(): void;
}

/** Callbacks for the life of the page. */
export interface PageLife {
  /** The page is about to be frozen or to end. */
  leaving(): void;
  /** The page goes on. */
  returned(): void;
}

export interface Environment {
  readonly locks: Locks;
  /** True while timers of the page may be slow. */
  isHidden(): boolean;
  channel(name: string): Channel;
  /** Watches the page. Returns a function that ends it. */
  watch(life: PageLife): () => void;
}

const LEAVING = [
  ['pagehide', 'pageshow'],
  ['freeze', 'resume'],
] as const;

function watch({ leaving, returned }: PageLife): () => void {
  const page = globalThis as { readonly document?: Document } & Partial<EventTarget>;
  const ends: (() => void)[] = [];
  for (const [index, [left, back]] of LEAVING.entries()) {
    const target = index === 0 ? page : page.document;
    target?.addEventListener?.(left, leaving);
    target?.addEventListener?.(back, returned);
    ends.push(() => {
      target?.removeEventListener?.(left, leaving);
      target?.removeEventListener?.(back, returned);
    });
  }
  return () => {
    for (const end of ends) end();
  };
}

/** The environment of this page or worker. Throws TabsError where it cannot share. */
export function platform(): Environment {
  const locks = platformLocks();
  const Broadcast = globalThis.BroadcastChannel as (new (name: string) => Channel) | undefined;
  if (locks === undefined || Broadcast === undefined) throw new TabsError('UNSUPPORTED');
  const page = globalThis as { readonly document?: Document };
  return {
    locks,
    isHidden: () => page.document?.visibilityState === 'hidden',
    channel: (name) => new Broadcast(name),
    watch,
  };
}
