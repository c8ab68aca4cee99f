/** A span as a collector has received it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Null: it is the root. */
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: string;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Record<string, string | number | boolean>;
  readonly events: { name: string; atMs: number }[];
  readonly isError: boolean;
  readonly resource: Record<string, string | number | boolean>;
}

type Fields = Map<number, (Buffer | bigint)[]>;

/** Reads the body of an OTLP request with traces, by the numbers of its fields in opentelemetry-proto. */
export function spansIn(body: Buffer): ReceivedSpan[] {
  return messages(fieldsOf(body), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const resourceAttributes = attributesOf(resource ?? new Map(), 1);
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => spanOf(span, resourceAttributes)),
    );
  });
}

function spanOf(span: Fields, resource: ReceivedSpan['resource']): ReceivedSpan {
  const [status] = messages(span, 15);
  return {
    traceId: bytes(span, 1).toString('hex'),
    spanId: bytes(span, 2).toString('hex'),
    parentId: bytes(span, 4).length === 0 ? null : bytes(span, 4).toString('hex'),
    name: bytes(span, 5).toString(),
    kind: ['unspecified', 'internal', 'server', 'client'][number(span, 6)] ?? '',
    startMs: milliseconds(span, 7),
    endMs: milliseconds(span, 8),
    attributes: attributesOf(span, 9),
    events: messages(span, 11).map((event) => ({ name: bytes(event, 2).toString(), atMs: milliseconds(event, 1) })),
    isError: status !== undefined && number(status, 3) === 2,
    resource,
  };
}

function attributesOf(message: Fields, field: number): ReceivedSpan['attributes'] {
  return Object.fromEntries(
    messages(message, field).map((pair) => {
      const [value = new Map()] = messages(pair, 2);
      return [bytes(pair, 1).toString(), attributeValue(value)];
    }),
  );
}

function attributeValue(value: Fields): string | number | boolean {
  if (value.has(1)) return bytes(value, 1).toString();
  if (value.has(2)) return number(value, 2) === 1;
  if (value.has(3)) return number(value, 3);
  const [double] = value.get(4) ?? [];
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE((double as bigint | undefined) ?? 0n);
  return buffer.readDoubleLE();
}

function messages(message: Fields, field: number): Fields[] {
  return (message.get(field) ?? []).map((value) => fieldsOf(value as Buffer));
}

function bytes(message: Fields, field: number): Buffer {
  return (message.get(field)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
}

function number(message: Fields, field: number): number {
  return Number((message.get(field)?.[0] as bigint | undefined) ?? 0n);
}

/** To the microsecond: a double has no more. */
function milliseconds(message: Fields, field: number): number {
  return Number(((message.get(field)?.[0] as bigint | undefined) ?? 0n) / 1000n) / 1000;
}

function fieldsOf(buffer: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const take = (length: number): Buffer => {
    at += length;
    return buffer.subarray(at - length, at);
  };
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = take(1).readUInt8();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const readers: Record<number, () => Buffer | bigint> = {
    0: varint,
    1: () => take(8).readBigUInt64LE(),
    2: () => take(Number(varint())),
    5: () => BigInt(take(4).readUInt32LE()),
  };
  while (at < buffer.length) {
    const tag = Number(varint());
    const read = readers[tag % 8];
    if (read === undefined) throw new Error(`wire type ${tag % 8}`);
    const field = Math.floor(tag / 8);
    fields.set(field, [...(fields.get(field) ?? []), read()]);
  }
  return fields;
}
