export const phoneScopes = {
  'phone-numbers:read': 'List and read carriers, phone numbers and the do-not-call list.',
  'phone-numbers:write':
    'Connect carriers, import and route phone numbers, allow outbound calls, change the do-not-call list.',
} as const;
