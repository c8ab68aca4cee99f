import type { Socket } from 'node:net';
import { addressIssue, type Scheme } from './address.ts';
import { type Lookup, openConnection, systemLookup } from './connection.ts';
import type { OutboundRequest, OutboundResponse } from './exchange.ts';
import type { AllowedNetworks } from './networks.ts';
import { OutboundError } from './outbound-error.ts';

export interface GuardOptions {
  readonly allowedNetworks: AllowedNetworks;
  /** `http://host:port` of the proxy that makes all connections, or null. */
  readonly proxy?: string | null;
  readonly connectTimeoutMs?: number;
  /** Replaced in tests. */
  readonly lookup?: Lookup;
}

export interface ConnectOptions {
  /** For this connection, instead of the one of the guard. */
  readonly connectTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface RequestOptions extends OutboundRequest, ConnectOptions {
  /** For everything, from the lookup of the name to the last byte of the response. */
  readonly timeoutMs: number;
}

/** Connects to addresses that partners supply. Nothing else in the service may. */
export interface Guard {
  /**
   * Sends a request over a connection of its own. Every failure is an OutboundError; headers that cannot be sent are a
   * TypeError.
   */
  request(url: string, options: RequestOptions): Promise<OutboundResponse>;
  /** A connection for a WebSocket, to be passed to `ws` as `createConnection`. Encrypted unless the URL is `ws://`. */
  connect(url: string, options?: ConnectOptions): Promise<Socket>;
  /** Cancels everything in progress, and whatever is started later. Connections that were handed out stay open. */
  close(): Promise<void>;
}

export function createGuard({
  allowedNetworks,
  proxy = null,
  connectTimeoutMs = 5000,
  lookup = systemLookup,
}: GuardOptions): Guard {
  const inProgress = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;
  const route = { allowedNetworks, proxy, lookup };

  const checked = (address: string, scheme: Scheme): URL => {
    const issue = addressIssue(address, { schemes: [scheme], allowedNetworks });
    if (issue !== undefined) throw new OutboundError('address_not_allowed');
    return new URL(address);
  };
  const open = async (url: URL, options: ConnectOptions, stop: AbortController): Promise<Socket> => {
    const end = after(options.connectTimeoutMs ?? connectTimeoutMs, () =>
      stop.abort(new OutboundError('connect_timeout')),
    );
    try {
      return await openConnection(url, route, stop.signal);
    } finally {
      end();
    }
  };
  const cancel = (stop: AbortController): void => stop.abort(new OutboundError('aborted'));
  /** Runs work that the caller's signal and `close` stop. */
  const run = async <T>(work: (stop: AbortController) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const stop = new AbortController();
    const onAbort = (): void => cancel(stop);
    if (isClosed || signal?.aborted) cancel(stop);
    signal?.addEventListener('abort', onAbort, { once: true });
    const running = work(stop);
    inProgress.set(stop, running);
    try {
      return await running;
    } finally {
      inProgress.delete(stop);
      signal?.removeEventListener('abort', onAbort);
    }
  };

  return {
    async request(address, options) {
      const url = checked(address, 'https');
      // With the first request, and before its time starts: undici takes 7 MB, and Node.js loads its own copy with it.
      const { checkHeaders, exchange } = await import('./exchange.ts');
      checkHeaders(options.headers ?? {});
      return run(async (stop) => {
        const end = after(options.timeoutMs, () => stop.abort(new OutboundError('timeout')));
        try {
          const socket = await open(url, options, stop);
          return await exchange(socket, url, options, stop.signal);
        } finally {
          end();
        }
      }, options.signal);
    },
    async connect(address, options = {}) {
      const url = checked(address, 'wss');
      return run((stop) => open(url, options, stop), options.signal);
    },
    async close() {
      isClosed = true;
      for (const stop of inProgress.keys()) cancel(stop);
      await Promise.allSettled(inProgress.values());
    },
  };
}

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}
