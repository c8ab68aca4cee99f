import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { canonicalAddress, networkMatcher } from '../net/networks.ts';

export type ClientAddresses = ReturnType<typeof createClientAddresses>;

/**
 * Each proxy appends the address of its own client to `X-Forwarded-For`, so the header is read from the right: an entry
 * counts only if everything to the right of it was written by a proxy in one of these networks. Clients can put anything
 * to the left of it.
 */
export function createClientAddresses(trustedProxies: readonly string[]) {
  const isTrusted = networkMatcher(trustedProxies);
  // Normalizing takes longer than the rest, and most connections have many requests.
  const peers = new WeakMap<object, string>();

  /** The address of a connection without a request. Behind a proxy, it is that of the proxy. */
  const ofSocket = (socket: Pick<Socket, 'remoteAddress'>): string | null => {
    let address = peers.get(socket);
    if (address === undefined) {
      address = canonicalAddress(socket.remoteAddress ?? '');
      if (address !== undefined) peers.set(socket, address);
    }
    return address ?? null;
  };

  return {
    ofSocket,
    /** The address of the client, as it appears in the log. Null if it is unknown, as over a Unix socket. */
    ofRequest: ({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string | null => {
      const peer = ofSocket(socket);
      if (trustedProxies.length === 0 || peer === null || !isTrusted(peer)) return peer;
      const header = headers['x-forwarded-for'];
      const entries = Array.isArray(header) ? header.join(',') : header;
      return entries === undefined ? peer : firstUntrusted(entries, peer, isTrusted);
    },
  };
}

/** The rightmost address that is no proxy. What is no address, such as `unknown`, leaves the proxy that wrote it. */
function firstUntrusted(entries: string, peer: string, isTrusted: (address: string) => boolean): string {
  let address = peer;
  for (let end = entries.length; end >= 0; ) {
    const start = entries.lastIndexOf(',', end - 1) + 1;
    const next = canonicalAddress(withoutPort(entries.slice(start, end).trim()));
    if (next === undefined) return address;
    address = next;
    if (start === 0 || !isTrusted(address)) return address;
    end = start - 1;
  }
  return address;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  const match = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry);
  return match?.[1] ?? match?.[2] ?? entry;
}
