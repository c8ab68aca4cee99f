import { readFile } from 'node:fs/promises';
import { NotFoundError } from '../../../sdk/src/errors.ts';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Call, Evaluation, EvaluationQuestion } from '../../../sdk/src/schema.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print, printResult } from '../context.ts';
import { exitCodes, invalidUsage } from '../failures.ts';
import { table } from '../terminal/table.ts';
import { visible } from '../terminal/text.ts';
import { csvLine, parseCsv } from './csv.ts';
import { findBase } from './find.ts';

interface EvaluateOptions extends CommandOptions {
  readonly limit?: number;
  readonly minScore?: number;
  readonly minHitRate?: number;
  readonly fromCalls?: string;
}

const hourMs = 3_600_000;

export async function evaluateBase(
  target: string | undefined,
  file: string | undefined,
  options: EvaluateOptions,
  context: CommandContext,
): Promise<void> {
  if (options.fromCalls !== undefined) return writeQuestions(target, options.fromCalls, options, context);
  if (target === undefined || file === undefined) throw invalidUsage('name a knowledge base and a CSV file');
  const { limit, minScore, minHitRate = 0 } = options;
  const questions = await questionsOf(file);
  const { client } = await connect(options, context.environment);
  const { id } = await findBase(client, target);
  const result = await client.knowledgeBases.evaluate(id, {
    questions,
    ...(limit !== undefined && { limit }),
    ...(minScore !== undefined && { minScore }),
  });
  await printResult(result, await describe(client, id, result, limit ?? 3), options, context);
  const hitRate = hitRateInCalls(result);
  if (hitRate >= minHitRate) return;
  context.stderr.write(`voice-agents: the hit rate is ${hitRate.toFixed(3)}, below ${minHitRate}\n`);
  context.setExitCode(exitCodes.failed);
}

/** Calls search by meaning, too, if the base can be, even if that finds less. */
export function hitRateInCalls({ modes }: Pick<Evaluation, 'modes'>): number {
  return (modes.find(({ mode }) => mode === 'hybrid') ?? modes[0])?.hitRate ?? 0;
}

async function describe(client: VoiceAgents, baseId: string, result: Evaluation, limit: number): Promise<string> {
  const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
  const scores = (values: { p10: number; p50: number; p90: number } | null) =>
    values === null ? '' : [values.p10, values.p50, values.p90].map((value) => value.toFixed(2)).join(' / ');
  const head = ['MODE', 'FIRST', `FIRST ${limit}`, 'MEAN 1/RANK', 'SCORES OF HITS', 'SCORES OF MISSES'];
  const rows = result.modes.map(({ mode, hitRate1, hitRate, meanReciprocalRank, hitScores, missScores }) => [
    mode,
    percent(hitRate1),
    percent(hitRate),
    meanReciprocalRank.toFixed(3),
    scores(hitScores),
    scores(missScores),
  ]);
  if (result.misses.length === 0) return table(head, rows);
  const names = new Map<string, string>();
  for await (const { id, name } of client.documents.list(baseId, { limit: 100 })) names.set(id, name);
  const misses = result.misses.map(({ mode, query, expected, got, reason }) => {
    const found = got.map(({ documentId, score }) => `${names.get(documentId) ?? documentId} (${score.toFixed(2)})`);
    const instead = found.length === 0 ? 'nothing' : found.join(', ');
    return `\n${visible(query)}  (${mode}: ${reason})\n  expected ${visible(expected.join(', '))}\n  found    ${visible(instead)}\n`;
  });
  return `${table(head, rows)}${misses.join('')}`;
}

async function questionsOf(file: string): Promise<EvaluationQuestion[]> {
  const [head = [], ...rows] = await readRows(file);
  const column = (name: string) => head.findIndex((each) => each.trim().toLowerCase() === name);
  const [query, expected, contains] = [column('query'), column('expected'), column('contains')];
  if (query < 0 || expected < 0) throw invalidUsage(`${visible(file)} needs the columns query and expected`);
  // Rows without an answer are still to be filled in.
  const questions = rows.flatMap((row) => {
    const documents = (row[expected] ?? '').split('|').map((name) => name.trim());
    const names = documents.filter((name) => name !== '');
    const text = (row[contains] ?? '').trim();
    if (names.length === 0) return [];
    return [{ query: row[query] ?? '', expected: names, ...(text !== '' && { contains: text }) }];
  });
  if (questions.length === 0) throw invalidUsage(`${visible(file)} has no questions with an expected document`);
  return questions;
}

async function readRows(file: string): Promise<string[][]> {
  try {
    return parseCsv(await readFile(file, 'utf8'));
  } catch (error) {
    throw invalidUsage(`${visible(file)} cannot be read: ${(error as Error).message}`);
  }
}

/** What callers asked when nothing was found, as questions whose answers have to be filled in. */
async function writeQuestions(
  target: string | undefined,
  period: string,
  options: CommandOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const [, count, unit] = /^([1-9]\d{0,3})([dh])$/.exec(period) ?? [];
  if (count === undefined) throw invalidUsage('--from-calls takes a number of days or hours, such as 7d or 12h');
  const since = new Date(Date.now() - Number(count) * (unit === 'd' ? 24 : 1) * hourMs).toISOString();
  const { client } = await connect(options, environment);
  const base = target === undefined ? null : await findBase(client, target);
  const filter = {
    all: [
      { field: 'usage.knowledge.empty', op: 'gt', value: 0 },
      { field: 'createdAt', op: 'gte', value: since },
    ],
  } as const;
  await print(stdout, csvLine(['query', 'expected']));
  for await (const call of client.calls.search({ filter })) {
    if (base !== null && !call.knowledgeBases.some(({ id }) => id === base.id)) continue;
    for (const question of await unanswered(client, call)) await print(stdout, csvLine([question, '']));
  }
}

/** The caller's words before each search that found nothing. None if the transcript is not stored or was deleted. */
async function unanswered(client: VoiceAgents, { id }: Call): Promise<string[]> {
  try {
    const { turns } = await client.calls.transcript.get(id);
    const questions: string[] = [];
    for await (const event of client.calls.events.list(id, { limit: 100 })) {
      if (event.type !== 'knowledge_searched' || event.data.results > 0) continue;
      const { turnIndex } = event.data;
      const asked = turns.findLast(({ role, index }) => role === 'caller' && index < turnIndex);
      if (asked !== undefined && asked.text !== '') questions.push(asked.text);
    }
    return questions;
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}
