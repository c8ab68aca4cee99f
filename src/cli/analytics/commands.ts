import { Option } from 'commander';
import { connectionOptions, type Declaration, jsonOption, lazily } from '../declaration.ts';
import { exitCodeHelp } from '../failures.ts';

/** Besides the lists of alerts, views, prices and fields. */
export const analyticsCommands: readonly Declaration[] = [
  {
    name: 'analytics',
    description: 'figures about calls; list alerts, views, prices, and what can be queried',
    about: `All commands operate on the workspace of the API key. See docs/analytics.md.

Examples:
  voice-agents analytics query query.json
  voice-agents analytics fields
  voice-agents analytics alerts
${exitCodeHelp}`,
  },
  {
    name: 'analytics query <file>',
    description: 'compute figures over calls',
    options: [new Option('--csv', 'print CSV').conflicts('json'), jsonOption, ...connectionOptions],
    about: `The file is a query as for analytics.query in the API: its range, its metrics, and what
to group and filter by. Prints a table, or with --json the response of the service.
With --csv, prints a line for each bucket and group, by the rules of "calls export".

A query:
  { "range": { "last": "7d" }, "timeZone": "Asia/Tokyo", "interval": "day",
    "metrics": ["calls", "connectRate", "latency.e2eMs.p95"], "groupBy": ["agentVersion"] }`,
    examples: ['query.json', 'query.json --csv > figures.csv'],
    run: lazily(() => import('./query.ts'), 'queryFigures'),
  },
];
