import type { Break } from './break.ts';

const machine = 'src/voice/turn/machine.ts';
const speech = 'src/voice/turn/speech.ts';

function inFile(file: string, about: string, from: string, to: string): Break {
  return { campaign: 'voice', engine: 'sqlite', about, file, from, to };
}

export const breaks: readonly Break[] = [
  inFile(
    machine,
    'a cough leaves the call in a dead state',
    '      for (const [name, at] of returnTo.deadlines) this.out.setTimer(name, at);\n      return;',
    '      return;',
  ),
  inFile(
    machine,
    'an interruption does not clear the speech',
    '    this.speech.clear(true);\n    this.dropReply();\n    this.endsAfterSpeech',
    '    this.dropReply();\n    this.endsAfterSpeech',
  ),
  inFile(machine, 'reminders go on forever', 'if (this.reminders < reminderMax)', 'if (reminderMax > 0)'),
  inFile(
    machine,
    'sensitivity 0 can be interrupted',
    'this.policy.isInterruptible && this.endsAfterSpeech',
    'this.endsAfterSpeech',
  ),
  inFile(machine, 'a false interruption does not resume', '    this.speech.resume();\n', ''),
  inFile(
    machine,
    'a call has no maximum duration',
    "    this.out.setTimer('max', this.out.now + maxMs);\n",
    '    void maxMs;\n',
  ),
  inFile(
    speech,
    'a cleared utterance is committed twice',
    '    this.clearing = null;\n    if (this.current',
    '    if (this.current',
  ),
  inFile(
    machine,
    'a stale reply is spoken',
    'if (reply?.turn !== turn || reply.isEnded || text',
    'if (reply === null || reply.isEnded || text',
  ),
  inFile(
    machine,
    'the caller is never told to wait',
    '        return this.sayWaiting(this.policy.language.waitingText);',
    '        return;',
  ),
  inFile(machine, 'a reply never times out', '        return this.onReplyFailed();', '        return;'),
  inFile(
    machine,
    'the engine never learns that its reply is heard',
    "    this.out.push({ type: 'reply.accept', turn: this.reply.turn });\n",
    '',
  ),
  inFile(
    machine,
    'the open turn is lost when the call ends',
    '    this.dropReply();\n    this.commitCaller();\n    for (const name of',
    '    this.dropReply();\n    for (const name of',
  ),
  inFile(
    machine,
    'words over speech that cannot be interrupted are dropped',
    "    return this.caller?.words ?? '';\n  }\n\n  private sayQueued",
    "    this.caller = null;\n    return '';\n  }\n\n  private sayQueued",
  ),
  inFile(
    machine,
    'an uninterruptible sentence can be interrupted',
    'this.speech.current?.isUninterruptible !== true',
    'this.speech.current !== undefined',
  ),
  inFile(
    machine,
    'a muted agent answers',
    '    if (this.isMuted) {\n      this.commitCaller();\n      return this.enterIdle();\n    }\n    this.request(kind, words);',
    '    this.request(kind, words);',
  ),
  inFile(
    machine,
    'backchannels have no maximum',
    'this.caller.backchannels < backchannel.maxPerTurn',
    'this.caller.backchannels < 99',
  ),
  inFile(
    machine,
    'noise holds the agent forever',
    "    this.speech.pause();\n    this.out.setTimer('hold', this.out.now + this.policy.holdMs);\n",
    '    this.speech.pause();\n',
  ),
  inFile(
    speech,
    'a player that stops is waited for',
    "      this.out.setTimer('playback', this.out.now + this.policy().stalledPlaybackMs);",
    "      this.out.unsetTimer('playback');",
  ),
  inFile(
    speech,
    'what was planned is committed instead of what was heard',
    '    const heardText = text.slice(0, heard);',
    '    const heardText = text;',
  ),
  inFile(
    machine,
    'a lost caller is waited for',
    "    this.out.setTimer('lost', this.out.now + this.policy.lostMs);\n",
    '',
  ),
  inFile(
    machine,
    'a reply does not wait for the tool of the one before',
    '    if (this.tools > 0) {\n      this.deferred = { kind, words };\n      return;\n    }\n',
    '',
  ),
];
