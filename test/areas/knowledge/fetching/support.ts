import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createGuard, type Guard } from '../../../../src/net/guard.ts';
import { AllowedNetworks } from '../../../../src/net/networks.ts';
import { createMediaStore, type MediaStore } from '../../../../src/storage/media.ts';
import { httpReceiver } from '../../../support/receiver.ts';

/** A website on this machine, which the guard allows. */
export async function website(listener: RequestListener): Promise<string> {
  const { port } = await httpReceiver(listener);
  return `http://127.0.0.1:${port}`;
}

export function testGuard(): Guard {
  const guard = createGuard({ allowedNetworks: new AllowedNetworks(['127.0.0.0/8']) });
  after(() => guard.close());
  return guard;
}

export function testMedia(): MediaStore {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-media-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return createMediaStore(folder);
}

export async function contentOf(media: MediaStore, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of media.read(name)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
