import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'the results of tools are not redacted',
    engine: 'sqlite',
    in: 'storedTurn',
    replace: 'redactToolJson(toolCall.result)',
    with: 'toolCall.result',
  },
  {
    about: 'metadata is stored as it was sent',
    engine: 'postgres',
    in: 'newCall',
    replace: 'storedValues(body.metadata, setting)',
    with: 'body.metadata',
  },
  {
    about: 'the working state is not sealed',
    engine: 'sqlite',
    in: 'stateValues',
    replace: '!isSealed(call.dataStorageSetting)',
    with: "!isSealed(call.dataStorageSetting) || call.type === 'chat'",
  },
  {
    about: 'the saved responses of messages are not sealed',
    engine: 'postgres',
    in: 'replyTo.callContent',
    replace: 'isSealed: isSealedCall',
    with: 'isSealed: false',
  },
  {
    about: 'a redaction leaves the events for webhooks as they are',
    engine: 'sqlite',
    in: 'createRemoval.redact',
    statement: 'events.redactCall(',
  },
  {
    about: 'a deletion leaves the saved responses',
    engine: 'sqlite',
    in: 'createRemoval.remove',
    statement: 'removeSavedResponses(',
  },
  {
    about: 'an analysis is stored as the model wrote it',
    engine: 'sqlite',
    in: 'createAnalyses.settle',
    replace: 'calls.stored(result, locked.call.dataStorageSetting)',
    with: 'result',
  },
  {
    about: 'a deletion leaves the analyses',
    engine: 'sqlite',
    in: 'createAnalysisRequests.remove',
    statement: 'store.removeAll(',
  },
];
