import type { Agent } from '../../contract/agents/agent.ts';
import type { Skill } from '../../contract/agents/settings/flow.ts';
import { phoneSettingsOf, toolsOf } from '../engines/agent-parts.ts';
import { engineFor, flowOf } from '../engines/choose.ts';
import { sentencesOf } from '../engines/flow/sentences.ts';
import { backchannelWords } from '../text/acknowledgments.ts';
import { fixedPhrases } from '../text/fixed-phrases.ts';
import { createSentenceSplitter } from '../text/sentences.ts';
import type { TextStage } from '../text/speakable.ts';

/**
 * The sentences that every call of an agent says in the same words, as they are spoken: those of its recording notice,
 * its begin message, its flow and its tools, and of the service itself, as far as they contain no variables.
 */
export function fixedSentences(agent: Agent, newStages: () => readonly TextStage[]): ReadonlySet<string> {
  const spoken = new Set<string>();
  for (const text of textsOf(agent)) {
    const splitter = createSentenceSplitter(agent.language);
    // Some texts are said as a whole.
    for (const sentences of [[text], [...splitter.push(text), ...splitter.end()]]) {
      const stages = newStages();
      for (const sentence of sentences) {
        const result = stages.reduce((current, stage) => (current === '' ? '' : stage(current)), sentence).trim();
        if (result !== '' && !sentence.includes('{{')) spoken.add(result);
      }
    }
  }
  return spoken;
}

function textsOf(agent: Agent): readonly string[] {
  const { language, beginMessage } = agent;
  const { waiting, fallback, reminder, resumed } = fixedPhrases(language);
  const own = sentencesOf(language);
  const words = agent.backchannelWords.length > 0 ? agent.backchannelWords : backchannelWords(language);
  const skills = engineFor(agent, false) === 'flow' ? flowOf(agent).skills : [];
  return [
    phoneSettingsOf(agent).recordingNotice ?? '',
    beginMessage ?? '',
    waiting,
    fallback,
    reminder,
    resumed,
    own.rehearsalOpening,
    own.wrongValue(),
    own.notUnderstood(1),
    own.notUnderstood(2),
    ...words,
    ...toolsOf(agent).flatMap(({ say }) => say),
    ...skills.flatMap(textsOfSkill),
  ].filter((text) => text !== '');
}

function textsOfSkill(skill: Skill): readonly string[] {
  const texts = 'text' in skill && skill.text !== undefined ? [skill.text] : [];
  if ('say' in skill && skill.say !== undefined) texts.push(skill.say);
  if ('retry' in skill && skill.retry?.text !== undefined) texts.push(skill.retry.text);
  return texts;
}
