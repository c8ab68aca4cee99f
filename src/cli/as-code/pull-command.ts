import type { CommandContext } from '../context.ts';
import { exitCodes } from '../failures.ts';
import { createProgress } from '../terminal/progress.ts';
import { readFolder, withLockedFolder } from './folder.ts';
import { followRenamedFiles } from './matching.ts';
import type { PullCommandOptions } from './options.ts';
import { pullInto } from './pull.ts';
import { describePulled } from './report.ts';
import { readState } from './state.ts';
import { listAgents, openWorkspace, withTags } from './workspace.ts';

export async function runPull(path: string, options: PullCommandOptions, context: CommandContext): Promise<void> {
  const { environment, stdout, stderr, setExitCode } = context;
  const workspace = await openWorkspace(options, environment);
  const { client } = workspace;
  const progress = createProgress('Pulling', stderr);
  await withLockedFolder(path, async () => {
    const folderState = await readState(path);
    const state = folderState.of(workspace.service, workspace.id);
    const agents = await listAgents(client);
    try {
      const seen = await withTags(client, agents, state, () => true, progress.show);
      const folder = await readFolder(path);
      followRenamedFiles(state, folder.files, seen);
      const { format = null, full = false, force = false } = options;
      const files = await pullInto(folder, state, seen, { format, isFull: full, isForced: force });
      progress.end();
      const { service, id, name } = workspace;
      stdout.write(
        options.json
          ? `${JSON.stringify({ workspace: { service, id, name }, files })}\n`
          : describePulled(files, workspace, path, stdout),
      );
      if (files.some(({ result }) => result === 'conflict')) setExitCode(exitCodes.conflict);
    } finally {
      progress.end();
      await folderState.save();
    }
  });
}
