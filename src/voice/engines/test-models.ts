import type { knowledgeTestModel, testModels } from '../../contract/agents/test-models.ts';
import type { Clock } from '../clock.ts';
import { fixedPhrases } from '../text/fixed-phrases.ts';
import type { Engine, ReplyOutput, ReplyRequest } from './engine.ts';
import { createSimpleEngine, type SimpleReply } from './simple-engine.ts';

/** Test models that know nothing but the conversation. */
export type TestModel = Exclude<(typeof testModels)[number], typeof knowledgeTestModel>;

const slowMs = 3000;

interface TestModelParts {
  readonly model: TestModel;
  /** For `test-script`: one reply per line. */
  readonly prompt: string;
  readonly language: string;
  readonly clock: Clock;
  readonly state?: unknown;
}

export function createTestEngine({ model, prompt, language, clock, state }: TestModelParts): Engine {
  const lines = prompt.split('\n').filter((line) => line.trim() !== '');
  return createSimpleEngine((request, output, position) => {
    switch (model) {
      case 'test-echo':
        say(output, echoOf(request, language));
        return { next: 0 };
      case 'test-slow':
        return sayLater(request, output, language, clock);
      case 'test-script':
        sayLine(output, lines[Math.min(position, lines.length - 1)] ?? '');
        return { next: position + 1 };
      case 'test-silent':
        output.end();
        return { next: 0 };
      case 'test-fail':
        output.failed('test-fail always fails');
        return { next: 0 };
    }
  }, state);
}

function echoOf({ kind, words }: ReplyRequest, language: string): string {
  if (kind === 'reminder') return fixedPhrases(language).reminder;
  return words;
}

function say(output: ReplyOutput, text: string): void {
  output.text(text);
  output.end();
}

function sayLater(request: ReplyRequest, output: ReplyOutput, language: string, clock: Clock): SimpleReply {
  const text = echoOf(request, language);
  if (text === '') {
    output.end();
    return { next: 0 };
  }
  return { next: 0, cancel: clock.after(slowMs, () => say(output, text)) };
}

/** The line `[end]` says nothing and hangs up. */
function sayLine(output: ReplyOutput, line: string): void {
  if (line.trim() === '[end]') output.end({ endCall: true });
  else say(output, line);
}
