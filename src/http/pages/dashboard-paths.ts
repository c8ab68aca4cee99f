// Generated from dashboard/src/pages.ts by "npm run generate": do not edit.

/** Where the pages of the dashboard are. What is below them is known to the dashboard only. */
export const dashboardPaths: readonly string[] = [
  '/overview',
  '/agents',
  '/agents/*',
  '/calls',
  '/calls/*',
  '/analytics',
  '/numbers',
  '/numbers/*',
  '/knowledge',
  '/knowledge/*',
  '/webhooks',
  '/webhooks/*',
  '/workflows',
  '/workflows/*',
  '/keys',
  '/secrets',
  '/audit',
  '/settings',
  '/settings/*',
];
