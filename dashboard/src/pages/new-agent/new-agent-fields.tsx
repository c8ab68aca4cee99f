import { Alert, Code, UnstyledButton } from '@mantine/core';
import { hasBrowserRecognition } from '../../../../sdk/src/web/recognition.ts';
import { flowIn } from '../../flow/flow.ts';
import { ChevronRightIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { useProviders } from '../../speech/use-voices.ts';
import { primary } from '../../try/spoken/speech-support.ts';
import { AgentFields } from '../agent/agent-fields.tsx';
import type { Issues } from '../agent/checks.ts';
import { engineOf } from '../agent/engines.ts';
import { type FieldName, groupsOf } from '../agent/fields.ts';
import type { Draft } from '../agent/use-draft.ts';
import { isObject, type Values } from '../agent/values.ts';
import { createLanguageNames } from '../agents/language-names.ts';
import classes from './new-agent.module.css';
import { supportOf } from './templates.ts';
import { newAgentTexts } from './texts.ts';

/** What a new agent needs. Everything else is under "Advanced". */
export const firstFields: readonly FieldName[] = [
  'name',
  'language',
  'voiceId',
  'responseEngine.type',
  'responseEngine.prompt',
  'responseEngine.llmWebsocketUrl',
  'beginMessage',
];

/** The command that adds a voice to the service, by language. */
const voiceCommands: Readonly<Record<string, string>> = { ja: 'npx voice-agents speech add ja' };

interface NewAgentFieldsProps {
  readonly draft: Draft;
  readonly issues: Issues;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

export function NewAgentFields({ draft, issues, isOpen, onOpen }: NewAgentFieldsProps) {
  const texts = useTexts(newAgentTexts);
  const { base, values, change } = draft;
  const props = { base, values, issues, isReadOnly: false, onChange: change };
  return (
    <div className={classes.fields}>
      <AgentFields {...props} groups={['basics', 'voice', 'engine']} only={firstFields} isPlain />
      <Talking values={values} />
      <FlowNote values={values} />
      <ServerNote values={values} />
      <div className={classes.advanced}>
        <UnstyledButton
          className={classes.toggle as string}
          aria-expanded={isOpen}
          aria-controls="new-agent-advanced"
          onClick={() => onOpen(!isOpen)}
        >
          <ChevronRightIcon size={16} />
          <span>
            {texts.advanced}
            <span className={classes.hint}>{texts.advancedHint}</span>
          </span>
        </UnstyledButton>
        <div id="new-agent-advanced">
          {isOpen && <AgentFields {...props} groups={Object.values(groupsOf).flat()} except={firstFields} />}
        </div>
      </div>
    </div>
  );
}

/** What to do where the service cannot hear or speak the language. */
function Talking({ values }: { readonly values: Values }) {
  const { language: shown } = useLanguage();
  const texts = useTexts(newAgentTexts);
  const providers = useProviders();
  const language = typeof values.language === 'string' ? values.language : '';
  if (providers.length === 0 || language === '') return null;
  const { speechIn, speechOut } = supportOf(providers, values, hasBrowserRecognition());
  if (speechIn && speechOut) return null;
  const name = createLanguageNames(shown)(primary(language));
  const command = voiceCommands[primary(language)];
  return (
    <Alert variant="light" color="gray" py="xs" role="note">
      {speechOut ? (
        texts.adviceHearing(name)
      ) : command === undefined ? (
        texts.adviceReading(name)
      ) : (
        <>
          {texts.adviceCommand(name)} <Code>{command}</Code>
        </>
      )}
    </Alert>
  );
}

/** The address that the template and the example server share. */
const exampleServer = 'ws://127.0.0.1:9000/llm';
const exampleServerCommand = 'node examples/custom-llm/server.ts';

function ServerNote({ values }: { readonly values: Values }) {
  const texts = useTexts(newAgentTexts);
  if (values['responseEngine.llmWebsocketUrl'] !== exampleServer) return null;
  return (
    <Alert variant="light" color="blue" py="xs" role="note">
      {texts.customServer} <Code>{exampleServerCommand}</Code>
    </Alert>
  );
}

function FlowNote({ values }: { readonly values: Values }) {
  const texts = useTexts(newAgentTexts);
  if (engineOf(values) !== 'conversation_flow') return null;
  const flow = isObject(values.agentSettings) ? flowIn(values.agentSettings) : null;
  const count = flow?.skills.length ?? 0;
  return (
    <Alert variant="light" color="blue" py="xs" title={texts.flow} role="note">
      {count > 0 ? texts.flowOf(count) : texts.emptyFlow}
    </Alert>
  );
}
