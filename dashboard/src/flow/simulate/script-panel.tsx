import { Alert, Tooltip } from '@mantine/core';
import { useReducedMotion } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import type { Agent, SimulationReport } from '../../../../sdk/src/index.ts';
import { PlayIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import controls from '../../parts/controls.module.css';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import { useClient } from '../../session/use-session.ts';
import type { Flow } from '../flow.ts';
import { Covered } from './covered.tsx';
import { Playback } from './playback.tsx';
import { RecordChoice } from './record-choice.tsx';
import { Refusal } from './refusal.tsx';
import { readScript } from './script-text.ts';
import classes from './simulate.module.css';
import type { ChangeSimulation, Simulation } from './simulation.ts';
import { simulateTexts } from './texts.ts';
import { addCoverage, coverageOf, framesOf } from './walk.ts';

interface ScriptPanelProps {
  readonly agent: Agent;
  readonly flow: Flow;
  readonly startSkillId: unknown;
  readonly isSaved: boolean;
  readonly simulation: Simulation;
  /** Whether the script is to run at once. */
  readonly isRequested: boolean;
  readonly onStarted: () => void;
  readonly onChange: ChangeSimulation;
  readonly onGo: (position: number, path: string) => void;
}

/** Runs a script, and shows where it goes. */
export function ScriptPanel(props: ScriptPanelProps) {
  const { agent, flow, isSaved, simulation, isRequested, onStarted, onChange } = props;
  const texts = useTexts(simulateTexts);
  const [problem, setProblem] = useState<string | null>(null);
  const [isPlaying, setIsPlaying] = useState(false);
  const hasLessMotion = useReducedMotion();
  const { text, runs, report, frames, place, coverage } = simulation;
  const run = useRun(agent.id, (done) => {
    const walked = framesOf(done, flow, props.startSkillId);
    const last = Math.max(0, walked.length - 1);
    // Who wants less motion sees the end, and goes through it by hand.
    const first = hasLessMotion ? last : 0;
    onChange((now) => ({
      ...now,
      report: done,
      frames: walked,
      place: first,
      coverage: addCoverage(now.coverage, done),
    }));
    setIsPlaying(!hasLessMotion && walked.length > 1);
  });
  const start = () => {
    const read = readScript(text);
    if ('problem' in read) {
      setProblem([texts[`problem_${read.problem}`], read.detail].filter((part) => part !== '').join(' '));
      return;
    }
    setProblem(null);
    run.mutate({ ...read, runs });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a request starts it.
  useEffect(() => {
    if (!isRequested) return;
    onStarted();
    start();
  }, [isRequested]);
  const clear = () => {
    setIsPlaying(false);
    onChange({ ...simulation, report: null, frames: [], place: 0, coverage: null });
  };
  const covered = coverage && coverageOf(flow, coverage);
  return (
    <>
      <RecordChoice
        agent={agent}
        onRecorded={(recorded) => {
          setProblem(null);
          onChange({ ...simulation, text: recorded });
        }}
        onProblem={setProblem}
      />
      <ScriptInput value={text} onChange={(typed) => onChange({ ...simulation, text: typed })} />
      <RunRow
        runs={runs}
        isSaved={isSaved}
        isRunning={run.isPending}
        onRuns={(next) => onChange({ ...simulation, runs: next })}
        onRun={start}
      />
      {problem !== null && (
        <Alert color="red" variant="light" role="alert" py="xs">
          {problem}
        </Alert>
      )}
      {run.error !== null && <Refusal error={run.error} {...props} />}
      {report !== null && <Result report={report} />}
      {covered !== null && (
        <Covered
          {...covered}
          label={texts.coverage(covered.taken, covered.all)}
          hint={texts.coverageHint}
          onClear={clear}
        />
      )}
      {report !== null && (
        <Playback
          frames={frames}
          transcript={report.transcript}
          place={place}
          isPlaying={isPlaying}
          onPlay={setIsPlaying}
          onPlace={(next) => onChange({ ...simulation, place: next })}
        />
      )}
    </>
  );
}

interface ScriptInputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ScriptInput({ value, onChange }: ScriptInputProps) {
  const texts = useTexts(simulateTexts);
  return (
    <div>
      <label className={classes.label} htmlFor="simulation-script">
        {texts.script}
      </label>
      <textarea
        id="simulation-script"
        className={`${controls.input} ${classes.script}`}
        rows={8}
        spellCheck={false}
        placeholder={texts.placeholder}
        aria-describedby="simulation-hint"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <p className={classes.hint} id="simulation-hint">
        {texts.scriptHint}
      </p>
    </div>
  );
}

interface RunRowProps {
  readonly runs: number;
  readonly isSaved: boolean;
  readonly isRunning: boolean;
  readonly onRuns: (runs: number) => void;
  readonly onRun: () => void;
}

const maxRuns = 1000;

/** How often the script runs, and the button that starts it. */
function RunRow({ runs, isSaved, isRunning, onRuns, onRun }: RunRowProps) {
  const texts = useTexts(simulateTexts);
  return (
    <div className={classes.runRow}>
      <label className={classes.runs}>
        {texts.runs}
        <input
          className={controls.input}
          type="number"
          min={1}
          max={maxRuns}
          value={runs}
          onChange={({ currentTarget }) =>
            onRuns(Math.min(maxRuns, Math.max(1, Math.round(Number(currentTarget.value) || 1))))
          }
        />
      </label>
      <Tooltip label={texts.unsaved} disabled={isSaved}>
        <span>
          <GuardedButton
            scope="calls:write"
            leftSection={<PlayIcon size={16} />}
            disabled={!isSaved}
            loading={isRunning}
            onClick={onRun}
          >
            {texts.run}
          </GuardedButton>
        </span>
      </Tooltip>
    </div>
  );
}

interface Attempt {
  readonly script: Parameters<ReturnType<typeof useClient>['simulations']['run']>[0]['script'];
  readonly cassette: Parameters<ReturnType<typeof useClient>['simulations']['run']>[0]['cassette'];
  readonly runs: number;
}

function useRun(agentId: string, onDone: (report: SimulationReport) => void) {
  const client = useClient();
  return useSingleMutation({
    mutationFn: async ({ script, cassette, runs }: Attempt) =>
      await client.simulations.run({
        agentId,
        agentVersion: 'latest',
        script,
        runs,
        // The same script takes the same way each time.
        seed: 1,
        ...(cassette !== undefined && { cassette }),
      }),
    onSuccess: onDone,
  });
}

function Result({ report: { runs, passed, failures } }: { readonly report: SimulationReport }) {
  const texts = useTexts(simulateTexts);
  const [first] = failures;
  const isGood = passed === runs;
  return (
    <div className={classes.result} data-is-good={isGood || undefined} role="status">
      <strong>{isGood ? texts.passed(runs) : texts.failed(runs - passed, runs)}</strong>
      {first !== undefined && (
        <dl>
          <dt>{texts.expected}</dt>
          <dd>
            {texts.step(first.step + 1)}: {first.expected}
          </dd>
          <dt>{texts.saw}</dt>
          <dd>{first.saw}</dd>
        </dl>
      )}
    </div>
  );
}
