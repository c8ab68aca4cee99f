import { fieldOf, textOf } from './errors.ts';

/** Gets one line for each request and each retry. */
export type DebugLog = (line: string) => void;

/**
 * The log that the option `debug` asks for. Lines have no query, body or credential: they may end up in a log that
 * others read.
 */
export function debugLogOf(debug: boolean | DebugLog | undefined): DebugLog | undefined {
  if (typeof debug === 'function') return debug;
  return debug === true ? (line) => console.debug(`voice-agents: ${line}`) : undefined;
}

/** Sends like `send`, and logs what came of it. */
export function logged(send: typeof fetch, label: string, log: DebugLog): typeof fetch {
  return async (...given) => {
    const startedAt = performance.now();
    const took = () => `after ${Math.round(performance.now() - startedAt)} ms`;
    try {
      const response = await send(...given);
      const id = response.headers.get('x-request-id');
      log(`${label}: ${response.status} ${took()}${id === null ? '' : `, ${id}`}`);
      const ignored = response.headers.get('ignored-fields');
      if (ignored !== null) log(`${label}: the service ignored fields that it does not know: ${readable(ignored)}`);
      return response;
    } catch (error) {
      log(`${label}: no response ${took()}, ${textOf(fieldOf(error, 'name')) ?? 'error'}`);
      throw error;
    }
  };
}

function readable(value: string): string {
  return value
    .split(', ')
    .map((path) => {
      try {
        // Control characters stay encoded: a name must not be able to write a line of its own.
        return decodeURIComponent(path.replaceAll(/%(?=[01][\dA-F]|7F|C2%[89])/gi, '%25'));
      } catch {
        return path;
      }
    })
    .join(', ');
}
