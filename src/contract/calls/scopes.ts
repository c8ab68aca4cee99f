export const callScopes = {
  'calls:read': 'List, search and read calls, with their transcripts, recordings, events and analyses.',
  'calls:write':
    'Create, control, update, end, redact and delete calls, create access tokens for them, rerun their analysis, run simulations, preview voices.',
} as const;
