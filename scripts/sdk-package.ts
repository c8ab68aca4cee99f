/**
 * Packs the SDK as `npm pack` would, with the same bytes for the same source: the service serves the file, and a lock
 * file of npm contains its digest.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

const blockBytes = 512;
/** The time that npm gives to all files of a package: 1985-10-26T08:15:00Z. */
const modifiedAt = 499_162_500;

/** The files of the package by their names, compiled from the source. */
export function sdkPackageFiles(root: string): Map<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agent-sdk-'));
  try {
    const compiler = join(root, 'node_modules', '.bin', 'tsc');
    const options = { encoding: 'utf8' } as const;
    const { status, stdout } = spawnSync(compiler, ['-p', join(root, 'sdk'), '--outDir', folder], options);
    if (status !== 0) throw new Error(`the SDK does not compile: ${stdout}`);
    const compiled = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    // Scripts are for those who build it.
    const { scripts: _, ...description } = JSON.parse(readFileSync(join(root, 'sdk', 'package.json'), 'utf8'));
    const files: [string, Buffer][] = [
      ['package.json', Buffer.from(`${JSON.stringify(description, null, 2)}\n`)],
      ...['LICENSE', 'README.md'].map((name): [string, Buffer] => [name, readFileSync(join(root, 'sdk', name))]),
      ...compiled.map(({ parentPath, name }): [string, Buffer] => {
        const file = join(parentPath, name);
        return [`dist/${relative(folder, file).replaceAll('\\', '/')}`, readFileSync(file)];
      }),
    ];
    return new Map(files.sort(([one], [other]) => (one < other ? -1 : 1)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function packed(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts = [...files].flatMap(([name, content]) => [headerOf(`package/${name}`, content.length), padded(content)]);
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]), { level: 9 });
}

/** Whether two packages have the same content: compressed bytes depend on the version of zlib. */
export function hasSameContent(one: Buffer, other: Buffer): boolean {
  return gunzipSync(one).equals(gunzipSync(other));
}

/** A header of the POSIX ustar format. */
function headerOf(name: string, bytes: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for the package`);
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  header.write(name, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(bytes, 11), 124);
  header.write(octal(modifiedAt, 11), 136);
  // The checksum counts its own field as spaces.
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)]);
}
