import { idLength } from '../../core/ids.ts';
import type { Database, Dialect, Queries } from '../../storage/database.ts';
import type { DocumentKind } from '../../storage/documents/document-kind.ts';
import { limitByLengths, type PageRow, pageOf } from '../../storage/page.ts';
import { hasLongAgents } from './long-agents.ts';
import type { NameIndex } from './name-index.ts';

/** Agents in a new block. */
export const agentsInBlock = 32;
/** Late inserts go into an existing block. Above this size the block is removed and rebuilt as several. */
const maxAgentsInBlock = 4 * agentsInBlock;
/** One bit each in `agent_grams.blocks`; a JavaScript number has 53. */
const blocksOnShelf = 52;
/** Other writes wait while a transaction runs. */
const blocksInTransaction = 8;
const maxBatchMs = 250;
const agentIdLength = idLength('agt');
/** Each additional gram is another lookup on every shelf that matched the previous ones. */
const maxGrams = 4;
const maxGramsToWeigh = 24;
const shelvesInSample = 6;

interface BlockRow extends Record<string, unknown> {
  shelf: number;
  place: number;
  names: string;
  ids: string;
}

interface AgentName extends Record<string, unknown> {
  id: string;
  folded_name: string;
}

/**
 * The name index for SQLite, which has a single writer. Agents up to the newest block are in blocks, which are id
 * ranges with their names, updated by every write. Agents after the newest block are scanned. Each shelf groups blocks
 * and maps a gram to the blocks that contain it. The map may have false positives, never false negatives.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a class, written as functions over the same parts.
export function createBlockIndex(database: Database): NameIndex {
  const { agent } = database.documents;
  const sql = statements(database.dialect, agent);
  /** New agents per workspace since the last index update, in this process. */
  const newAgents = new Map<string, number>();
  const due = new Set<string>();
  let isFirstBatch = true;

  const noteNewAgent = (workspaceId: string): void => {
    const count = (newAgents.get(workspaceId) ?? 0) + 1;
    newAgents.set(workspaceId, count);
    if (count >= agentsInBlock) due.add(workspaceId);
  };

  const addBlock = async (
    queries: Queries,
    workspaceId: string,
    agents: readonly AgentName[],
  ): Promise<{ shelf: number; place: number }> => {
    const last = await queries.get<BlockRow>(sql.newestBlock, [workspaceId]);
    let shelf = last?.shelf ?? 0;
    let place = last === undefined ? blocksOnShelf : last.place + 1;
    if (place >= blocksOnShelf) {
      shelf = (await queries.get<{ number: number }>(sql.addShelf, [workspaceId]))?.number as number;
      place = 0;
    }
    const lastId = (agents.at(-1) as AgentName).id;
    await queries.write(sql.addBlock, [shelf, place, ...columnsOf(agents.toReversed()), workspaceId, lastId]);
    return { shelf, place };
  };

  /**
   * Indexes a few blocks of the oldest agents that are not in a block. The newest are left out because ids may still be
   * inserted between them.
   */
  const addBlocks = (workspaceId: string): Promise<boolean> =>
    database.transaction(async (queries) => {
      const maxAgents = agentsInBlock * (blocksInTransaction + 1);
      const agents = await queries.all<AgentName>(sql.tail, [workspaceId, maxAgents]);
      const end = agents.length - agentsInBlock;
      const shelves = new Map<number, Marks>();
      for (let first = 0; first + agentsInBlock <= end; first += agentsInBlock) {
        const members = agents.slice(first, first + agentsInBlock);
        const { shelf, place } = await addBlock(queries, workspaceId, members);
        const marks = shelves.get(shelf) ?? new Map();
        shelves.set(shelf, mark(marks, place, members));
      }
      for (const [shelf, marks] of shelves) await queries.run(sql.addGrams, [shelf, inOrder(marks)]);
      return agents.length === maxAgents;
    });

  /** The rarest grams, in that order, estimated from a sample of shelves. */
  const gramsToFind = async (workspaceId: string, part: string): Promise<number[]> => {
    const grams = gramsWithin(part, maxGramsToWeigh);
    if (grams.length === 1) return grams;
    const weights = new Map(grams.map((gram) => [gram, 0]));
    const sample = await database.all<{ gram: number; blocks: number }>(sql.sample, [
      workspaceId,
      JSON.stringify(grams),
    ]);
    if (sample.length === 0) return gramsWithin(part, maxGrams);
    for (const { gram, blocks } of sample) weights.set(gram, (weights.get(gram) ?? 0) + bitsOf(blocks));
    return [...weights]
      .sort(([, weight], [, other]) => weight - other)
      .slice(0, maxGrams)
      .map(([gram]) => gram);
  };

  const changeBlock = async (
    queries: Queries,
    block: BlockRow,
    workspaceId: string,
    id: string,
    foldedName: string | null,
  ): Promise<void> => {
    const { shelf, place } = block;
    const agents = agentsOf(block).filter((agent) => agent.id !== id);
    if (foldedName !== null) agents.push({ id, folded_name: foldedName });
    if (agents.length === 0) {
      await queries.write(sql.removeBlock, [shelf, place]);
      return;
    }
    if (agents.length > maxAgentsInBlock) {
      await queries.write(sql.removeBlocksFrom, [workspaceId, id]);
      due.add(workspaceId);
      return;
    }
    agents.sort((one, other) => (one.id < other.id ? 1 : -1));
    await queries.write(sql.setBlock, [shelf, place, ...columnsOf(agents)]);
    if (foldedName === null) return;
    const marks = mark(new Map(), place, [{ id, folded_name: foldedName }]);
    await queries.write(sql.addGrams, [shelf, inOrder(marks)]);
  };

  return {
    note: async (queries, workspaceId, id, foldedName) => {
      const block = await queries.get<BlockRow>(sql.blockOf, [workspaceId, id]);
      if (block !== undefined) await changeBlock(queries, block, workspaceId, id, foldedName);
      else if (foldedName !== null) noteNewAgent(workspaceId);
    },

    page: async (workspaceId, beforeId, limit, part, id) => {
      const grams = await gramsToFind(workspaceId, part);
      const partInJson = JSON.stringify(part).slice(1, -1);
      const parameters = [workspaceId, beforeId, limit, part, id, partInJson, ...grams];
      const row = await database.get<PageRow>(sql.page(grams.length), parameters);
      // Rows matched but none were returned: there are long documents, and not all of them may fit.
      const isUndecided = row?.items === null && Boolean(row.has_more);
      return pageOf(isUndecided ? await database.get<PageRow>(sql.cutPage(grams.length), parameters) : row, agent);
    },

    build: async () => {
      if (isFirstBatch) {
        for (const { id } of await database.all<{ id: string }>('SELECT id FROM workspaces')) due.add(id);
        isFirstBatch = false;
      }
      const deadline = performance.now() + maxBatchMs;
      for (const workspaceId of due) {
        // Before the query, so that agents added meanwhile count for the next run.
        newAgents.delete(workspaceId);
        const needed = 2 * agentsInBlock;
        const agents = await database.all(sql.tail, [workspaceId, needed]);
        let hasMore = agents.length === needed;
        while (hasMore && performance.now() < deadline) hasMore = await addBlocks(workspaceId);
        if (hasMore) return true;
        due.delete(workspaceId);
      }
      return false;
    },
  };
}

