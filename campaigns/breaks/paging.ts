import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'paging',
    about: 'a page starts with the last agent of the previous page',
    engine: 'both',
    file: 'src/areas/agents/store.ts',
    from: '(place: string) => `FROM agents WHERE workspace_id = $1 AND id < ',
    to: '(place: string) => `FROM agents WHERE workspace_id = $1 AND id <= ',
  },
  {
    campaign: 'paging',
    about: 'the last page has a nextCursor',
    engine: 'both',
    file: 'src/storage/page.ts',
    from: 'next: row.has_more ? String(row.last_place) : null',
    to: 'next: String(row.last_place)',
  },
  {
    campaign: 'paging',
    about: 'a new name is not indexed',
    engine: 'both',
    file: 'src/areas/agents/store.ts',
    from: 'await queries.write(sql.update, columnsOf(agent, foldedName, document, etag));',
    to: 'await queries.write(sql.update, columnsOf(agent, fold(head.agent.name), document, etag));',
  },
  {
    campaign: 'paging',
    about: 'the list of versions skips one between two pages',
    engine: 'both',
    file: 'src/areas/agents/routes.ts',
    from: 'const before = position === null ? null : Number(position.after);',
    to: 'const before = position === null ? null : Number(position.after) - 1;',
  },
];
