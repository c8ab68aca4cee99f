import type { Logger } from 'pino';
import type { AppError } from '../core/errors.ts';
import type { Caller } from './admission/caller.ts';
import type { RequestMetrics } from './metrics.ts';

/**
 * What is logged about a request. URLs and headers are left out because they may contain confidential data, except for
 * the address that a trusted proxy adds.
 */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The route id; `none` if no route matched. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  /** The address of the client; null if it is unknown. */
  readonly address: string | null;
  readonly caller: Caller | null;
  /** The request waited for something new, so its duration says nothing about the service. */
  readonly hasWaited?: boolean;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

/**
 * Writes the access log line and updates the metrics of the process and of the workspace. `writeLine` writes to the
 * same stream as the logger.
 */
export function createRequestLog(
  logger: Logger,
  writeLine: (line: string) => unknown,
  metrics: RequestMetrics,
  countFor: (workspaceId: string, status: number, durationMs: number | null) => void,
) {
  const isOn = logger.isLevelEnabled('info');
  const lineStart = createClock((time) => `{"level":"info","time":"${time}","requestId":"`);
  const lineEnd = createCallerTexts();
  return {
    request: (record: RequestRecord): void => {
      const { requestId, method, route, status, durationMs, address, caller, hasWaited = false } = record;
      metrics.observe(route, method, status, hasWaited ? null : durationMs / 1000);
      if (caller !== null) countFor(caller.workspaceId, status, hasWaited ? null : durationMs);
      if (!isOn) return;
      // Formatted by hand, because this is the most frequent line in the log. No value needs escaping: ids, methods,
      // route ids and addresses consist of safe characters.
      writeLine(
        `${lineStart()}${requestId}","method":"${method}","route":"${route}","status":${status},"durationMs":${milliseconds(durationMs)}${address === null ? '' : `,"address":"${address}"`}${lineEnd(caller)}`,
      );
    },
    /** A connection that was refused before a request could be parsed. */
    refusal: (requestId: string, status: number, reason: string, address: string | null): void => {
      metrics.observe('none', 'none', status, 0);
      logger.info({ requestId, route: 'none', status, reason, ...(address === null ? {} : { address }) }, 'request');
    },
    /** An unexpected error, with its stack. */
    failure: (requestId: string, error: AppError): void => {
      const cause = error.cause instanceof Error ? error.cause : error;
      // Only these fields: a driver error may carry the values of the statement.
      const { name, message, stack } = cause;
      logger.error({ requestId, code: error.code, err: { type: name, message, stack } }, 'request failed');
    },
  };
}

/** A string that contains the ISO 8601 time, formatted at most once per millisecond. */
export function createClock(textWith: (time: string) => string, now: () => number = Date.now): () => string {
  let time = Number.NaN;
  let text = '';
  return () => {
    const current = now();
    if (current !== time) {
      time = current;
      text = textWith(new Date(current).toISOString());
    }
    return text;
  };
}

/** The last part of the line, cached because it is the same for all requests of a caller. */
function createCallerTexts(): (caller: Caller | null) => string {
  const texts = new WeakMap<Caller, string>();
  const end = ',"msg":"request"}\n';
  return (caller) => {
    if (caller === null) return end;
    let text = texts.get(caller);
    if (text === undefined) {
      text = `,"workspaceId":"${caller.workspaceId}","keyId":"${caller.keyId}"${end}`;
      texts.set(caller, text);
    }
    return text;
  };
}

/** With three decimals. Formatting whole numbers is several times faster than formatting fractions. */
function milliseconds(duration: number): string {
  const microseconds = Math.round(duration * 1000);
  const rest = microseconds % 1000;
  return `${Math.floor(microseconds / 1000)}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}
