import type { Break } from './break.ts';

const agentEvents = 'src/voice/turn/agent-events.ts';
const floor = 'src/voice/turn/floor.ts';
const idleTimers = 'src/voice/turn/idle-timers.ts';
const listening = 'src/voice/turn/listening.ts';
const lostTransport = 'src/voice/turn/lost-transport.ts';
const machine = 'src/voice/turn/machine.ts';
const overlap = 'src/voice/turn/overlap.ts';
const replies = 'src/voice/turn/replies.ts';
const speech = 'src/voice/turn/speech.ts';

function inFile(file: string, about: string, from: string, to: string): Break {
  return { campaign: 'voice', engine: 'sqlite', about, file, from, to };
}

export const breaks: readonly Break[] = [
  inFile(
    floor,
    'a cough leaves the call in a dead state',
    '      idle.restore(returnTo.deadlines);\n      return;',
    '      return;',
  ),
  inFile(overlap, 'an interruption does not clear the speech', '    this.speech.clear(true);\n', ''),
  inFile(idleTimers, 'reminders go on forever', 'if (this.reminders < reminderMax)', 'if (reminderMax > 0)'),
  inFile(
    floor,
    'sensitivity 0 can be interrupted',
    'policy.isInterruptible && this.endsAfterSpeech',
    'policy !== undefined && this.endsAfterSpeech',
  ),
  inFile(overlap, 'a false interruption does not resume', '    this.speech.resume();\n', ''),
  inFile(machine, 'a call has no maximum duration', "    out.setTimer('max', out.now + maxMs);\n", '    void maxMs;\n'),
  inFile(
    speech,
    'a cleared utterance is committed twice',
    "    if (this.isSettled) this.out.unsetTimer('settle');\n",
    '    if (cleared !== undefined) this.commit(cleared.utterance, cleared.utterance.heard, cleared.isInterrupted);\n',
  ),
  inFile(
    replies,
    'a reply is requested before it is known what was heard',
    'if (this.tools > 0 || !this.speech.isSettled) this.deferred',
    'if (this.tools > 0) this.deferred',
  ),
  inFile(
    replies,
    'a stale reply is spoken',
    'if (reply?.turn !== turn || reply.isEnded || text',
    'if (reply === null || reply.isEnded || text',
  ),
  inFile(machine, 'the caller is never told to wait', '        return this.agent.onLongWait();', '        return;'),
  inFile(
    agentEvents,
    'a reply never times out',
    '    this.parts.replies.cancelLate();\n    this.onReplyFailed();\n',
    '    this.parts.replies.cancelLate();\n',
  ),
  inFile(
    replies,
    'the engine never learns that its reply is heard',
    "    this.out.push({ type: 'reply.accept', turn: this.reply.turn });\n",
    '',
  ),
  inFile(
    floor,
    'the open turn is lost when the call ends',
    '    this.commitCaller();\n    out.unsetTimers(...out.timers.keys());\n',
    '    out.unsetTimers(...out.timers.keys());\n',
  ),
  inFile(
    listening,
    'words over speech that cannot be interrupted are dropped',
    '    return this.words;\n',
    "    this.turn = null;\n    return '';\n",
  ),
  inFile(
    floor,
    'an uninterruptible sentence can be interrupted',
    'speech.current?.isUninterruptible !== true',
    'speech.current !== undefined',
  ),
  inFile(
    floor,
    'a muted agent answers',
    '    if (this.isMuted) {\n      this.commitCaller();\n      return this.enterIdle();\n    }\n    replies.request(request);',
    '    replies.request(request);',
  ),
  inFile(
    listening,
    'backchannels have no maximum',
    'turn.backchannels < backchannel.maxPerTurn',
    'turn.backchannels < 99',
  ),
  inFile(
    overlap,
    'noise holds the agent forever',
    "    this.speech.pause();\n    this.out.setTimer('hold', this.out.now + this.policy().holdMs);\n",
    '    this.speech.pause();\n',
  ),
  inFile(
    speech,
    'a player that stops is waited for',
    "else this.out.setTimer('playback', this.out.now + this.policy().stalledPlaybackMs);",
    "else this.out.unsetTimer('playback');",
  ),
  inFile(
    speech,
    'what was planned is committed instead of what was heard',
    '    const heardText = text.slice(0, heard);',
    '    const heardText = text;',
  ),
  inFile(
    lostTransport,
    'a lost caller is waited for',
    "    this.out.setTimer('lost', this.out.now + this.policy().lostMs);\n",
    '',
  ),
  inFile(
    replies,
    'a reply does not wait for the tool of the one before',
    'if (this.tools > 0 || !this.speech.isSettled) this.deferred',
    'if (!this.speech.isSettled) this.deferred',
  ),
];
