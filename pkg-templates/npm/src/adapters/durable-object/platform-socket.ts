/** WebSockets of the platform, as the object uses them. They stay open while the object sleeps. */
export interface PlatformSocket {
  send(message: Uint8Array<ArrayBuffer>): void;
  close(code: number, reason: string): void;
  /** Keeps a value of at most 16 KiB with the socket. */
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
  /** Bytes that were not sent yet, where the platform says so. */
  readonly bufferedAmount?: number;
}

/** Reasons why a socket is closed, with codes of RFC 6455. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

export const ENDED: Closing = { code: 1000, reason: 'the client was disconnected' };
/** The client's token has ended: another one is needed. */
export const TOKEN_ENDED: Closing = { code: 4401, reason: 'the token has expired' };
export const NO_RESP: Closing = { code: 1002, reason: 'the bytes are no requests' };
export const SLOW: Closing = { code: 1008, reason: 'SLOW the client does not read its replies' };
export const TOO_MUCH: Closing = { code: 1009, reason: 'too many bytes wait behind a request' };
export const RESTARTED: Closing = { code: 1012, reason: 'the object starts again; the last commands may have run' };
export const OVERLOADED: Closing = { code: 1013, reason: 'OVERLOADED too many requests wait for this namespace' };
