/** Topics that models announce to components, which then render again. Independent of both. */

/** Announcements of a model, as components take them. */
export interface Announcements<Topic extends string> {
  /** Calls `listener` whenever one of `topics` is announced. Returns a function that ends it. */
  on(topics: readonly Topic[], listener: () => void): () => void;
}

export class Emitter<Topic extends string> implements Announcements<Topic> {
  private readonly listeners = new Map<Topic, Set<() => void>>();

  on(topics: readonly Topic[], listener: () => void): () => void {
    for (const topic of topics) this.listenersOf(topic).add(listener);
    return () => topics.forEach((topic) => this.listenersOf(topic).delete(listener));
  }

  emit(topic: Topic): void {
    for (const listener of [...this.listenersOf(topic)]) listener();
  }

  private listenersOf(topic: Topic): Set<() => void> {
    let found = this.listeners.get(topic);
    if (!found) this.listeners.set(topic, (found = new Set()));
    return found;
  }
}
