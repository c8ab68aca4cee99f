import type { LatencyStage } from '../../../contract/calls/latency.ts';
import { latencyStages } from '../../../contract/calls/latency.ts';
import type { Filter } from '../../../contract/filter.ts';
import { textsFor } from '../../../core/call-values.ts';
import { compileFilterToSql } from '../../../core/filter-sql.ts';
import { bytesOf, type Reader, type Row, type Value } from '../../../storage/database.ts';
import { columnOf } from '../facts/columns.ts';
import { stageSql } from '../facts/turns.ts';
import type { Budget } from './job.ts';
import type { TimeRange } from './ranges.ts';

/** Which calls to read, and what of them. */
export interface ScanRequest {
  readonly workspaceId: string;
  readonly filter: Filter | undefined;
  readonly includeDrafts: boolean;
  /** Expressions in SQL. */
  readonly columns: Iterable<string>;
  readonly stages: Iterable<LatencyStage>;
}

/**
 * A step is one statement with one row, because rows cost more than values: each column is a list. A call has up to 5000
 * turns, so that a stage of a step may take 40 MB.
 */
const stepCalls = 5000;
/** Free-form values of a call may be 50 KB long. */
const stepCallsWithValues = 500;

/** Some of the calls, in the order of their time. */
export class Batch {
  readonly count: number;
  readonly #columns: ReadonlyMap<string, readonly unknown[]>;
  readonly #stages: ReadonlyMap<LatencyStage, Int32Array>;
  readonly #numbers = new Map<string, Float64Array>();

  constructor(
    count: number,
    columns: ReadonlyMap<string, readonly unknown[]>,
    stages: ReadonlyMap<LatencyStage, Int32Array>,
  ) {
    this.count = count;
    this.#columns = columns;
    this.#stages = stages;
  }

  /** One value for each call. */
  column(expression: string): readonly unknown[] {
    const values = this.#columns.get(expression);
    if (values === undefined) throw new Error(`the column ${expression} has not been read`);
    return values;
  }

  /** The same for a column of numbers; NaN for none. */
  numbers(expression: string): Float64Array {
    const known = this.#numbers.get(expression);
    if (known !== undefined) return known;
    const values = this.column(expression);
    const numbers = new Float64Array(values.length);
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      numbers[index] = value === null ? Number.NaN : (value as number);
    }
    this.#numbers.set(expression, numbers);
    return numbers;
  }

  /** The latencies of all turns, call by call. */
  stage(name: LatencyStage): Int32Array {
    return this.#stages.get(name) ?? new Int32Array();
  }
}

/** Reads the facts of calls, step by step. */
export class FactScan {
  readonly #reader: Reader;
  readonly #request: ScanRequest;
  readonly #budget: Budget;
  readonly #columns: readonly string[];
  readonly #stages: readonly LatencyStage[];
  readonly #sql: string;
  readonly #parameters: readonly Value[];
  /** Whether SQL decides which calls match the filter. */
  readonly isExact: boolean;

  constructor(reader: Reader, request: ScanRequest, budget: Budget) {
    this.#reader = reader;
    this.#request = request;
    this.#budget = budget;
    this.#columns = [...new Set(request.columns)];
    this.#stages = [...new Set(request.stages)];
    const { sql, parameters, isExact } = conditionOf(reader, request.filter);
    this.isExact = isExact;
    this.#parameters = parameters;
    this.#sql = statement(
      reader,
      this.#columns,
      this.#stages,
      `${request.includeDrafts ? '' : 'AND is_draft = 0'} ${sql}`,
    );
  }

  async *batches({ from, to }: TimeRange): AsyncGenerator<Batch> {
    for (let start = from; start < to; ) {
      this.#budget.checkTime();
      const end = await this.#endOfStep(start, to);
      const batch = await this.#read(start, end);
      if (batch.count > 0) yield batch;
      start = end;
    }
    this.#budget.checkTime();
  }

  /** Calls of one millisecond are never in different steps. */
  async #endOfStep(from: number, to: number): Promise<number> {
    const next = await this.#reader.get<{ created_at: number }>(
      `SELECT created_at FROM call_facts WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3
        ORDER BY created_at LIMIT 1 OFFSET ${this.#columns.includes('search_values') ? stepCallsWithValues : stepCalls}`,
      [this.#request.workspaceId, from, to],
    );
    return next === undefined ? to : Math.max(next.created_at, from + 1);
  }

  async #read(from: number, to: number): Promise<Batch> {
    const [row] = await this.#reader.adHoc.all<Row & { calls: number }>(this.#sql, [
      this.#request.workspaceId,
      from,
      to,
      ...this.#parameters,
    ]);
    if (row === undefined || row.calls === 0) return new Batch(0, new Map(), new Map());
    return new Batch(
      row.calls,
      new Map(this.#columns.map((column, index) => [column, JSON.parse(row[`c${index}`] as string)])),
      new Map(this.#stages.map((stage, index) => [stage, int32s(bytesOf(row[`s${index}`]))])),
    );
  }
}

function statement(
  { dialect }: Reader,
  columns: readonly string[],
  stages: readonly LatencyStage[],
  condition: string,
): string {
  const names = latencyStages.map(({ name }) => name);
  const inner = [
    '1',
    ...columns.map((column, index) => `${column} AS c${index}`),
    ...stages.map((stage, index) => `${stageSql(names.indexOf(stage))} AS s${index}`),
  ];
  const outer = [
    'count(*) AS calls',
    ...columns.map((_, index) => `${dialect.values(`c${index}`)} AS c${index}`),
    ...stages.map((_, index) => `${dialect.joinedBytes(`s${index}`)} AS s${index}`),
  ];
  return `SELECT ${outer.join(', ')} FROM (SELECT ${inner.join(', ')} FROM call_facts
    WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3 ${condition} ORDER BY created_at, call_id) AS facts`;
}

/** Parameters start after the workspace and the two ends of a step. */
const firstFilterParameter = 4;

function conditionOf({ dialect: { contains } }: Reader, filter: Filter | undefined) {
  if (filter === undefined) return { sql: '', parameters: [], isExact: true };
  const condition = compileFilterToSql(filter, {
    columnOf,
    firstParameter: firstFilterParameter,
    necessaryFor: (leaf) => {
      const isFreeForm = columnOf(leaf.field) === undefined && leaf.field.includes('.');
      const texts = isFreeForm ? textsFor(leaf) : undefined;
      return texts && ((add) => `(${texts.map((text) => contains('search_values', add(text))).join(' OR ')})`);
    },
  });
  return { ...condition, sql: `AND ${condition.sql}` };
}

/** Numbers as they are stored: both processors that the service runs on are little-endian. */
function int32s(bytes: Buffer): Int32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(bytes);
  const { buffer, byteOffset, byteLength } = aligned.byteOffset % 4 === 0 ? aligned : new Uint8Array(bytes);
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}
