/** Messages between the tabs of this page. Where the browser forbids them, none is sent and none arrives. */

export class TabChannel<Message> {
  private readonly channel: BroadcastChannel | undefined;

  constructor(name: string) {
    this.channel = opened(name);
  }

  /** Calls `listener` for each message of another tab. Returns a function that ends it. */
  listen(listener: (message: Message) => void): () => void {
    const hear = ({ data }: MessageEvent<Message>): void => listener(data);
    this.channel?.addEventListener('message', hear);
    return () => this.channel?.removeEventListener('message', hear);
  }

  post(message: Message): void {
    try {
      this.channel?.postMessage(message);
    } catch {
      // A tab without a way to the others works alone.
    }
  }
}

function opened(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}
