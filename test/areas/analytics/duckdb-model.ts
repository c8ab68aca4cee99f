import { fixedFields } from '../../../src/contract/analytics/fields.ts';
import { latencyStages } from '../../../src/contract/calls/latency.ts';
import { type DuckDb, sqlText } from '../../support/duckdb.ts';
import { type NaiveMetric, type NaiveQuery, rowKey } from './definitions-model.ts';

/** Reads an export in JSON Lines into the table `calls`: a row for each call that is over, with its turns. */
export async function loadExport({ rows }: DuckDb, file: string): Promise<void> {
  const countOf = (condition: string) => `len([1 FOR t IN turns IF ${condition}])`;
  const stages = latencyStages.map(
    ({ name }) =>
      `list_filter([CAST((t->>'$.latency.${name}') AS BIGINT) FOR t IN turns IF (t->>'$.role') = 'agent'],
        lambda ms: ms IS NOT NULL) AS "${name}"`,
  );
  await rows("SET TimeZone = 'UTC'");
  await rows(
    `CREATE OR REPLACE TABLE calls AS
      SELECT j, CAST((j->>'$.createdAt') AS TIMESTAMPTZ) AS created_at, ${stages.join(', ')},
        ${countOf("(t->>'$.role') = 'agent'")} AS agent_turns, ${countOf("(t->>'$.role') = 'caller'")} AS caller_turns,
        ${countOf("(t->>'$.role') = 'tool'")} AS tool_turns,
        ${countOf("(t->>'$.toolCall.isError') = 'true'")} AS tool_errors
      FROM (SELECT json_merge_patch(json, '{"transcript": null}') AS j,
          coalesce(CAST((json->'$.transcript.turns') AS JSON[]), []) AS turns
        FROM read_json_objects(${sqlText(file)}, format = 'newline_delimited'))
      WHERE (j->>'$.status') IN ('ended', 'not_connected', 'error')`,
  );
}

/** The same figures by SQL over the table, by bucket and group as in the naive model. */
export async function duckDbFigures(
  { rows }: DuckDb,
  { timeZone, interval, metrics, groupBy }: NaiveQuery,
  condition: string,
): Promise<Map<string, Record<string, number | null>>> {
  const dimensions = groupBy.map((name) => groupSql(name, timeZone));
  const figures = metrics.map((metric, index) => `CAST(${metricSql(metric)} AS DOUBLE) AS f${index}`);
  const keys = ['bucket', ...dimensions.map((_, index) => `g${index}`)];
  const found = await rows(
    `SELECT ${bucketSql(interval, timeZone)} AS bucket,
        ${[...dimensions.map((sql, index) => `${sql} AS g${index}`), ...figures].join(', ')}
      FROM calls WHERE ${condition} GROUP BY ${keys.join(', ')}`,
  );
  return new Map(
    found.map((row) => [
      rowKey(
        row.bucket as string,
        dimensions.map((_, index) => (row[`g${index}`] === null ? null : JSON.parse(row[`g${index}`] as string))),
      ),
      Object.fromEntries(metrics.map(({ as }, index) => [as, row[`f${index}`] as number | null])),
    ]),
  );
}

function bucketSql(interval: NaiveQuery['interval'], timeZone: string): string {
  const local = `(created_at AT TIME ZONE ${sqlText(timeZone)})`;
  if (interval === 'none') return "''";
  if (interval === 'month') return `strftime(${local}, '%Y-%m')`;
  if (interval !== 'hour') return `strftime(date_trunc('${interval}', ${local}), '%Y-%m-%d')`;
  const minutes = `CAST(epoch(${local} - (created_at AT TIME ZONE 'UTC')) / 60 AS INTEGER)`;
  return `strftime(${local}, '%Y-%m-%dT%H') || format('{}{:02d}:{:02d}',
    CASE WHEN ${minutes} < 0 THEN '-' ELSE '+' END, abs(${minutes}) // 60, abs(${minutes}) % 60)`;
}

