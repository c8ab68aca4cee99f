import { Alert, Anchor, Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ConcurrencyLimitError } from '../../../../sdk/src/index.ts';
import { WebCallError } from '../../../../sdk/src/web/index.ts';
import { endReasonTexts } from '../../calls/call-texts.ts';
import { CallVersion } from '../../calls/call-version.tsx';
import { Bubble, TurnLine } from '../../calls/turn-line.tsx';
import { CallIcon, PlusIcon, WarningIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { useIsCovering } from '../../parts/narrow.ts';
import { speechTexts } from '../../speech/texts.ts';
import { Composer } from '../composer.tsx';
import { Failure, useStickyEnd } from '../conversation.tsx';
import { tryTexts } from '../texts.ts';
import classes from '../try.module.css';
import { type CallOptions, type TriedAgent, useReportedCall, useTrial } from '../try-context.ts';
import type { TriedVersion } from '../use-chat.ts';
import { MissingSpeech } from './missing-speech.tsx';
import spokenClasses from './spoken.module.css';
import type { Line, SpokenCall } from './spoken-call.ts';
import { SpokenStatus } from './spoken-status.tsx';
import { spokenErrorTexts, spokenTexts } from './texts.ts';
import { useSpeechSupport } from './use-speech-support.ts';
import { useSpokenCall } from './use-spoken-call.ts';

/** Failures of the microphone: the call also works without one. */
const microphoneCodes: readonly string[] = ['microphone_denied', 'no_microphone', 'microphone_failed'];

interface SpokenViewProps {
  readonly agent: TriedAgent;
  readonly version: TriedVersion;
  readonly options: CallOptions;
}

/** A spoken call with an agent. */
export function SpokenView({ agent, version, options }: SpokenViewProps) {
  const texts = useTexts(spokenTexts);
  const shared = useTexts(tryTexts);
  const { close } = useTrial();
  const isCovering = useIsCovering();
  const { settings, support, replaced } = useSpeechSupport(agent.id, version);
  const { spoken, start, send, mute, end, onLevel } = useSpokenCall(agent, version, options);
  const { call, phase, problem, capabilities } = spoken;
  useReportedCall(phase === 'open' && call !== null ? call.id : null, spoken.lines.length, true);
  const recognition = settings?.sttProvider === 'browser' ? 'browser' : 'service';
  const begin = (microphone = true) => start({ microphone, recognition });
  return (
    <>
      {phase !== 'idle' && (
        <div className={classes.actions}>
          {phase === 'ended' && (
            <Button size="compact-sm" variant="default" leftSection={<PlusIcon size={14} />} onClick={() => begin()}>
              {texts.again}
            </Button>
          )}
          {phase === 'open' && (
            <Button size="compact-sm" variant="default" onClick={end}>
              {shared.end}
            </Button>
          )}
          {call !== null && (
            <span className={classes.call}>
              <CallVersion call={call} />
              <Anchor component={Link} href={`/calls/${call.id}`} size="sm" onClick={() => isCovering && close()}>
                {isCovering && phase === 'open' ? shared.endAndOpenCall : shared.openCall}
              </Anchor>
            </span>
          )}
        </div>
      )}
      {phase === 'idle' && settings !== null && support !== null && (
        <MissingSpeech
          support={support}
          settings={settings}
          onType={spoken.failure === null ? () => begin(false) : null}
        />
      )}
      {phase === 'open' && settings !== null && capabilities !== null && (
        <MissingSpeech
          // With the browser's recognition, the service need not hear.
          support={{ ...capabilities, speechIn: capabilities.speechIn || recognition === 'browser', unknown: [] }}
          settings={settings}
          isRecorded={capabilities.recording}
        />
      )}
      {phase !== 'ended' && settings !== null && replaced !== null && (
        <ReplacedVoice agentId={agent.id} wanted={settings.voiceId} used={replaced} />
      )}
      <SpokenLog
        agent={agent}
        version={version}
        spoken={spoken}
        isBrowser={recognition === 'browser'}
        isHeard={support?.speechIn ?? true}
        onStart={begin}
      />
      {problem !== null && <Problem problem={problem} />}
      {phase === 'open' && <SpokenStatus spoken={spoken} onMute={mute} onLevel={onLevel} />}
      {phase === 'open' && <Composer isBusy={false} isClosed={false} onSend={send} />}
    </>
  );
}

interface ReplacedVoiceProps {
  readonly agentId: string;
  readonly wanted: string;
  readonly used: string;
}

/** Where the editor is open already, its address does not say so again. */
async function focusVoice(): Promise<void> {
  const { focusAt } = await import('../../pages/agent/focus-at.ts');
  focusAt('voiceId');
}

/** With the way to the field that has the voices to choose from. */
function ReplacedVoice({ agentId, wanted, used }: ReplacedVoiceProps) {
  const texts = useTexts(speechTexts);
  const { close } = useTrial();
  const isCovering = useIsCovering();
  return (
    <Alert variant="default" icon={<WarningIcon />} py="xs" mx="md" mb="sm" role="note">
      <Text size="sm">{texts.replaced(wanted, used)}</Text>
      <Anchor
        component={Link}
        href={`/agents/${agentId}/voice#field-voiceId`}
        size="sm"
        onClick={() => {
          if (isCovering) close();
          void focusVoice();
        }}
      >
        {texts.chooseVoice}
      </Anchor>
    </Alert>
  );
}

interface SpokenLogProps extends Pick<SpokenViewProps, 'agent' | 'version'> {
  readonly spoken: SpokenCall;
  readonly isBrowser: boolean;
  /** Whether anything recognizes what is said. */
  readonly isHeard: boolean;
  readonly onStart: (microphone?: boolean) => void;
}

function SpokenLog({ agent, version, spoken, isBrowser, isHeard, onStart }: SpokenLogProps) {
  const texts = useTexts(spokenTexts);
  const { transcript } = useTexts(tryTexts);
  const log = useStickyEnd(spoken);
  const { phase, lines, failure, end } = spoken;
  return (
    <div
      ref={log}
      className={classes.log}
      role="log"
      aria-label={transcript}
      aria-busy={phase === 'joining'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need to scroll it.
      tabIndex={0}
    >
      {phase === 'idle' && failure === null && (
        <div className={spokenClasses.idle}>
          {isHeard && (
            <Text size="sm" c="dimmed">
              {texts.hint}
            </Text>
          )}
          {isBrowser && (
            <Text size="sm" c="dimmed">
              {texts.recognitionHint}
            </Text>
          )}
          <Button leftSection={<CallIcon size={16} />} onClick={() => onStart()}>
            {texts.start}
          </Button>
        </div>
      )}
      {phase === 'joining' && (
        <Text size="sm" c="dimmed" ta="center" py="lg">
          {texts.joining}
        </Text>
      )}
      {phase === 'idle' && failure !== null && (
        <NotStarted agent={agent} version={version} error={failure} onStart={onStart} />
      )}
      {lines.map((line) => (
        <SpokenLine key={line.turn} line={line} />
      ))}
      {end !== null && <SpokenClosing end={end} />}
    </div>
  );
}

function SpokenLine({ line: { completed, role, text, isFinal } }: { readonly line: Line }) {
  if (completed !== null) return <TurnLine turn={completed} />;
  return (
    <div className={isFinal ? undefined : spokenClasses.open}>
      <Bubble speaker={role}>{text}</Bubble>
    </div>
  );
}

function SpokenClosing({ end: { reason } }: { readonly end: NonNullable<SpokenCall['end']> }) {
  const texts = useTexts(spokenTexts);
  const { hungUp } = useTexts(tryTexts);
  const reasons = useTexts(endReasonTexts);
  const text =
    reason === 'agent_hangup'
      ? hungUp
      : reason === 'caller_hangup'
        ? texts.endedHere
        : reason === null
          ? texts.endedPlain
          : texts.endedBecause(reasons[reason]);
  return <div className={classes.closing}>{text}</div>;
}

interface NotStartedProps extends Pick<SpokenViewProps, 'agent' | 'version'> {
  readonly error: Error;
  readonly onStart: (microphone?: boolean) => void;
}

function NotStarted({ agent, version, error, onStart }: NotStartedProps) {
  const texts = useTexts(spokenTexts);
  const errors = useTexts(spokenErrorTexts);
  const { retry } = useTexts(tryTexts);
  const isFull = error instanceof ConcurrencyLimitError;
  if (!(error instanceof WebCallError || isFull)) {
    // Not "the chat could not be started".
    return <Failure agent={agent} version={version} error={error} hasStarted onRetry={() => onStart()} />;
  }
  return (
    <div className={classes.failure} role="alert">
      <Text size="sm">{isFull ? texts.failedFull : errors[error.code]}</Text>
      <div className={spokenClasses.row}>
        <Button size="compact-sm" variant="default" onClick={() => onStart()}>
          {retry}
        </Button>
        {!isFull && microphoneCodes.includes(error.code) && (
          <Button size="compact-sm" variant="default" onClick={() => onStart(false)}>
            {texts.startTyping}
          </Button>
        )}
      </div>
    </div>
  );
}

function Problem({ problem }: { readonly problem: WebCallError }) {
  const errors = useTexts(spokenErrorTexts);
  return (
    <Alert role="alert" variant="default" icon={<WarningIcon />} py="xs" mx="md" my="xs">
      {errors[problem.code]}
    </Alert>
  );
}
