import { spawn } from 'node:child_process';
import { type CommandContext, print } from '../context.ts';
import { type ConnectionOptions, serviceUrl } from './connection.ts';

/** Some programs keep running as long as the browser does; by then they have found it. */
const maxWaitMs = 2000;

export async function openDashboard(
  options: ConnectionOptions,
  { environment, stdout }: CommandContext,
): Promise<void> {
  const url = new URL('/', await serviceUrl(options, environment)).href;
  const opener = openerFor(process.platform, environment);
  const isOpened = opener !== null && (await starts(opener, url, environment));
  await print(stdout, isOpened ? `Opened ${url}\n` : `Open ${url} in a browser.\n`);
}

/** The program that opens URLs; null if there can be no browser. */
function openerFor(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): readonly string[] | null {
  if (platform === 'darwin') return ['open'];
  // The first argument in quotes is the title of a window.
  if (platform === 'win32') return ['cmd', '/c', 'start', '""'];
  // Without a display, xdg-open would start a browser for terminals, if there is one.
  const hasDisplay = environment.DISPLAY || environment.WAYLAND_DISPLAY || environment.BROWSER;
  return hasDisplay ? ['xdg-open'] : null;
}

function starts(
  [program = '', ...args]: readonly string[],
  url: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore', env: environment });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
    setTimeout(() => resolve(true), maxWaitMs).unref();
    child.unref();
  });
}