const isFreeForm = (name: string) => !fixedFields.has(name);

const paths: Readonly<Record<string, string>> = {
  model: 'usage.llm.model',
  sttProvider: 'usage.stt.provider',
  ttsProvider: 'usage.tts.provider',
  currency: 'cost.currency',
  cost: 'cost.totalMicros',
};

function jsonSql(name: string): string {
  const [, prefix, rest] = /^(analysis\.data|metadata|variables|collectedVariables)\.(.*)$/.exec(name) ?? [];
  return `(j->'$.${prefix === undefined ? (paths[name] ?? name) : `${prefix}."${rest}"`}')`;
}

const isNumber = (json: string) => `json_type(${json}) IN ('BIGINT', 'UBIGINT', 'DOUBLE')`;

/** The value as JSON text, so that 1 and "1" differ; null for none, and for objects and lists. */
function groupSql(name: string, timeZone: string): string {
  const local = `(created_at AT TIME ZONE ${sqlText(timeZone)})`;
  if (name === 'hourOfDay') return `CAST(hour(${local}) AS VARCHAR)`;
  if (name === 'dayOfWeek') return `CAST(isodow(${local}) AS VARCHAR)`;
  const json = jsonSql(name);
  return `CASE json_type(${json}) WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN NULL WHEN 'NULL' THEN NULL
    WHEN 'VARCHAR' THEN CAST(to_json(left(${json}->>'$', 200)) AS VARCHAR) ELSE CAST(${json} AS VARCHAR) END`;
}

const number = (name: string) => `CAST(j->>'$.${name}' AS DOUBLE)`;
const isConnected = "(j->>'$.startedAt' IS NOT NULL)";
const hasConversation = "(json_type(j->'$.conversation') = 'OBJECT')";
const quotient = (over: string, under: string) => `round(${over} / nullif(${under}, 0), 6)`;
const countIf = (condition: string) => `count_if(${condition})`;
const ofInterruptions = (by: string) =>
  quotient(`sum(${number(`conversation.${by}Interruptions`)})`, `sum(agent_turns) FILTER (${hasConversation})`);

const fixed: Readonly<Record<string, string>> = {
  calls: 'count(*)',
  connectedCalls: countIf(isConnected),
  errorCalls: countIf("(j->>'$.status') = 'error'"),
  unpricedCalls: countIf("(j->>'$.cost.totalMicros') IS NULL"),
  connectRate: quotient(countIf(isConnected), 'count(*)'),
  errorRate: quotient(countIf("(j->>'$.status') = 'error'"), 'count(*)'),
  successRate: quotient(countIf("(j->>'$.analysis.successful') = 'true'"), "count(j->>'$.analysis.successful')"),
  analyzedRate: quotient(countIf("(j->>'$.analysis.status') = 'completed'"), countIf(isConnected)),
  toolErrorRate: quotient(`sum(tool_errors)`, `sum(tool_turns)`),
  callerInterruptionRate: ofInterruptions('caller'),
  agentInterruptionRate: ofInterruptions('agent'),
};

function metricSql({ metric, field = '' }: NaiveMetric): string {
  const known = fixed[metric];
  if (known !== undefined) return known;
  const place = metric.lastIndexOf('.');
  const [what, how] = [metric.slice(0, place), metric.slice(place + 1)];
  if (what.startsWith('latency.')) return listSql(`flatten(list("${what.slice('latency.'.length)}"))`, how);
  if (what === 'field' && how === 'distinct') return `count(DISTINCT ${groupSqlUncut(field)})`;
  if (what === 'field' && how === 'trueRate') {
    const json = jsonSql(field);
    return quotient(countIf(`${json} = 'true'`), countIf(`json_type(${json}) = 'BOOLEAN'`));
  }
  const sql = aggregateSql(valueSql(what, how, field), how);
  return what === 'conversation.talkRatio' && how !== 'count' ? `round(${sql}, 6)` : sql;
}

