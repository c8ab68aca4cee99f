import { isHighSurrogate, kindOf } from './character-kinds.ts';
import { forcedCut, maxHeldCharacters } from './forced-cut.ts';
import { Sentence } from './sentence.ts';

export interface SentenceSplitter {
  /** Adds text and returns the sentences that are now complete. */
  push(text: string): string[];
  /** Returns the rest and starts again: at the end of a reply, and where it pauses, such as for a tool. */
  end(): string[];
  /** What is held: a sentence that seems to be over, or words that go on. */
  held(): 'nothing' | 'sentence' | 'words';
}

const sentenceEnd = /[.!?。！？．…][\p{Pe}\p{Pf}"'*]*\s*$/u;

/**
 * Splits a reply into sentences while it is generated. The pieces joined are the text, with spaces after the sentence
 * they follow, and do not depend on how the text was divided when it was pushed. A sentence is complete when the first
 * character of the next one has arrived, because a bracket or another mark may still follow its end.
 */
export function createSentenceSplitter(language: string): SentenceSplitter {
  let held = '';
  /** How much of the held text was read. */
  let readTo = 0;
  let sentence = new Sentence();

  function push(added: string): string[] {
    const text = held + added;
    const pieces: string[] = [];
    let start = 0;
    let index = readTo;
    const endAt = (end: number) => {
      pieces.push(text.slice(start, end));
      sentence = new Sentence();
      start = end;
      index = end;
    };
    while (index < text.length) {
      if (index - start >= maxHeldCharacters)
        endAt(start + forcedCut(text.slice(start, index + 1), sentence, language));
      else if (index === text.length - 1 && needsNext(text.charCodeAt(index))) break;
      else if (sentence.endsBefore(text, index, start)) endAt(index);
      else index += 1;
    }
    held = text.slice(start);
    readTo = index - start;
    return pieces;
  }

  function end(): string[] {
    const pieces = held === '' ? [] : [held];
    held = '';
    readTo = 0;
    sentence = new Sentence();
    return pieces;
  }

  const whatIsHeld = () => {
    if (held.trim() === '' || isHighSurrogate(held.charCodeAt(held.length - 1))) return 'nothing';
    return sentenceEnd.test(held) ? 'sentence' : 'words';
  };

  return { push, end, held: whatIsHeld };
}

/** What a character means can depend on its second half, and on the brace after it. */
function needsNext(code: number): boolean {
  return isHighSurrogate(code) || kindOf(code) === 'openBrace';
}
