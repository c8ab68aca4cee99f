import { setImmediate as nextTurn } from 'node:timers/promises';
import { phoneNumberIssue } from '../../../contract/phone-number.ts';
import { type FieldErrors, notFound, validationFailed } from '../../../core/errors.ts';
import type { PhoneHandlers } from '../handlers.ts';
import type { DoNotCallStore } from './store.ts';

type Handlers = Pick<PhoneHandlers, 'doNotCall.list' | 'doNotCall.add' | 'doNotCall.delete'>;

/** How many numbers are checked before others get their turn. */
const checkedAtOnce = 50;
const maxReported = 100;

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
  const issues: FieldErrors = {};
  for (const [index, number] of numbers.entries()) {
    if (index % checkedAtOnce === checkedAtOnce - 1) await nextTurn();
    const issue = phoneNumberIssue(number);
    if (issue !== null) issues[`numbers.${index}`] = [issue];
    if (Object.keys(issues).length === maxReported) break;
  }
  if (Object.keys(issues).length > 0) throw validationFailed(issues);
}
