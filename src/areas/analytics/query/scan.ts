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

/** Calls up to `end`; the next step ends at `nextEnd`. */
interface Step {
  readonly batch: Batch;
  readonly end: number;
  readonly nextEnd: number;
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
    this.#sql = this.#statement(`${request.includeDrafts ? '' : 'AND is_draft = 0'} ${sql}`);
  }

  async *batches({ from, to }: TimeRange): AsyncGenerator<Batch> {
    if (from >= to) return;
    let step: Promise<Step> | undefined = this.#read(from, await this.#firstEnd(from, to), to);
    try {
      while (step !== undefined) {
        this.#budget.checkTime();
        const { batch, end, nextEnd }: Step = await step;
        // The database reads the next step while this one is added up.
        step = end < to ? this.#read(end, nextEnd, to) : undefined;
        if (batch.count > 0) yield batch;
      }
      this.#budget.checkTime();
    } finally {
      // Nobody waits for the next step of a query that has ended early.
      step?.catch(() => {});
    }
  }

  async #firstEnd(from: number, to: number): Promise<number> {
    const sql = `SELECT ${this.#endOfStep('$2', '$3')} AS found`;
    const row = await this.#reader.get<{ found: number | null }>(sql, [this.#request.workspaceId, from, to]);
    return stepEnd(row?.found, from, to);
  }

  /** An expression in SQL: the time of the first call after a step that starts at `from`, or NULL. */
  #endOfStep(from: string, to: string): string {
    return `(SELECT created_at FROM call_facts WHERE workspace_id = $1 AND created_at >= ${from} AND created_at < ${to}
      ORDER BY created_at LIMIT 1 OFFSET ${this.#columns.includes('search_values') ? stepCallsWithValues : stepCalls})`;
  }

  async #read(from: number, end: number, to: number): Promise<Step> {
    const [row] = await this.#reader.adHoc.all<Row & { calls: number; next_end: number | null }>(this.#sql, [
      this.#request.workspaceId,
      from,
      end,
      to,
      ...this.#parameters,
    ]);
    const step = { end, nextEnd: stepEnd(row?.next_end, end, to) };
    if (row === undefined || row.calls === 0) return { ...step, batch: new Batch(0, new Map(), new Map()) };
    const columns = new Map(
      this.#columns.map((column, index) => [column, JSON.parse(row[`c${index}`] as string)] as const),
    );
    const stages = new Map(this.#stages.map((stage, index) => [stage, int32s(bytesOf(row[`s${index}`]))] as const));
    return { ...step, batch: new Batch(row.calls, columns, stages) };
  }

  #statement(condition: string): string {
    const { dialect } = this.#reader;
    const names = latencyStages.map(({ name }) => name);
    const inner = [
      '1',
      ...this.#columns.map((column, index) => `${column} AS c${index}`),
      ...this.#stages.map((stage, index) => `${stageSql(names.indexOf(stage))} AS s${index}`),
    ];
    const outer = [
      'count(*) AS calls',
      `${this.#endOfStep('$3', '$4')} AS next_end`,
      ...this.#columns.map((_, index) => `${dialect.values(`c${index}`)} AS c${index}`),
      ...this.#stages.map((_, index) => `${dialect.joinedBytes(`s${index}`)} AS s${index}`),
    ];
    return `SELECT ${outer.join(', ')} FROM (SELECT ${inner.join(', ')} FROM call_facts
      WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3 ${condition} ORDER BY created_at, call_id) AS facts`;
  }
}

/** Calls of one millisecond are never in different steps. */
function stepEnd(found: number | null | undefined, from: number, to: number): number {
  return found === null || found === undefined ? to : Math.max(found, from + 1);
}

/** Parameters start after the workspace, the two ends of a step, and the end of the range. */
const firstFilterParameter = 5;

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
