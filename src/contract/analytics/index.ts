import { defineContract } from '../area.ts';
import { listFields } from './list-fields.ts';
import { queryAnalytics } from './query.ts';
import { analyticsScopes } from './scopes.ts';

export const analyticsContract = defineContract({
  tag: { name: 'Analytics', description: 'Figures about calls, with saved views, alerts and prices.' },
  idPrefixes: ['viw', 'alr'],
  scopes: analyticsScopes,
  operations: [queryAnalytics, listFields],
});
