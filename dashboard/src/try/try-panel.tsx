import { ActionIcon, Alert, Anchor, Button, Loader, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { isRehearsed } from '../calls/call.ts';
import { CallVersion } from '../calls/call-version.tsx';
import { CallIcon, ChatIcon, CloseIcon, NumberIcon, PlusIcon, WarningIcon } from '../icons.tsx';
import { useLanguage, useTexts } from '../language/language.tsx';
import { lazyPart } from '../lazy-page.ts';
import { LazyPart } from '../parts/lazy-part.tsx';
import { useIsCovering } from '../parts/narrow.ts';
import { useClient } from '../session/use-session.ts';
import { isBusy } from './chat.ts';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import spokenClasses from './spoken/spoken.module.css';
import { SpokenView } from './spoken/spoken-view.tsx';
import { spokenTexts } from './spoken/texts.ts';
import { tryTexts } from './texts.ts';
import { TrialOptions } from './trial-options.tsx';
import { useTrialSettings } from './trial-settings.ts';
import classes from './try.module.css';
import { type CallOptions, type TriedAgent, useReportedCall, useTrial } from './try-context.ts';
import { type TriedVersion, useChat } from './use-chat.ts';

const PhoneView = lazyPart(async () => (await import('./phone-view.tsx')).PhoneView);

/** A chat or a call with an agent, next to the page. */
export function TryPanel({ agent }: { readonly agent: TriedAgent }) {
  const { texts: shared } = useLanguage();
  const texts = useTexts(tryTexts);
  const { close } = useTrial();
  const [version, setVersion] = useState<TriedVersion>('latest');
  const [way, setWay] = useWay(agent);
  const [number, setNumber] = useState(0);
  const settings = useTrialSettings(agent.id, version);
  const { options } = settings;
  return (
    <div className={classes.panel}>
      <header className={classes.head}>
        <ChatIcon size={18} />
        <h2 className={classes.title}>{texts.panel(agent.name)}</h2>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={shared.close} onClick={close}>
          <CloseIcon />
        </ActionIcon>
      </header>
      {agent.startSkillId !== undefined && (
        <Text size="xs" c="dimmed" px="md" pb="xs">
          {texts.startsAt(agent.startSkillId)}
        </Text>
      )}
      <VersionChoice agentId={agent.id} version={version} onChoose={setVersion} />
      {way === null ? <FirstChoice onChoose={setWay} /> : <WayChoice way={way} onChoose={setWay} />}
      <TrialOptions settings={settings} />
      {/* A new key is a new conversation. */}
      {way === null ? null : options === null ? (
        <Loader m="auto" size="sm" />
      ) : way === 'phone' ? (
        <LazyPart fallback={<Loader m="auto" size="sm" />}>
          <PhoneView agent={agent} version={version} options={options} />
        </LazyPart>
      ) : way === 'speak' ? (
        <SpokenView key={`${version} ${JSON.stringify(options)}`} agent={agent} version={version} options={options} />
      ) : (
        <ChatView
          key={`${version} ${number} ${JSON.stringify(options)}`}
          agent={agent}
          version={version}
          options={options}
          onNew={() => setNumber((last) => last + 1)}
        />
      )}
    </div>
  );
}

type Way = 'write' | 'speak' | 'phone';

const wayStorageName = 'voice-agents-try-way';

/**
 * The way that was chosen last in this browser. Null: none yet, so that no chat is started for someone who will speak.
 * From a skill of a flow, authors look at what it says first.
 */
function useWay({ startSkillId }: TriedAgent): [Way | null, (way: Way) => void] {
  const [way, setWay] = useState<Way | null>(() => {
    const stored = localStorage.getItem(wayStorageName);
    if (stored === 'write' || stored === 'speak' || stored === 'phone') return stored;
    return startSkillId === undefined ? null : 'write';
  });
  const choose = (chosen: Way) => {
    localStorage.setItem(wayStorageName, chosen);
    setWay(chosen);
  };
  return [way, choose];
}

function FirstChoice({ onChoose }: { readonly onChoose: (way: Way) => void }) {
  const texts = useTexts(spokenTexts);
  const { startChat, callPhone } = useTexts(tryTexts);
  return (
    <div className={spokenClasses.idle}>
      <Text size="sm" c="dimmed">
        {texts.chooseWay}
      </Text>
      <div className={spokenClasses.row}>
        <Button leftSection={<ChatIcon size={16} />} onClick={() => onChoose('write')} data-autofocus>
          {startChat}
        </Button>
        <Button variant="default" leftSection={<CallIcon size={16} />} onClick={() => onChoose('speak')}>
          {texts.makeCall}
        </Button>
        <Button variant="default" leftSection={<NumberIcon size={16} />} onClick={() => onChoose('phone')}>
          {callPhone}
        </Button>
      </div>
    </div>
  );
}

interface WayChoiceProps {
  readonly way: Way;
  readonly onChoose: (way: Way) => void;
}

function WayChoice({ way, onChoose }: WayChoiceProps) {
  const texts = useTexts(spokenTexts);
  const { phone } = useTexts(tryTexts);
  return (
    <div className={classes.version}>
      <SegmentedControl
        size="xs"
        aria-label={texts.way}
        value={way}
        onChange={(chosen) => onChoose(chosen as Way)}
        data={[
          { value: 'write', label: texts.write },
          { value: 'speak', label: texts.speak },
          { value: 'phone', label: phone },
        ]}
      />
    </div>
  );
}

interface VersionChoiceProps {
  readonly agentId: string;
  readonly version: TriedVersion;
  readonly onChoose: (version: TriedVersion) => void;
}

function VersionChoice({ agentId, version, onChoose }: VersionChoiceProps) {
  const texts = useTexts(tryTexts);
  const hasLive = useHasLive(agentId);
  const hint = !hasLive ? texts.liveNone : version === 'latest' ? texts.draftHint : texts.liveHint;
  return (
    <div className={classes.version}>
      <SegmentedControl
        size="xs"
        aria-label={texts.version}
        value={version}
        onChange={(chosen) => onChoose(chosen as TriedVersion)}
        data={[
          { value: 'latest', label: texts.draft },
          { value: 'published', label: texts.live, disabled: !hasLive },
        ]}
      />
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    </div>
  );
}

/** True until it is known that no version has been published. */
function useHasLive(agentId: string): boolean {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['agent-published', agentId],
    // Asking for the published version itself would count as a rejected request if there is none.
    queryFn: async ({ signal }) => {
      const { items } = await client.agents.states.list({ agentId: [agentId] }, { signal });
      return items.some(({ publishedVersion }) => publishedVersion !== null);
    },
  });
  return data ?? true;
}

