import { ProtobufWriter, varintBytes } from './protobuf.ts';

/** Undefined ones are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Span {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  /** Null: it is the root of its trace. */
  readonly parentId: Buffer | null;
  readonly name: string;
  readonly kind: 'internal' | 'client';
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly atMs: number }[];
  readonly isError: boolean;
}

const kinds = { internal: 1, client: 3 };
const errorStatus = 2;
/** Sampled; and it is known that the parent is not of another service. */
const flags = 0x101;
/** What is not content is short: names and ids. */
const maxCharacters = 256;

/** Encodes spans and batches of them as OTLP. */
export class SpanEncoder {
  readonly #writer = new ProtobufWriter();
  readonly #resource: Buffer;
  readonly #scope: Buffer;

  constructor(resource: Attributes, version: string) {
    const writer = this.#writer;
    this.#resource = writer.encode(() => writer.message(1, () => this.#attributes(1, resource)));
    this.#scope = writer.encode(() =>
      writer.message(1, () => {
        writer.string(1, 'voice-agents');
        writer.string(2, version);
      }),
    );
  }

  /** `content`: attributes that may be long. */
  span(span: Span, content: Attributes = {}): Buffer {
    const writer = this.#writer;
    return writer.encode(() =>
      // As an entry of `spans` in a batch.
      writer.message(2, () => {
        writer.bytes(1, span.traceId);
        writer.bytes(2, span.spanId);
        if (span.parentId !== null) writer.bytes(4, span.parentId);
        writer.string(5, span.name.slice(0, maxCharacters).toWellFormed());
        writer.integer(6, kinds[span.kind]);
        writer.fixed64(7, nanoseconds(span.startMs));
        writer.fixed64(8, nanoseconds(Math.max(span.startMs, span.endMs)));
        this.#attributes(9, span.attributes);
        this.#attributes(9, content, Number.POSITIVE_INFINITY);
        for (const { name, atMs } of span.events) {
          writer.message(11, () => {
            writer.fixed64(1, nanoseconds(atMs));
            writer.string(2, name);
          });
        }
        if (span.isError) writer.message(15, () => writer.integer(3, errorStatus));
        writer.fixed32(16, flags);
      }),
    );
  }

  /** The body of a request with these spans. */
  batch(spans: readonly Buffer[]): Buffer {
    const scopeBytes = spans.reduce((sum, { length }) => sum + length, this.#scope.length);
    const scopeHead = head(2, scopeBytes);
    const resourceHead = head(1, this.#resource.length + scopeHead.length + scopeBytes);
    return Buffer.concat([resourceHead, this.#resource, scopeHead, this.#scope, ...spans]);
  }

  #attributes(field: number, attributes: Attributes, max = maxCharacters): void {
    const writer = this.#writer;
    for (const [key, value] of Object.entries(attributes)) {
      if (value === undefined || value === null) continue;
      writer.message(field, () => {
        writer.string(1, key);
        writer.message(2, () => {
          if (typeof value === 'string') writer.string(1, value.slice(0, max).toWellFormed());
          else if (typeof value === 'boolean') writer.integer(2, Number(value));
          else if (Number.isSafeInteger(value) && value >= 0) writer.integer(3, value);
          else writer.double(4, value);
        });
      });
    }
  }
}

/** What a message begins with: its tag and its length. */
function head(field: number, bytes: number): Buffer {
  const writer = Buffer.allocUnsafe(1 + varintBytes(bytes));
  writer[0] = field * 8 + 2;
  let left = bytes;
  for (let at = 1; at < writer.length; at += 1) {
    writer[at] = (left % 128) + (at < writer.length - 1 ? 128 : 0);
    left = Math.floor(left / 128);
  }
  return writer;
}

/** To the microsecond: a double has no more since 1970. */
function nanoseconds(ms: number): bigint {
  return BigInt(Number.isFinite(ms) ? Math.round(Math.max(0, ms) * 1000) : 0) * 1000n;
}
