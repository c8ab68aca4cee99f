import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Call } from '../../../../sdk/src/index.ts';
import { notAppliedEngineTexts, notAppliedTexts, notAppliedUsedTexts } from '../../calls/call-texts.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { labelOf } from '../agent/field-texts.ts';
import { placeOf } from '../agent/fields.ts';
import { hrefOf } from '../agent/tabs.ts';
import classes from './call.module.css';
import { callPageTexts } from './texts.ts';

type Entry = Call['notApplied'][number];

/** The settings of the agent that had no effect: why, and what was used instead. */
export function NotApplied({ call }: { readonly call: Call }) {
  const texts = useTexts(callPageTexts);
  const words = useTexts(notAppliedUsedTexts);
  const sentenceOf = useSentence(call);
  const { language } = useLanguage();
  if (call.notApplied.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.notAppliedNone}
      </Text>
    );
  }
  return (
    <ul className={classes.notApplied}>
      {call.notApplied.map((entry) => {
        const { field, reason } = entry;
        return (
          <li key={`${field} ${reason}`}>
            <strong title={field}>{labelOf(field, language)}</strong>
            <span>
              {sentenceOf(entry)}{' '}
              {field === 'voiceId' && call.agentId !== null && (
                <Anchor
                  component={Link}
                  href={`${hrefOf(call.agentId, 'voice')}#${placeOf('voiceId')}`}
                  inherit
                  underline="always"
                >
                  {words.chooseVoice}
                </Anchor>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function useSentence({ usage }: Call): (entry: Entry) => string {
  const reasons = useTexts(notAppliedTexts);
  const ofEngine = useTexts(notAppliedEngineTexts);
  const words = useTexts(notAppliedUsedTexts);
  const { provider } = usage.tts;
  return ({ field, reason, used }) => {
    if (field === 'voiceId' && reason === 'not_supported') {
      if (used !== undefined) return words.voice(used);
      return provider === null ? words.voiceUnknown : words.voiceOf(provider);
    }
    if (used !== undefined && reason === 'clamped') return words.clamped(used);
    if (used !== undefined && reason === 'not_supported') return words.other(used);
    return (field === 'responseEngine' && ofEngine[reason]) || reasons[reason];
  };
}