interface ChatViewProps {
  readonly agent: TriedAgent;
  readonly version: TriedVersion;
  readonly options: CallOptions;
  readonly onNew: () => void;
}

function ChatView({ agent, version, options, onNew }: ChatViewProps) {
  const texts = useTexts(tryTexts);
  const { close } = useTrial();
  const isCovering = useIsCovering();
  const { chat, send, retry, end } = useChat(agent, version, options);
  const { call } = chat;
  const isOpen = call !== null && chat.end === null;
  useReportedCall(isOpen ? call.id : null, chat.entries.length, false);
  return (
    <>
      <div className={classes.actions}>
        <Button size="compact-sm" variant="default" leftSection={<PlusIcon size={14} />} onClick={onNew}>
          {texts.newChat}
        </Button>
        {isOpen && (
          <Button size="compact-sm" variant="default" onClick={end}>
            {texts.end}
          </Button>
        )}
        {call !== null && (
          <span className={classes.call}>
            <CallVersion call={call} />
            <Anchor
              component={Link}
              href={`/calls/${call.id}`}
              size="sm"
              // Otherwise the call would be opened behind the panel.
              onClick={() => isCovering && close()}
            >
              {isCovering && isOpen ? texts.endAndOpenCall : texts.openCall}
            </Anchor>
          </span>
        )}
      </div>
      {call !== null && isRehearsed(call) && (
        <Alert variant="default" icon={<WarningIcon />} py="xs" mx="md" mb="sm">
          {texts.rehearsal}
        </Alert>
      )}
      <Conversation agent={agent} version={version} chat={chat} onRetry={retry} />
      <Composer isBusy={isBusy(chat)} isClosed={!isOpen} isOver={chat.end !== null} onSend={send} />
    </>
  );
}
