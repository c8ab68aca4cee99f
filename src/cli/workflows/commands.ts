import { connectionOptions, type Declaration, jsonOption, lazily, requiredOption } from '../declaration.ts';
import { exitCodeHelp } from '../failures.ts';
import type { Action } from '../resources/action.ts';
import { checkedId } from '../resources/ids.ts';

/** Besides list, get and delete, the versions and the runs. */
export const workflowCommands: readonly (Declaration | Action)[] = [
  {
    name: 'workflows',
    description: 'save and test what happens after a call, and see its runs',
    about: `All commands operate on the workspace of the API key. See docs/workflows.md.

Examples:
  voice-agents workflows test follow-up.yaml --call call_…
  voice-agents workflows push follow-up.yaml
  voice-agents workflows enable wfl_…
  voice-agents workflows runs --workflow wfl_… --status failed
  voice-agents workflows resume wfl_… --since 2026-12-18T09:00:00Z
${exitCodeHelp}`,
  },
  {
    name: 'workflows push <file>',
    description: 'create the workflow of a YAML or JSON file, or update the one with its name',
    options: [
      ['--id <id-or-name>', 'update this workflow, for example to rename it'],
      ['--dry-run', 'show what would change, and save nothing'],
      ['--if-match <etag>', 'only if it still has this ETag (see "get --etag")'],
      jsonOption,
      ...connectionOptions,
    ],
    about: `The file has the fields of workflows.create in the API: name, trigger and steps, and
if you like description and enabled. It may name agents by their names, and phone
numbers as they are dialed. If it has an id, as the output of "get --json" does, the
workflow with this id is updated. Without enabled, that stays as it is; a new workflow
is disabled.

Shows what changes. If somebody else changes the workflow at the same time, nothing is
overwritten, and the exit code is 5.`,
    examples: ['follow-up.yaml', 'follow-up.yaml --dry-run'],
    run: lazily(() => import('./push.ts'), 'pushWorkflow'),
  },
  {
    name: 'workflows test <file>',
    description: 'show for a past call whether a run would start, and what each step would do',
    options: [
      requiredOption('--call <id>', 'a call that is over'),
      ['--mocks <file>', 'a JSON file with responses, by the ids of steps'],
      jsonOption,
      ...connectionOptions,
    ],
    about: `Nothing is sent, stored or created. In place of a file, the id of a saved workflow can
be given. A request is assumed to succeed with an empty body, unless --mocks has a
response for its step: { "crm": { "statusCode": 503 }, "tell": { "error": "timeout" } }.
The exit code is 1 if the run would fail.`,
    examples: ['follow-up.yaml --call call_…', 'wfl_… --call call_… --json'],
    run: lazily(() => import('./test-on-call.ts'), 'testWorkflow'),
  },
  {
    name: 'workflows run <id>',
    description: 'start a run for a past call, whatever the trigger says',
    options: [requiredOption('--call <id>', 'a call that is over')],
    about: `Requests are sent, with new keys. To continue a run that failed, use "workflows resume",
which sends the same requests with the same keys.`,
    examples: ['wfl_… --call call_…'],
    body: ({ call }) => ({ callId: checkedId('call', call) }),
    send: ({ workflows }, [id], body, options) => workflows.runs.create(id, body, options),
    text: async (run, { stdout }) => (await import('./show.ts')).describeRun(run, stdout),
    note: ({ id }) => `See what becomes of it with "voice-agents workflows runs ${id}".\n`,
  },
  {
    name: 'workflows resume <run-or-workflow>',
    description: 'continue a failed run, or all runs of a workflow that failed since a time',
    options: [
      ['--since <time>', 'of a workflow: runs that failed at this time or later'],
      ['--until <time>', 'of a workflow: runs that failed before this time (default: now)'],
      jsonOption,
      ...connectionOptions,
    ],
    about: `A run continues at its failed step, with the same requests and keys: for a receiver that
was down. A workflow is an id or a name; up to 10,000 of its runs continue, the oldest first.`,
    examples: ['run_…', 'wfl_… --since 2026-12-18T09:00:00Z'],
    run: lazily(() => import('./resume.ts'), 'resumeRuns'),
  },
  {
    name: 'workflows cancel <run>',
    description: 'cancel a run; a request that is being sent is the last one',
    examples: ['run_…'],
    send: ({ workflows }, [run], _, options) => workflows.runs.cancel(run, options),
    text: ({ id, status, completedAt }) => `${id} is ${status}, since ${completedAt ?? 'now'}.\n`,
  },
  {
    name: 'workflows enable <id>',
    description: 'enable a workflow; only events from now on start runs',
    send: ({ workflows }, [id], _, options) => workflows.update(id, { enabled: true }, options),
    text: ({ id }) => `${id} is enabled.\n`,
  },
  {
    name: 'workflows disable <id>',
    description: 'start no more runs; open runs go on',
    send: ({ workflows }, [id], _, options) => workflows.update(id, { enabled: false }, options),
    text: ({ id }) => `${id} is disabled. Its open runs go on; cancel them with "voice-agents workflows cancel".\n`,
  },
];
