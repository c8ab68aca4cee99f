import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createExtraction } from '../../../../src/areas/knowledge/extraction/child-extraction.ts';
import type {
  ExtractedDocument,
  ExtractionInput,
  ExtractionResult,
} from '../../../../src/areas/knowledge/extraction/extraction.ts';
import type { PoolLimits } from '../../../../src/workers/pool.ts';

export type Settings = Partial<Omit<ExtractionInput, 'file' | 'name'>>;

/** Extraction in a child process, from files in a folder of the test. */
export function useExtraction(limits: Partial<PoolLimits> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-extraction-'));
  const extraction = createExtraction(limits);
  after(async () => {
    await extraction.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let files = 0;
  const input = (content: string | Uint8Array, name: string, settings: Settings = {}): ExtractionInput => {
    files += 1;
    const file = join(folder, String(files));
    writeFileSync(file, content);
    return { file, name, contentType: null, kind: 'file', language: 'ja', chunkSize: 600, ...settings };
  };
  const extract = (content: string | Uint8Array, name: string, settings: Settings = {}): Promise<ExtractionResult> =>
    extraction.extract('workspace', input(content, name, settings), new AbortController().signal);
  return {
    extraction,
    input,
    extract,
    read: async (...values: Parameters<typeof extract>) => readable(await extract(...values)),
  };
}

export function readable(result: ExtractionResult): ExtractedDocument {
  assert.ok(result.ok, result.ok ? '' : `${result.code}: ${result.message}`);
  return result;
}

/** What a failed document reports, without its message. */
export function codeOf(result: ExtractionResult): string {
  return result.ok ? 'ready' : result.code;
}
