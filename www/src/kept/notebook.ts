/**
 * The visitor's own sessions, kept in the browser. Each has a revision: a tab that saves over the work of another one
 * gets a copy instead. What is not saved yet is also written to the tab's storage,
 * which does not wait.
 */

import { titleOf } from '../text/titles.ts';
import { TabChannel } from '../base/channel.ts';
import { Emitter } from '../base/emitter.ts';
import type { PageStore } from './page-store.ts';
import { forget, keep, recall } from '../base/storage.ts';

/** A session as it is kept. */
export interface Page {
  readonly id: string;
  readonly text: string;
  /** Title from a link; otherwise the text has one. */
  readonly title?: string | undefined;
  /** Snapshot of the keys before the first line. */
  readonly start?: Uint8Array | undefined;
  /** Name of the lesson that was copied. */
  readonly lesson?: string | undefined;
  readonly revision: number;
  readonly savedMs: number;
  /** The tab that saved it. */
  readonly writer?: string | undefined;
}

/** Contents of a page that is to be saved. */
export type Draft = Omit<Page, 'revision' | 'savedMs' | 'writer'>;

export type Saved =
  | { readonly outcome: 'saved'; readonly page: Page }
  /** Another tab had saved the same session: the text is kept under a new id. */
  | { readonly outcome: 'copied'; readonly page: Page };

const CHANNEL = 'keylatch.notebook';
const DRAFT = 'draft';
const TAB = 'tab';
/** Text of the only session that earlier versions of the page kept. */
const FORMER = 'session';
/** Length above which a text is written to IndexedDB only. */
const DRAFT_MAX_CHARS = 256 * 1024;

export class Notebook {
  readonly changes = new Emitter<'pages' | 'elsewhere'>();
  /** Newest first. */
  pages: readonly Page[] = [];
  /** Ids of sessions that another tab has just changed. */
  changedElsewhere: string | undefined;
  private readonly channel = new TabChannel<string>(CHANNEL);
  private readonly revisions = new Map<string, number>();
  /** Name of this tab, the same after a reload. */
  private readonly tab: string;
  private loading: Promise<void> | undefined;
  private saving: Promise<unknown> = Promise.resolve();

  constructor(private readonly store: PageStore) {
    this.tab = recall(TAB, 'tab') ?? this.newId();
    keep(TAB, this.tab, 'tab');
    this.channel.listen((id) => void this.hear(id));
  }

  /** Reads the sessions once, with a draft that an earlier visit could not save. */
  load(): Promise<void> {
    return (this.loading ??= this.loadAll());
  }

  page(id: string): Page | undefined {
    return this.pages.find((page) => page.id === id);
  }

  /** Notes that the session is shown here in its present revision. */
  opened(page: Page): void {
    this.revisions.set(page.id, page.revision);
  }

  newId(): string {
    // Pages without https have no randomUUID().
    const [first, second] = crypto.getRandomValues(new Uint32Array(2));
    return `${first?.toString(36)}-${second?.toString(36)}`;
  }

  /** Writes a draft where a closing page still can. */
  noteDraft(draft: Draft): void {
    if (draft.text.length > DRAFT_MAX_CHARS || draft.start) return;
    keep(DRAFT, JSON.stringify({ ...draft, revision: this.revisions.get(draft.id) ?? 0 }), 'tab');
  }

  /** Saves in the order of the calls. */
  save(draft: Draft): Promise<Saved> {
    const saved = this.saving.then(() => this.saveNow(draft));
    this.saving = saved.catch(() => undefined);
    return saved;
  }

  /** Removes a session after what is being saved. */
  remove(id: string): Promise<void> {
    const removed = this.saving.then(() => this.removeNow(id));
    this.saving = removed.catch(() => undefined);
    return removed;
  }

  private async removeNow(id: string): Promise<void> {
    await this.store.remove('sessions', id);
    this.revisions.delete(id);
    this.announce(id);
    await this.refresh();
  }

  titleOf(page: Pick<Page, 'title' | 'text'>): string {
    return page.title ?? titleOf(page.text);
  }

  private async saveNow(draft: Draft): Promise<Saved> {
    const base = this.revisions.get(draft.id) ?? 0;
    const next = (id: string, revision: number): Page => ({
      ...draft,
      id,
      revision,
      savedMs: Date.now(),
      writer: this.tab,
    });
    const written = await this.store.update<Page>('sessions', draft.id, (present) =>
      present && present.revision !== base ? undefined : next(draft.id, base + 1),
    );
    const page = written ?? next(this.newId(), 1);
    if (!written) await this.store.update<Page>('sessions', page.id, () => page);
    this.revisions.set(page.id, page.revision);
    this.forgetDraft(draft);
    this.announce(page.id);
    await this.refresh();
    return { outcome: written ? 'saved' : 'copied', page };
  }

  private forgetDraft(saved: Draft): void {
    const draft = readDraft();
    if (draft?.id === saved.id && draft.text === saved.text) forget(DRAFT, 'tab');
  }

  private async loadAll(): Promise<void> {
    await this.refresh();
    const draft = readDraft();
    if (draft) {
      const stored = this.pages.find(({ id }) => id === draft.id);
      // This tab may have ended between a save of an earlier text and its answer.
      this.revisions.set(draft.id, stored?.writer === this.tab ? stored.revision : draft.revision);
      await this.saveNow(draft);
      forget(DRAFT, 'tab');
    }
    const former = recall(FORMER);
    if (former) await this.saveNow({ id: this.newId(), text: former });
    forget(FORMER);
  }

  private async refresh(): Promise<void> {
    const pages = await this.store.all<Page>('sessions');
    this.pages = pages.sort((one, other) => other.savedMs - one.savedMs);
    this.changes.emit('pages');
  }

  private announce(id: string): void {
    this.channel.post(id);
  }

  private async hear(id: string): Promise<void> {
    await this.refresh();
    this.changedElsewhere = id;
    this.changes.emit('elsewhere');
  }
}

function readDraft(): (Draft & { readonly revision: number }) | undefined {
  try {
    const draft: unknown = JSON.parse(recall(DRAFT, 'tab') ?? 'null');
    return isDraft(draft) ? draft : undefined;
  } catch {
    return undefined;
  }
}

function isDraft(value: unknown): value is Draft & { readonly revision: number } {
  if (typeof value !== 'object' || value === null) return false;
  const { id, text, revision } = value as Record<string, unknown>;
  return typeof id === 'string' && typeof text === 'string' && typeof revision === 'number';
}