/** The columns of `agent_blocks`: names and ids. */
function columnsOf(newestFirst: readonly AgentName[]): [names: string, ids: string] {
  return [JSON.stringify(newestFirst.map(({ folded_name }) => folded_name)), newestFirst.map(({ id }) => id).join('')];
}

function agentsOf({ names, ids }: BlockRow): AgentName[] {
  return (JSON.parse(names) as string[]).map((folded_name, index) => ({
    id: ids.slice(index * agentIdLength, (index + 1) * agentIdLength),
    folded_name,
  }));
}

/** Maps a gram to the blocks of one shelf that contain it, as stored in `agent_grams.blocks`. */
type Marks = Map<number, number>;

function mark(marks: Marks, place: number, agents: readonly AgentName[]): Marks {
  const grams = new Set<number>();
  for (const { folded_name } of agents) addGrams(grams, folded_name);
  // Bitwise OR is limited to 32 bits. Each block is marked only once, so adding is equivalent.
  const block = 2 ** place;
  for (const gram of grams) marks.set(gram, (marks.get(gram) ?? 0) + block);
  return marks;
}

/** In key order, so that neighbouring rows are written together. */
function inOrder(marks: Marks): string {
  return JSON.stringify([...marks].sort(([one], [other]) => one - other));
}

function bitsOf(blocks: number): number {
  let count = 0;
  for (let rest = blocks; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}

function statements({ bytes, contains, joined }: Dialect, kind: DocumentKind) {
  const block = 'shelf, place, names, ids';
  const newestId = `coalesce((SELECT max(last_id) FROM agent_blocks WHERE workspace_id = $1), '')`;
  /** A number that increases with the ids of a workspace. */
  const numberOf = (shelf: string, place: string) => `${shelf} * ${blocksOnShelf} + ${place}`;
  const lastNumber = `coalesce((SELECT ${numberOf('shelf', 'place')} FROM agent_blocks
      WHERE workspace_id = $1 AND last_id >= $2 ORDER BY last_id LIMIT 1), ${Number.MAX_SAFE_INTEGER})`;

  const idAt = `substr(agent_blocks.ids, name.key * ${agentIdLength} + 1, ${agentIdLength})`;

  /** The nesting of the loops yields newest first: shelves, their blocks, and the names within a block. */
  const inBlocks = (gramCount: number) => {
    let common = '';
    let grams = '';
    for (let number = 1; number <= gramCount; number += 1) {
      common += `${number === 1 ? '' : ' & '}gram_${number}.blocks`;
      grams += `CROSS JOIN agent_grams AS gram_${number} ON gram_${number}.shelf = agent_shelves.number
        AND gram_${number}.gram = $${number + 6} AND (${common}) <> 0 `;
    }
    return `SELECT ${idAt} AS id FROM agent_shelves ${grams}
      CROSS JOIN agent_blocks ON agent_blocks.shelf = agent_shelves.number AND ((${common}) >> agent_blocks.place) & 1
      CROSS JOIN json_each(agent_blocks.names) AS name
      WHERE agent_shelves.workspace_id = $1
        AND agent_shelves.number <= ${lastNumber} / ${blocksOnShelf}
        AND ${numberOf('agent_shelves.number', 'agent_blocks.place')} <= ${lastNumber}
        AND ${contains('agent_blocks.names', '$6')}
        AND ${contains('name.value', '$4')} AND ${idAt} < $2
      ORDER BY agent_shelves.number DESC, agent_blocks.place DESC LIMIT $3 + 1`;
  };
  const inTail = `SELECT id FROM agents
      WHERE workspace_id = $1 AND id < $2 AND id > ${newestId} AND ${contains('folded_name', '$4')}
      ORDER BY id DESC LIMIT $3 + 1`;
  const byId = 'SELECT id FROM agents WHERE workspace_id = $1 AND id < $2 AND id = $5';
  const documents = (limit: string) => `(SELECT id FROM found ORDER BY id DESC LIMIT ${limit}) AS page
      CROSS JOIN agents ON agents.workspace_id = $1 AND agents.id = page.id`;
  const lengths = `SELECT agents.id AS place, octet_length(agents.doc) AS bytes FROM ${documents('$3 + 0')}`;
  // One statement, so that blocks, unindexed agents and documents come from the same snapshot.
  const page = (gramCount: number, limit: string) => `WITH found AS MATERIALIZED (
      SELECT DISTINCT id
      FROM (SELECT id FROM (${inTail}) UNION ALL SELECT id FROM (${inBlocks(gramCount)}) UNION ALL ${byId})
      ORDER BY id DESC LIMIT $3 + 1)
    SELECT ${bytes('items')} AS items, oldest_version, last_place, (SELECT count(*) FROM found) > shown AS has_more
    FROM (SELECT ${joined(kind.itemSql('agents.'), '')} AS items, min(agents.doc_version) AS oldest_version,
        min(agents.id) AS last_place, count(*) AS shown
      FROM ${documents(limit)})`;
  const pagesWith = (limit: string) => Array.from({ length: maxGrams }, (_, index) => page(index + 1, limit));
  const pages = pagesWith(`CASE WHEN ${hasLongAgents} THEN 0 ELSE $3 + 0 END`);
  const cutPages = pagesWith(limitByLengths(lengths));

  return {
    page: (gramCount: number) => pages[gramCount - 1] as string,
    cutPage: (gramCount: number) => cutPages[gramCount - 1] as string,
    tail: `SELECT id, folded_name FROM agents WHERE workspace_id = $1 AND id > ${newestId} ORDER BY id LIMIT $2 + 0`,
    blockOf: `SELECT ${block} FROM agent_blocks WHERE workspace_id = $1 AND last_id >= $2 ORDER BY last_id LIMIT 1`,
    newestBlock: `SELECT ${block} FROM agent_blocks WHERE workspace_id = $1 ORDER BY last_id DESC LIMIT 1`,
    addShelf: `INSERT INTO agent_shelves (number, workspace_id)
      SELECT coalesce(max(number), 0) + 1, $1 FROM agent_shelves RETURNING number`,
    addBlock: `INSERT INTO agent_blocks (shelf, place, names, ids, workspace_id, last_id)
      VALUES ($1, $2, $3, $4, $5, $6)`,
    setBlock: 'UPDATE agent_blocks SET names = $3, ids = $4 WHERE shelf = $1 AND place = $2',
    removeBlock: 'DELETE FROM agent_blocks WHERE shelf = $1 AND place = $2',
    removeBlocksFrom: 'DELETE FROM agent_blocks WHERE workspace_id = $1 AND last_id >= $2',
    addGrams: `INSERT INTO agent_grams (shelf, gram, blocks) SELECT $1, value ->> 0, value ->> 1 FROM json_each($2) WHERE true
      ON CONFLICT (shelf, gram) DO UPDATE SET blocks = blocks | excluded.blocks`,
    sample: `SELECT agent_grams.gram, agent_grams.blocks FROM agent_shelves CROSS JOIN json_each($2) AS piece
      CROSS JOIN agent_grams ON agent_grams.shelf = agent_shelves.number AND agent_grams.gram = piece.value
      WHERE agent_shelves.workspace_id = $1 AND agent_shelves.number % max(1,
        (SELECT count(*) / ${shelvesInSample} FROM agent_shelves WHERE workspace_id = $1)) = 0`,
  };
}

/**
 * Grams of one, two and three UTF-16 code units, by which names are indexed. Each is an integer with 16 bits per unit.
 * No unit is zero, so grams of different lengths never collide.
 */
const unit = 0x1_0000;
const twoUnits = unit * unit;
const maxGram = 3;

function addGrams(grams: Set<number>, text: string): void {
  for (let index = 0; index < text.length; index += 1) {
    let gram = text.charCodeAt(index);
    grams.add(gram);
    if (index + 1 === text.length) continue;
    gram += text.charCodeAt(index + 1) * unit;
    grams.add(gram);
    if (index + 2 < text.length) grams.add(gram + text.charCodeAt(index + 2) * twoUnits);
  }
}

/** Grams that a name must have to contain the text: up to `maxCount` of the longest ones, spread over the text. */
function gramsWithin(text: string, maxCount: number): number[] {
  const size = Math.min(text.length, maxGram);
  const places = text.length - size + 1;
  const count = Math.min(places, maxCount);
  const grams = Array.from({ length: count }, (_, index) => {
    const place = count === 1 ? 0 : Math.floor((index * (places - 1)) / (count - 1));
    return gramAt(text, place, size);
  });
  return [...new Set(grams)];
}

function gramAt(text: string, place: number, size: number): number {
  let gram = 0;
  for (let index = place + size - 1; index >= place; index -= 1) gram = gram * unit + text.charCodeAt(index);
  return gram;
}
