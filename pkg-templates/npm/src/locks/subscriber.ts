/** Subscriptions on a connection of their own, by the client objects of ioredis and node-redis. */
import type { SubscriberSource, Subscription, SubscriptionEvents } from './messages.js';
import { closeConnection, connected, duplicated, has, LOSSES, unref, type Receiver } from './trackers.js';

/** Subscriber of a client object; undefined where it cannot open connections. */
export function remoteSubscriber(client: object): SubscriberSource | undefined {
  if (!has(client, 'duplicate') || !has(client, 'subscribe')) return undefined;
  return { open: (channel, events) => openRemote(client as Receiver, channel, events) };
}

async function openRemote(client: Receiver, channel: string, events: SubscriptionEvents): Promise<Subscription> {
  const connection = duplicated(client) as Receiver;
  let isOpen = true;
  const close = (): void => {
    isOpen = false;
    closeConnection(connection);
  };
  // Client objects would connect and subscribe again by themselves, with timers that keep the process alive.
  const fail = (): void => {
    if (!isOpen) return;
    close();
    events.failed();
  };
  for (const event of LOSSES) connection.on?.(event, fail);
  try {
    await connected(connection);
    const receive = (text: string): void => events.message(text);
    // ioredis has an event for the messages of all channels.
    const listener = has(connection, 'call') ? [] : [receive];
    connection.on?.('message', (_channel: string, text: string) => receive(text));
    await connection.subscribe(channel, ...listener);
    unref(connection);
    return { close };
  } catch (error) {
    close();
    throw error;
  }
}
