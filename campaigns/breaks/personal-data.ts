import type { Break } from './break.ts';

const storageSetting = 'src/areas/calls/record/storage-setting.ts';
const removal = 'src/areas/calls/lifecycle/removal.ts';

function inFile(file: string, about: string, from: string, to: string, engine: Break['engine'] = 'sqlite'): Break {
  return { campaign: 'personal-data', engine, about, file, from, to };
}

export const breaks: readonly Break[] = [
  inFile(
    storageSetting,
    'the results of tools are not redacted',
    'result: redactToolJson(toolCall.result)',
    'result: toolCall.result',
  ),
  inFile(
    'src/areas/calls/record/call.ts',
    'metadata is stored as it was sent',
    'metadata: storedValues(body.metadata, setting)',
    'metadata: body.metadata',
    'postgres',
  ),
  inFile(
    'src/areas/calls/record/store.ts',
    'the working state is not sealed',
    'if (!isSealed(call.dataStorageSetting)) return [text, null];',
    "if (!isSealed(call.dataStorageSetting) || call.type === 'chat') return [text, null];",
  ),
  inFile(
    'src/areas/calls/channels/text/messages.ts',
    'the saved responses of messages are not sealed',
    'callContent: { callId, isSealed: isSealedCall, isRemoved: isSealedCall && isTerminal(locked.call) }',
    'callContent: { callId, isSealed: isSealedCall && callId === engine, isRemoved: isSealedCall && isTerminal(locked.call) }',
    'postgres',
  ),
  inFile(
    removal,
    'a redaction leaves the events for webhooks as they are',
    '      await events.redactCall(queries, workspaceId, id, (body) => reducedBody(body, to));\n',
    '      void [workspaceId, reducedBody];\n',
  ),
  inFile(
    removal,
    'a deletion leaves the saved responses',
    '      await removeSavedResponses(queries, id, true);\n',
    '',
  ),
  inFile(
    'src/areas/analysis/analyses.ts',
    'an analysis is stored as the model wrote it',
    'const settled = calls.stored(result, held.call.dataStorageSetting);',
    'const settled = result;',
  ),
  inFile(
    'src/areas/analysis/requests.ts',
    'a deletion leaves the analyses',
    '      await store.removeAll(queries, callId);\n',
    '',
  ),
];
