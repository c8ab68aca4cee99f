import { setImmediate as nextTurn } from 'node:timers/promises';
import { phoneNumberIssue } from '../../../contract/phone-number.ts';
import { notFound } from '../../../core/errors.ts';
import { type Issue, maxIssues, throwIssues } from '../../../core/issues.ts';
import type { PhoneHandlers } from '../handlers.ts';
import type { DoNotCallStore } from './store.ts';

type Handlers = Pick<PhoneHandlers, 'doNotCall.list' | 'doNotCall.add' | 'doNotCall.delete'>;

/** How many numbers are checked before others get their turn. */
const batchSize = 50;

export function doNotCallRoutes(store: DoNotCallStore): Handlers {
  return {
    'doNotCall.list': async ({ caller, query: { limit, q = '' }, position, nextPage }) =>
      nextPage(await store.page(caller.workspaceId, position?.after ?? null, limit, q)),

    'doNotCall.add': async ({ caller: { workspaceId }, body: { numbers, reason }, record }) => {
      await checkAll(numbers);
      const unique = [...new Set(numbers)];
      return record(async (queries) => {
        const added = await store.add(queries, workspaceId, unique, { reason, source: 'api' });
        // Numbers do not belong in the audit log.
        return { body: { added, known: unique.length - added }, resourceId: 'do-not-call' };
      });
    },

    'doNotCall.delete': async ({ caller: { workspaceId }, params: { number }, queries }) => {
      if (!(await store.remove(queries, workspaceId, number))) throw notFound('entry');
      return { body: { number, deleted: true }, resourceId: 'do-not-call' };
    },
  };
}

async function checkAll(numbers: readonly string[]): Promise<void> {
  const issues: Issue[] = [];
  for (const [index, number] of numbers.entries()) {
    if (index % batchSize === batchSize - 1) await nextTurn();
    const message = phoneNumberIssue(number);
    if (message !== null) issues.push({ path: ['numbers', index], message });
    if (issues.length === maxIssues) break;
  }
  throwIssues(issues);
}
