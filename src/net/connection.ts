import { promises as dns } from 'node:dns';
import { connect, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { hostOf } from './address.ts';
import { type AllowedNetworks, isLoopbackName } from './networks.ts';
import { request } from './node-http.ts';
import { OutboundError, type OutboundErrorCode } from './outbound-error.ts';

/** All addresses of a name. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export interface Route {
  readonly allowedNetworks: AllowedNetworks;
  /** `http://host:port` of the proxy that makes the connections, or null. */
  readonly proxy: string | null;
  readonly lookup: Lookup;
}

export async function systemLookup(name: string): Promise<readonly string[]> {
  const found = await dns.lookup(name, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}

/**
 * A connection to the host of a URL that `addressIssue` accepts, encrypted unless its scheme is `http` or `ws`. Literal
 * addresses have been checked by `addressIssue`; for names this is where all of their addresses are. Fails with the
 * reason of the signal, or with an OutboundError.
 */
export async function openConnection(url: URL, route: Route, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const isEncrypted = url.protocol === 'https:' || url.protocol === 'wss:';
  const address = { host: hostOf(url), port: Number(url.port) || (isEncrypted ? 443 : 80) };
  const socket =
    route.proxy === null
      ? await established(
          connect({ ...address, lookup: checkedLookup(route, isEncrypted), autoSelectFamily: true, noDelay: true }),
          { event: 'connect', failure: 'connect_failed', signal },
        )
      : await openTunnel(`${url.hostname}:${address.port}`, new URL(route.proxy), signal);
  if (!isEncrypted) return socket;
  const secured = connectTls({
    socket,
    host: address.host,
    // The name of the certificate, which for a literal address is taken from `host`.
    servername: isIP(address.host) === 0 ? address.host.replace(/\.$/, '') : '',
    ALPNProtocols: ['http/1.1'],
    // As by default, but NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
    rejectUnauthorized: true,
  });
  return established(secured, { event: 'secureConnect', failure: 'tls_failed', signal });
}

/**
 * Node.js connects to what this returns, without another lookup: it tries the addresses in turn. It does not call this
 * for a literal address.
 */
function checkedLookup({ allowedNetworks, lookup }: Route, isEncrypted: boolean): LookupFunction {
  const isAllowed = (address: string): boolean =>
    isEncrypted ? allowedNetworks.isAllowedAddress(address) : allowedNetworks.has(address);
  const addressesOf = async (name: string): Promise<readonly string[]> => {
    // Whatever a resolver says, these names are this machine.
    if (isLoopbackName(name)) return ['127.0.0.1', '::1'].filter((address) => allowedNetworks.has(address));
    const addresses = await lookup(name);
    if (addresses.length === 0) throw new OutboundError('connect_failed');
    if (!addresses.every(isAllowed)) throw new OutboundError('address_not_allowed');
    return addresses;
  };
  return (name, options, callback) => {
    addressesOf(name).then(
      (addresses) => {
        const typed = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        if (options.all) callback(null, typed);
        else callback(null, typed[0]?.address ?? '', typed[0]?.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new OutboundError('connect_failed'), []),
    );
  };
}

interface Establishing {
  readonly event: 'connect' | 'secureConnect';
  readonly failure: OutboundErrorCode;
  readonly signal: AbortSignal;
}

function established<S extends Socket>(socket: S, { event, failure, signal }: Establishing): Promise<S> {
  return new Promise<S>((resolve, reject) => {
    const stop = (): void => {
      socket.destroy();
      reject(signal.reason);
    };
    const fail = (error?: unknown): void => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      reject(error instanceof OutboundError ? error : new OutboundError(failure));
    };
    // Both stay: an error between two users of the socket must not end the process, and rejecting again has no effect.
    socket.on('error', fail).on('close', () => fail());
    socket.once(event, () => {
      signal.removeEventListener('abort', stop);
      resolve(socket);
    });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** A connection through a proxy, which resolves the name and decides about its addresses. */
function openTunnel(authority: string, proxy: URL, signal: AbortSignal): Promise<Socket> {
  return new Promise<Socket>((resolve, reject) => {
    const connecting = request({
      method: 'CONNECT',
      host: hostOf(proxy),
      port: Number(proxy.port) || 80,
      path: authority,
      headers: { host: authority, connection: 'keep-alive' },
      agent: false,
      signal,
    });
    const fail = (): void => reject(signal.aborted ? signal.reason : new OutboundError('connect_failed'));
    connecting.on('error', fail).on('close', fail);
    connecting.on('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      socket.on('error', fail);
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        fail();
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket.setNoDelay(true));
    });
    connecting.end();
  });
}
