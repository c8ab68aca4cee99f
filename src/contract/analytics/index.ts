import { defineContract } from '../area.ts';
import { createAlert, deleteAlert, getAlert, listAlerts, updateAlert } from './alerts.ts';
import { listFields } from './list-fields.ts';
import { deletePrices, listPrices, putPrices } from './prices.ts';
import { queryAnalytics } from './query.ts';
import { analyticsScopes } from './scopes.ts';
import { createView, deleteView, getView, listViews, updateView } from './views.ts';

export const analyticsContract = defineContract({
  tag: { name: 'Analytics', description: 'Figures about calls, with saved views, alerts and prices.' },
  idPrefixes: ['viw', 'alr'],
  scopes: analyticsScopes,
  operations: [
    queryAnalytics,
    listFields,
    listPrices,
    putPrices,
    deletePrices,
    listViews,
    createView,
    getView,
    updateView,
    deleteView,
    listAlerts,
    createAlert,
    getAlert,
    updateAlert,
    deleteAlert,
  ],
});