function groupSqlUncut(name: string): string {
  const json = jsonSql(name);
  return `CASE WHEN json_type(${json}) NOT IN ('OBJECT', 'ARRAY', 'NULL') THEN CAST(${json} AS VARCHAR) END`;
}

function valueSql(what: string, how: string, field: string): string {
  const connected = (sql: string) => `CASE WHEN ${isConnected} THEN ${sql} END`;
  if (what === 'field') {
    const json = jsonSql(field);
    return `CASE WHEN ${isNumber(json)} THEN CAST(${json} AS DOUBLE) END`;
  }
  if (what === 'conversation.talkRatio') {
    const [agent, caller] = [number('conversation.agentSpeechMs'), number('conversation.callerSpeechMs')];
    return `${agent} / nullif(${agent} + ${caller}, 0)`;
  }
  if (what === 'agentTurns' || what === 'callerTurns')
    return connected(what === 'agentTurns' ? 'agent_turns' : 'caller_turns');
  if (what === 'toolCalls') return connected('tool_turns');
  if (what === 'durationMs') return connected(number(what));
  if (what === 'cost') return number('cost.totalMicros');
  return what.startsWith('usage.') && how === 'avg' ? connected(number(what)) : number(what);
}

function aggregateSql(value: string, how: string): string {
  if (how === 'count') return `count(${value})`;
  if (how === 'sum') return `coalesce(sum(${value}), 0)`;
  if (how === 'avg') return `round(avg(${value}), 6)`;
  return how.startsWith('p') ? `quantile_disc(${value}, ${Number(how.slice(1)) / 100})` : `${how}(${value})`;
}

function listSql(list: string, how: string): string {
  if (how === 'count') return `len(${list})`;
  if (how === 'sum') return `coalesce(list_sum(${list}), 0)`;
  if (how === 'avg') return `round(list_avg(${list}), 6)`;
  return how.startsWith('p')
    ? `list_aggregate(${list}, 'quantile_disc', ${Number(how.slice(1)) / 100})`
    : `list_${how}(${list})`;
}

/** A condition on a field, as SQL. */
export function leafSql(field: string, op: string, value: unknown, timeZone: string): string {
  const json = jsonSql(field);
  const isOfTime = field === 'hourOfDay' || field === 'dayOfWeek';
  const literal = typeof value === 'string' ? sqlText(value) : String(value);
  if (op === 'exists' && isOfTime) return String(value);
  if (op === 'exists') return `(coalesce(json_type(${json}), 'NULL') <> 'NULL') = ${value}`;
  if (op === 'contains') return `coalesce(contains(${json}->>'$', ${literal}), false)`;
  const comparison = op === 'eq' ? '=' : op === 'ne' ? '<>' : op === 'gte' ? '>=' : '<';
  return `coalesce(${operandSql(field, value, timeZone)} ${comparison} ${literal}, false)`;
}

function operandSql(field: string, value: unknown, timeZone: string): string {
  if (field === 'hourOfDay' || field === 'dayOfWeek') return `CAST(${groupSql(field, timeZone)} AS INTEGER)`;
  const json = jsonSql(field);
  if (fixedFields.get(field)?.type === 'time') return `CAST(${json}->>'$' AS TIMESTAMPTZ)`;
  const type = { string: `json_type(${json}) = 'VARCHAR'`, boolean: `json_type(${json}) = 'BOOLEAN'` }[
    typeof value as 'string'
  ];
  const condition = type ?? isNumber(json);
  const sqlType = { string: 'VARCHAR', boolean: 'BOOLEAN' }[typeof value as 'string'] ?? 'DOUBLE';
  return isFreeForm(field)
    ? `CASE WHEN ${condition} THEN CAST(${json}->>'$' AS ${sqlType}) END`
    : `CAST(${json}->>'$' AS ${sqlType})`;
}
