import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a page starts with the last agent of the previous page',
    engine: 'both',
    in: 'allAgents',
    replace: 'id <',
    with: 'id <=',
  },
  {
    about: 'the last page has a nextCursor',
    engine: 'both',
    in: 'pageOf.next',
    replace: 'row.has_more ? String(row.last_place) : null',
    with: 'String(row.last_place)',
  },
  {
    about: 'a new name is not indexed',
    engine: 'both',
    in: 'createAgentStore.replace',
    replace: 'columnsOf(agent, foldedName',
    with: 'columnsOf(agent, fold(head.agent.name)',
  },
  {
    about: 'the list of versions skips one between two pages',
    engine: 'both',
    in: 'agents.versions.list',
    replace: 'Number(position.after)',
    with: 'Number(position.after) - 1',
  },
];
