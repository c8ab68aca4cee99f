import type { EndReason } from '../contract/calls/end-reasons.ts';
import { maxReplyCharacters, maxToolRounds, type ReplyKind, type ReplyOutput } from './engines/engine.ts';
import type { KnowledgeUse } from './knowledge.ts';
import type { ReplyTimes } from './latency.ts';
import type { RecordedEvent } from './ports.ts';
import { ReplySentences } from './reply-sentences.ts';
import type { SessionParts } from './session-parts.ts';
import type { ResumedTools, SessionTools } from './session-tools.ts';
import type { TurnEvent } from './turn/events.ts';

/** What the replies of a session need from it. */
export interface ReplyHost {
  readonly tools: SessionTools;
  readonly resumedTools: ResumedTools;
  dispatch(event: TurnEvent): void;
  record(event: RecordedEvent): void;
}

/** The replies that a session requests from its engine. Only the text of the newest one is used. */
export class SessionReplies {
  private readonly parts: Pick<SessionParts, 'clock' | 'language' | 'policy' | 'engine' | 'onReplyText'>;
  private readonly host: ReplyHost;
  private cancelReply: () => void = () => {};
  /** The number of the reply whose text is used. */
  private liveTurn = 0;
  /** The searches that the current reply is based on. */
  searches: KnowledgeUse[] = [];
  /** What an engine last reported as failed, for the record of a call that ends by it. */
  failureDetail: string | null = null;
  /** Why the engine has hung up, if it said so. */
  private hangUpReason: string | null = null;

  constructor(parts: SessionParts, host: ReplyHost) {
    this.parts = parts;
    this.host = host;
  }

  request(turn: number, kind: ReplyKind, words: string, times: ReplyTimes) {
    this.liveTurn = turn;
    this.failureDetail = null;
    this.hangUpReason = null;
    this.searches = [];
    const { clock, language, policy } = this.parts;
    const sentences = new ReplySentences(language, policy.isChat ? null : clock, (text, isUninterruptible) => {
      times.firstSentence ??= clock.now();
      this.host.dispatch({ type: 'reply.text', turn, text, isUninterruptible });
    });
    const { resumedTools } = this.host;
    const output = this.outputOf(turn, sentences, times);
    const cancel = this.parts.engine.reply({ turn, kind, words, ...resumedTools.forRequest() }, output);
    this.cancelReply = () => {
      sentences.stop();
      cancel();
    };
  }

  stop() {
    const cancel = this.cancelReply;
    this.cancelReply = () => {};
    this.liveTurn = 0;
    cancel();
  }

  /** Why a call ends, according to its engine. */
  detailOf(reason: EndReason): string | null {
    if (reason === 'agent_hangup') return this.hangUpReason;
    const isEngines = reason === 'llm_failed' || reason === 'llm_connect_failed' || reason === 'internal_error';
    return isEngines ? this.failureDetail : null;
  }

  private outputOf(turn: number, sentences: ReplySentences, times: ReplyTimes): ReplyOutput {
    const { host } = this;
    let characters = 0;
    let toolRounds = 0;
    let runningTools = 0;
    return {
      text: (text, { isUninterruptible = false } = {}) => {
        if (this.liveTurn !== turn || text === '') return;
        times.firstToken ??= this.parts.clock.now();
        if (characters === 0) host.dispatch({ type: 'reply.started', turn });
        // A code point has at most two units: longer text is not counted one by one.
        characters += text.length > 2 * maxReplyCharacters ? text.length : [...text].length;
        if (characters > maxReplyCharacters)
          return this.fail(turn, `the reply is longer than ${maxReplyCharacters} characters`);
        this.parts.onReplyText?.(text);
        sentences.add(text, isUninterruptible);
      },
      tool: (call, onResult) => {
        // A canceled reply takes the result of the tool that is running, and starts no other.
        if (this.liveTurn !== turn) return;
        sentences.flush();
        if (runningTools === 0) toolRounds += 1;
        if (toolRounds > maxToolRounds) return this.fail(turn, 'the reply calls too many tools');
        runningTools += 1;
        host.tools.run(turn, call, (result) => {
          runningTools -= 1;
          onResult(result);
        });
      },
      end: ({ endCall = false, isFinal = false, waitMs = 0, reason } = {}) => {
        if (this.liveTurn === turn) this.hangUpReason = reason ?? null;
        sentences.flush();
        host.dispatch({ type: 'reply.end', turn, endCall, isFinal, waitMs });
      },
      failed: (detail, { isDefect = false } = {}) => {
        if (!isDefect || this.liveTurn !== turn) return this.fail(turn, detail);
        this.failureDetail = detail;
        host.dispatch({ type: 'stop', reason: 'internal_error' });
      },
      warn: (code, message) => host.record({ type: 'warning', code, message }),
      knowledge: (waitedMs, use) => {
        if (this.liveTurn !== turn) return;
        if (times.firstToken === null) times.knowledgeMs = (times.knowledgeMs ?? 0) + waitedMs;
        if (use !== null) this.searches.push(use);
      },
      switched: (from, to) => host.record({ type: 'provider_switched', capability: 'llm', from, to }),
    };
  }

  private fail(turn: number, detail: string) {
    this.failureDetail = detail;
    if (this.liveTurn === turn) this.stop();
    this.host.dispatch({ type: 'reply.failed', turn });
  }
}
