import { RE2JS } from 're2js';
import type { Agent } from '../../contract/agents/agent.ts';

type Rule = NonNullable<Agent['pronunciationDictionary']>[number];

/** Rules can feed each other, and a thousand of them could turn a word into gigabytes: no rule goes beyond this. */
const maxCharacters = 10_000;

/**
 * The rules as one function: in order, each once, on what the rules before it left. `replace` is text to speak, so `$1`
 * has no special meaning in it. The function has no state: compile once per call, or once for all calls of a version.
 * A pattern that does not compile is left out and reported.
 */
export function compilePronunciation(
  rules: readonly Rule[],
  onInvalid: (index: number) => void = () => {},
): (text: string) => string {
  const steps = rules.flatMap((rule, index) => {
    try {
      return [rule.isRegex === true ? patternStep(rule) : plainStep(rule)];
    } catch {
      onInvalid(index);
      return [];
    }
  });
  return (text) => steps.reduce((current, step) => step(current), text);
}

function plainStep({ find, replace }: Rule): (text: string) => string {
  const growth = replace.length - find.length;
  return (text) => {
    if (find === '' || !text.includes(find)) return text;
    const parts = text.split(find);
    return text.length + (parts.length - 1) * growth > maxCharacters && growth > 0 ? text : parts.join(replace);
  };
}

/** Empty matches are skipped: a pattern such as `x*` must not insert its replacement between all characters. */
function patternStep({ find, replace }: Rule): (text: string) => string {
  const pattern = RE2JS.compile(find);
  return (text) => {
    const matcher = pattern.matcher(text);
    let result = '';
    let position = 0;
    while (matcher.find()) {
      if (matcher.end() === matcher.start()) continue;
      result += text.slice(position, matcher.start()) + replace;
      position = matcher.end();
      if (result.length > Math.max(maxCharacters, text.length)) return text;
    }
    return position === 0 ? text : result + text.slice(position);
  };
}
