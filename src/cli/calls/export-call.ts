import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../../../sdk/src/schema.ts';
import type { Agent } from '../../contract/agents/agent.ts';
import { engineFor, needsModel } from '../../voice/engines/choose.ts';
import { cassetteOfCall } from '../../voice/simulation/from-call/cassette.ts';
import { type EndedCall, scriptOfCall } from '../../voice/simulation/from-call/script.ts';
import { writeText } from '../as-code/document.ts';
import { writeInto } from '../as-code/folder.ts';
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import { type CommandContext, print } from '../context.ts';
import { CommandError, explainMissing, invalidUsage, missingTranscript } from '../failures.ts';
import { checkedId } from '../resources/ids.ts';
import { visible } from '../terminal/text.ts';

/** And the filters of `calls list`. */
export interface ExportOptions extends ConnectionOptions {
  readonly out?: string;
  readonly format?: 'jsonl' | 'csv';
  readonly columns?: string;
  /** A file. */
  readonly filter?: string;
  readonly timeZone?: string;
}

/** A call as a script for `voice-agents simulate`, and a cassette with what its model replied. */
export async function exportCall(id: string, options: ExportOptions, context: CommandContext): Promise<void> {
  const { out = '.', profile: _profile, baseUrl: _baseUrl, ...filters } = options;
  if (Object.keys(filters).length > 0)
    throw invalidUsage('a call that is named by its id needs no filters and no format');
  const callId = checkedId('call', id);
  const { client } = await connect(options, context.environment);
  const call = await client.calls.get(callId);
  requireRepeatable(call);
  const { agentId, agentVersion } = call;
  if (agentId === null || agentVersion === null) throw new CommandError('no agent took the call');
  const { turns } = await client.calls.transcript
    .get(callId)
    .catch((error) => explainMissing(error, missingTranscript));
  const agent = (await client.agents.versions.get(agentId, agentVersion)) as unknown as Agent;
  const ended = { ...call, language: agent.language, turns } as unknown as EndedCall;
  const script = scriptOfCall(ended);
  if (script === null) throw new CommandError('the call is too long for a script: it has more than 500 steps');
  const isModelInFlow = engineFor(agent, true) === 'flow' && needsModel(agent);
  const rebuilt = needsModel(agent) && !isModelInFlow ? cassetteOfCall(agent, script, ended) : null;

  await mkdir(out, { recursive: true });
  const scriptFile = `${callId}.yaml`;
  const cassetteFile = `${callId}.cassette.json`;
  await writeInto(out, scriptFile, writeText(script, 'yaml'), false);
  if (rebuilt !== null) await writeInto(out, cassetteFile, `${JSON.stringify(rebuilt.cassette, null, 2)}\n`, false);
  const run = [
    `voice-agents simulate ${join(out, scriptFile)} --version ${agentVersion}`,
    ...(rebuilt === null ? [] : [`--cassette ${join(out, cassetteFile)}`]),
  ].join(' ');
  await print(context.stdout, `${visible(run)}\n`);
  for (const note of notesOf(call, isModelInFlow, rebuilt?.difference ?? null)) context.stderr.write(`Note: ${note}\n`);
}

function requireRepeatable({ status, engine }: Call): void {
  if (status === 'ended' || status === 'error') {
    if (engine !== 'rehearsal') return;
    throw new CommandError('no language model was connected in this call, so there are no replies to repeat');
  }
  const reason = status === 'not_connected' ? 'nobody spoke in this call' : 'the call has not ended yet';
  throw new CommandError(`${reason}: there is nothing to repeat`);
}

function notesOf(
  { isDraft, agentVersion }: Call,
  isModelInFlow: boolean,
  difference: { readonly step: number; readonly expected: string; readonly saw: string } | null,
): string[] {
  return [
    ...(isDraft ? [`the call used a draft, and version ${agentVersion} may have changed since.`] : []),
    ...(isModelInFlow
      ? ['what the language model of a flow understood is not in the transcript, so there is no cassette.']
      : []),
    ...(difference === null
      ? []
      : [
          `the simulation differs from the call in step ${difference.step}: expected ${visible(difference.expected)}, saw ${visible(difference.saw)}`,
        ]),
  ];
}
