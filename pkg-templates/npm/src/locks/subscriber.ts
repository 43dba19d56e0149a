/** Subscriptions on a connection of their own, by the client objects of ioredis and node-redis. */
import type { SubscriberSource, Subscription, SubscriptionEvents } from './messages.js';
import { closeConnection, connected, duplicated, has, unref, type Receiver } from './trackers.js';

/** Subscriber of a client object; undefined where it cannot open connections. */
export function remoteSubscriber(client: object): SubscriberSource | undefined {
  if (!has(client, 'duplicate') || !has(client, 'subscribe')) return undefined;
  return { open: (channel, events) => openRemote(client as Receiver, channel, events) };
}

async function openRemote(client: Receiver, channel: string, events: SubscriptionEvents): Promise<Subscription> {
  const connection = duplicated(client) as Receiver;
  try {
    await connected(connection);
    const receive = (text: string): void => events.message(text);
    // ioredis has an event for the messages of all channels.
    const listener = has(connection, 'call') ? [] : [receive];
    connection.on?.('message', (_channel: string, text: string) => receive(text));
    const subscribe = async (): Promise<void> => {
      await connection.subscribe(channel, ...listener);
      events.subscribed();
    };
    await subscribe();
    // Client objects subscribe again by themselves. Messages of the time between are lost.
    connection.on?.('ready', () => void subscribe().catch(() => {}));
    unref(connection);
    return { close: () => closeConnection(connection) };
  } catch (error) {
    closeConnection(connection);
    throw error;
  }
}
