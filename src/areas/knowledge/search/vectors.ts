import { memo } from '../../../voice/text/memo.ts';
import type { Turn } from './chunk-index.ts';
import { program } from './dot-products.wasm.ts';

/** The 8-bit vectors of the chunks of an index, one after the other, and their lengths: 0 for chunks without one. */
export interface Vectors {
  readonly dimensions: number;
  readonly values: Int8Array;
  readonly norms: Float64Array;
}

/** The part of WebAssembly that is used here; its types belong to those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: DotProducts };
};

/** See dot-products.wat. */
interface DotProducts {
  readonly memory: { readonly buffer: ArrayBuffer };
  dotProducts(vectors: number, count: number, dimensions: number, query: number, sums: number): void;
}

/** In the memory of the program: the query first, then vectors, then a sum for each of them. */
const queryBytes = 16 * 1024;
const vectorBytes = 384 * 1024;
/** Vectors are padded with zeros to whole parts. */
const partBytes = 16;
/** How many bytes of vectors are multiplied before others get a turn: about two milliseconds. */
const bytesPerTurn = 8_000_000;

/** Instantiated once in each thread; its memory holds nothing between two uses. */
const loaded = memo(
  (bytes): DotProducts => new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(bytes, 'base64'))).exports,
);

/** Integers, so that the order of summation makes no difference. */
export function normOf(vector: Int8Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

/** The cosine of each chunk's vector and the query's; NaN for chunks without one. */
export async function semanticScores(vectors: Vectors, query: Int8Array, turn: Turn): Promise<Float64Array> {
  const { dimensions, norms } = vectors;
  const scores = new Float64Array(norms.length).fill(Number.NaN);
  const queryNorm = normOf(query);
  const rowBytes = partBytes * Math.ceil(dimensions / partBytes);
  const rows = Math.floor(vectorBytes / rowBytes);
  let work = 0;
  for (let first = 0; first < norms.length; first += rows) {
    const sums = dotProducts(vectors, query, { first, count: Math.min(rows, norms.length - first), rowBytes });
    for (const [row, sum] of sums.entries()) {
      const norm = norms[first + row] as number;
      if (norm > 0) scores[first + row] = queryNorm === 0 ? 0 : sum / (norm * queryNorm);
    }
    work += rows * rowBytes;
    if (work < bytesPerTurn) continue;
    work = 0;
    await turn();
  }
  return scores;
}

/** The dot products of the query and some of the vectors. */
function dotProducts(
  { dimensions, values }: Vectors,
  query: Int8Array,
  { first, count, rowBytes }: { readonly first: number; readonly count: number; readonly rowBytes: number },
): Int32Array {
  const instance = loaded(program);
  const { buffer } = instance.memory;
  const memory = new Int8Array(buffer, 0, queryBytes + vectorBytes);
  memory.fill(0, 0, rowBytes).set(query);
  if (rowBytes === dimensions) {
    memory.set(values.subarray(first * dimensions, (first + count) * dimensions), queryBytes);
  } else {
    for (let row = 0; row < count; row += 1) {
      const start = queryBytes + row * rowBytes;
      const from = (first + row) * dimensions;
      memory.fill(0, start, start + rowBytes).set(values.subarray(from, from + dimensions), start);
    }
  }
  instance.dotProducts(queryBytes, count, rowBytes, 0, queryBytes + vectorBytes);
  return new Int32Array(buffer, queryBytes + vectorBytes, count);
}
