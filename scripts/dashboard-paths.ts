/** The paths at which the service answers with the dashboard, from its table of pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The whole file, before formatting. The table is read as text, because Node.js cannot run its components. */
export function dashboardPaths(root: string): string {
  const pages = readFileSync(join(root, 'dashboard', 'src', 'pages.ts'), 'utf8');
  const segments = [...pages.matchAll(/\bpath: '\/([^']+)'/g)].map(([, path]) => (path as string).split('/'));
  const roots = [...new Set(segments.map(([first]) => first as string))];
  const paths = roots.flatMap((first) => {
    const hasInner = segments.some((path) => path[0] === first && path.length > 1);
    return hasInner ? [`/${first}`, `/${first}/*`] : [`/${first}`];
  });
  return `// Generated from dashboard/src/pages.ts by "npm run generate": do not edit.

/** Where the pages of the dashboard are. What is below them is known to the dashboard only. */
export const dashboardPaths: readonly string[] = ${JSON.stringify(paths)};
`;
}
