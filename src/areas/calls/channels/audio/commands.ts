import { AppError, serviceUnavailable } from '../../../../core/errors.ts';
import type { Sealer } from '../../../../core/sealer.ts';
import { toAppError } from '../../../../http/errors.ts';
import type { Database } from '../../../../storage/database.ts';

export interface CommandParts {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Resolves after this time. */
  readonly delay: (ms: number) => Promise<void>;
}

type Answer =
  | { readonly value: unknown }
  | { readonly error: Pick<AppError, 'code' | 'message' | 'details' | 'headers' | 'isExpected'> };

/** A request that nobody takes within this time is withdrawn. */
const maxWaitMs = 5000;
/** How long the process that has taken a request has to answer it. */
const maxAnswerMs = 10_000;
const pollMs = 50;
/** Long after everybody has given up. */
const keptMs = 60_000;
const batchSize = 100;

export type Commands = ReturnType<typeof createCommands>;

/** Requests to the process that owns a call, through the database, sealed. */
export function createCommands({ database, sealer, newId, now, delay }: CommandParts) {
  const open = (sealed: Uint8Array, id: string) => JSON.parse(String(sealer.open(sealed, id)));

  const answerOf = async (id: string): Promise<{ isClaimed: boolean; answer: Answer | null } | undefined> => {
    const row = await database.get<{ claimed_at: number | null; sealed_answer: Uint8Array | null }>(
      'SELECT claimed_at, sealed_answer FROM call_commands WHERE id = $1',
      [id],
    );
    if (row === undefined) return undefined;
    const { claimed_at, sealed_answer } = row;
    return { isClaimed: claimed_at !== null, answer: sealed_answer === null ? null : open(sealed_answer, id) };
  };

  /** False if somebody has taken it after all. */
  const withdraw = async (id: string): Promise<boolean> =>
    (await database.run('DELETE FROM call_commands WHERE id = $1 AND claimed_at IS NULL', [id])) > 0;

  const noResponse = () => serviceUnavailable('The process that owns the call does not respond.');

  return {
    /** Sends a request to a process and waits for its answer. After `withinMs`, one that nobody has taken is withdrawn. */
    send: async (owner: string, request: object, withinMs = maxWaitMs): Promise<unknown> => {
      const id = newId('cmd');
      await database.run('INSERT INTO call_commands (id, owner, created_at, sealed_request) VALUES ($1, $2, $3, $4)', [
        id,
        owner,
        now(),
        sealer.seal(JSON.stringify(request), id),
      ]);
      for (let waitedMs = 0; ; waitedMs += pollMs) {
        await delay(pollMs);
        const found = await answerOf(id);
        if (found === undefined) throw noResponse();
        const { isClaimed, answer } = found;
        if (answer !== null) {
          await database.run('DELETE FROM call_commands WHERE id = $1', [id]);
          if ('value' in answer) return answer.value;
          throw new AppError(answer.error.code, answer.error.message, answer.error);
        }
        if (!isClaimed && waitedMs >= withinMs && (await withdraw(id))) throw noResponse();
        if (waitedMs >= withinMs + maxAnswerMs) throw noResponse();
      }
    },

    /** Answers the requests to this process. */
    serve: async (owner: string, act: (request: unknown) => Promise<unknown>): Promise<void> => {
      const rows = await database.all<{ id: string; sealed_request: Uint8Array }>(
        `SELECT id, sealed_request FROM call_commands WHERE owner = $1 AND claimed_at IS NULL
          ORDER BY id LIMIT ${batchSize}`,
        [owner],
      );
      await Promise.all(
        rows.map(async ({ id, sealed_request }) => {
          const claimed = await database.run(
            'UPDATE call_commands SET claimed_at = $2 WHERE id = $1 AND claimed_at IS NULL',
            [id, now()],
          );
          if (claimed === 0) return;
          const answer = await act(open(sealed_request, id)).then(
            (value): Answer => ({ value: value ?? null }),
            (thrown): Answer => {
              const { code, message, details, headers, isExpected } = toAppError(thrown);
              return { error: { code, message, details, headers, isExpected } };
            },
          );
          await database.run('UPDATE call_commands SET sealed_answer = $2 WHERE id = $1', [
            id,
            sealer.seal(JSON.stringify(answer), id),
          ]);
        }),
      );
    },

    removeOld: async (): Promise<boolean> => {
      await database.run('DELETE FROM call_commands WHERE created_at < $1', [now() - keptMs]);
      return false;
    },
  };
}
