import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startObjectStorage } from '../test/support/object-storage.ts';
import { benchFolder, node } from './processes.ts';
import { median } from './statistics.ts';
import { atMost, type Target } from './targets.ts';

const minutes = 10;
const rate = 16_000;
const rounds = 5;

/** From the end of a recording in the spool to the object, with s3rver in the process of the benchmark. */
export async function measureUploads(): Promise<readonly Target[]> {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-bench-upload-'));
  const storage = await startObjectStorage();
  try {
    mkdirSync(join(folder, 'pieces'));
    const name = 'pieces/ws_1.call_1.1.wav';
    // Sound that no compression on the way would make smaller.
    const sound = randomBytes(44 + minutes * 60 * rate * 4);
    const runs: { ms: number; memoryBytes: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      writeFileSync(join(folder, name), sound);
      const args = [
        '--expose-gc',
        join(benchFolder, 'upload-process.ts'),
        folder,
        name,
        JSON.stringify(storage.config),
      ];
      const { stdout } = await promisify(execFile)(node, args);
      runs.push(JSON.parse(stdout));
    }
    const upload = median(runs.map(({ ms }) => ms / 1000));
    const memory = median(runs.map(({ memoryBytes }) => memoryBytes / 1e6));
    return [
      atMost(
        'upload of a recording of 10 minutes after its end',
        upload * 1000,
        10_000,
        'ms',
        'to s3rver on this machine',
      ),
      atMost('memory for it', memory, 20, 'MB'),
    ];
  } finally {
    await storage.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
