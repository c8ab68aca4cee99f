import type { Logger } from 'pino';
import type { AppError } from '../errors.ts';
import type { Caller } from './caller.ts';
import type { RequestMetrics } from './metrics.ts';

/** What is written down of an answered request. No address and no header: either may hold what a caller would not want in a log. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The route id; `none` where nothing matched. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly caller: Caller | null;
}

export interface Journal {
  request(record: RequestRecord): void;
  /** A connection that was refused before there was a request. */
  refusal(requestId: string, status: number, reason: string): void;
  /** A fault of ours, with the stack. */
  fault(requestId: string, error: AppError): void;
}

/** Writes the log line and counts, for every request alike. `writeLine` is where the logger itself writes to. */
export function createJournal(logger: Logger, writeLine: (line: string) => unknown, metrics: RequestMetrics): Journal {
  const isOn = logger.isLevelEnabled('info');
  const now = createClock();
  return {
    request: ({ requestId, method, route, status, durationMs, caller }) => {
      metrics.observe(route, method, status, durationMs / 1000);
      if (!isOn) return;
      // By hand, because a line a request is the most frequent thing that the process writes. No value needs escaping:
      // ids, methods and route ids are of known characters.
      const who = caller === null ? '' : `,"workspaceId":"${caller.workspaceId}","keyId":"${caller.keyId}"`;
      writeLine(
        `{"level":"info","time":"${now()}","requestId":"${requestId}","method":"${method}","route":"${route}","status":${status},"durationMs":${durationMs.toFixed(3)}${who},"msg":"request"}\n`,
      );
    },
    refusal: (requestId, status, reason) => {
      metrics.observe('none', 'none', status, 0);
      logger.info({ requestId, route: 'none', status, reason }, 'request');
    },
    fault: (requestId, error) => {
      const cause = error.cause instanceof Error ? error.cause : error;
      // Only these fields: a driver's error may carry the values of the statement.
      const { name, message, stack } = cause;
      logger.error({ requestId, code: error.code, fault: { name, message, stack } }, 'fault');
    },
  };
}

/** The time in ISO 8601, put into words once a millisecond. */
export function createClock(now: () => number = Date.now): () => string {
  let time = Number.NaN;
  let text = '';
  return () => {
    const current = now();
    if (current !== time) {
      time = current;
      text = new Date(current).toISOString();
    }
    return text;
  };
}
