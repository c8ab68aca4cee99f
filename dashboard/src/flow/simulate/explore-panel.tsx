import { Alert, Button, Tooltip, UnstyledButton } from '@mantine/core';
import { stringify } from 'yaml';
import type { Agent, Exploration } from '../../../../sdk/src/index.ts';
import { PlayIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { isSame } from '../../pages/agent/values.ts';
import { GuardedButton } from '../../parts/scope-guard.tsx';
import { useSingleMutation } from '../../parts/single-mutation.ts';
import list from '../../parts/step-list.module.css';
import { useClient } from '../../session/use-session.ts';
import type { Flow } from '../flow.ts';
import { nameProblem } from '../problem-names.ts';
import { useFlowTexts } from '../use-flow-texts.ts';
import { Covered } from './covered.tsx';
import { nameFinding, unexplainedRoutes } from './exploration.ts';
import { exploreTexts } from './explore-texts.ts';
import { Refusal } from './refusal.tsx';
import classes from './simulate.module.css';
import type { Simulation } from './simulation.ts';
import { simulateTexts } from './texts.ts';

interface ExplorePanelProps {
  readonly agent: Agent;
  readonly flow: Flow;
  readonly isSaved: boolean;
  readonly explored: Simulation['explored'];
  readonly onExplored: (explored: Simulation['explored']) => void;
  readonly onPlay: (script: string) => void;
  readonly onGo: (position: number, path: string) => void;
}

/** Explores the flow, and says what is wrong with it and which conversations there are. */
export function ExplorePanel({ agent, flow, isSaved, explored, onExplored, onPlay, onGo }: ExplorePanelProps) {
  const texts = useTexts(exploreTexts);
  const shared = useTexts(simulateTexts);
  const client = useClient();
  const explore = useSingleMutation({
    mutationFn: async () => await client.simulations.explore({ agentId: agent.id, agentVersion: 'latest' }),
    onSuccess: (report: Exploration) => onExplored({ report, flow }),
  });
  return (
    <>
      <Tooltip label={shared.unsaved} disabled={isSaved}>
        <div className={classes.start}>
          <GuardedButton
            scope="calls:write"
            leftSection={<PlayIcon size={16} />}
            disabled={!isSaved}
            loading={explore.isPending}
            onClick={() => explore.mutate()}
          >
            {texts.start}
          </GuardedButton>
        </div>
      </Tooltip>
      {explore.error !== null && <Refusal error={explore.error} flow={flow} onGo={onGo} />}
      {explored !== null && (
        <>
          {!isSame(explored.flow, flow) && (
            <Alert color="orange" variant="light" py="xs">
              {texts.changed}
            </Alert>
          )}
          <Covered
            label={texts.coverage(explored.report.coverage.taken, explored.report.coverage.routes)}
            hint={explored.report.isComplete ? texts.coverageHint : texts.incomplete}
            taken={explored.report.coverage.taken}
            all={explored.report.coverage.routes}
            onClear={() => onExplored(null)}
          />
          <Findings
            explored={explored}
            onGo={(skillId, path) => {
              const position = flow.skills.findIndex(({ id }) => id === skillId);
              if (position !== -1) onGo(position, path);
            }}
          />
          <Ends report={explored.report} isSaved={isSaved} onPlay={onPlay} />
        </>
      )}
    </>
  );
}

interface FindingsProps {
  readonly explored: NonNullable<Simulation['explored']>;
  readonly onGo: (skillId: string, path: string) => void;
}

function Findings({ explored: { report, flow }, onGo }: FindingsProps) {
  const texts = useTexts(exploreTexts);
  const flowTexts = useFlowTexts();
  const { texts: shared } = useLanguage();
  const findings = report.findings.map((finding) => nameFinding(flow, finding, flowTexts, texts));
  const untaken = unexplainedRoutes(flow, report);
  return (
    <div role="status">
      <strong className={classes.found} data-is-good={findings.length === 0 || undefined}>
        {findings.length === 0 ? texts.noFindings : texts.findings(findings.length)}
      </strong>
      <ul className={list.problems}>
        {findings.map(({ place, text, at }) => (
          <li key={`${place} ${text}`}>
            <UnstyledButton
              className={list.problem as string}
              disabled={at === null}
              onClick={() => at !== null && onGo(at.skillId, at.path)}
            >
              <strong>{place}</strong>
              {shared.colon}
              {text}
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {untaken.length > 0 && (
        <>
          <strong>{texts.untaken}</strong>
          <ul className={list.problems}>
            {untaken.map(({ skill, path }) => (
              <li key={`${skill.id} ${path}`}>
                <UnstyledButton className={list.problem as string} data-is-warning onClick={() => onGo(skill.id, path)}>
                  {nameProblem(skill, { path, message: '' }, flowTexts, () => '').place}
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface EndsProps {
  readonly report: Exploration;
  readonly isSaved: boolean;
  readonly onPlay: (script: string) => void;
}

/** Each can be watched, and is a script to go on with. */
function Ends({ report: { ends, longestPath }, isSaved, onPlay }: EndsProps) {
  const texts = useTexts(exploreTexts);
  return (
    <div>
      <strong>{ends.length === 0 ? texts.noEnds : texts.ends}</strong>
      <ul className={classes.ends}>
        {ends.map(({ skillId, script }) => (
          <li key={skillId}>
            <span className={classes.end}>{skillId}</span>
            <span className={classes.hint}>{texts.steps(script.steps.length)}</span>
            <Button
              size="compact-xs"
              variant="default"
              leftSection={<PlayIcon size={12} />}
              disabled={!isSaved}
              aria-label={texts.playEnd(skillId)}
              onClick={() => onPlay(stringify(script, { lineWidth: 0 }))}
            >
              {texts.play}
            </Button>
          </li>
        ))}
      </ul>
      <p className={classes.hint}>{texts.longest(longestPath.length)}</p>
    </div>
  );
}
