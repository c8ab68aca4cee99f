import { Alert, Button } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Agent, AgentCheck } from '../../../sdk/src/index.ts';
import { WorkflowIcon } from '../icons.tsx';
import { placeOf } from '../pages/agent/fields.ts';
import { hrefOf } from '../pages/agent/tabs.ts';
import { isObject, type Values } from '../pages/agent/values.ts';
import { roundedPath } from './canvas/rounded-path.ts';
import classes from './flow.module.css';
import { type Flow, flowIn, startOf } from './flow.ts';
import { boundsOf, boxesOf } from './layout/geometry.ts';
import { layoutRequestOf } from './layout/request.ts';
import { useLayout } from './layout/use-layout.ts';
import { ProblemList } from './problem-list.tsx';
import { useFindings } from './use-findings.ts';
import { useFlowTexts } from './use-flow-texts.ts';

interface FlowPreviewProps {
  readonly agent: Agent;
  readonly base: Values;
  readonly values: Values;
  /** What the service has found in the saved draft. */
  readonly check: AgentCheck | null;
  /** Shows a place of the agent. */
  readonly onGo: (path: string) => void;
}

/** The flow in the form of the agent: what it looks like, what is wrong, and the way to its editor. */
export function FlowPreview(props: FlowPreviewProps) {
  const texts = useFlowTexts();
  const { agent, values } = props;
  const settings = isObject(values.agentSettings) ? values.agentSettings : {};
  const flow = flowIn(settings);
  const isBroken =
    (flow === null && settings.flow !== undefined) ||
    (values.agentSettings !== undefined && !isObject(values.agentSettings));
  const count = flow?.skills.length ?? 0;
  return (
    <section className={classes.field} id={placeOf('agentSettings.flow')} tabIndex={-1} aria-labelledby="flow-title">
      <div className={classes.previewHead}>
        <div>
          <h2 className={classes.previewTitle} id="flow-title">
            {texts.title}
            {count > 0 && <span className={classes.previewCount}>{texts.stepCount(count)}</span>}
          </h2>
          <p className={classes.previewAbout}>{count === 0 ? texts.previewNone : texts.previewAbout}</p>
        </div>
        <Button component={Link} href={hrefOf(agent.id, 'flow')} leftSection={<WorkflowIcon size={16} />}>
          {texts.open}
        </Button>
      </div>
      {isBroken && (
        <Alert color="orange" variant="light" m="md">
          {texts.unreadable}
        </Alert>
      )}
      {flow !== null && count > 0 && <Content {...props} flow={flow} />}
    </section>
  );
}

function Content({ flow, onGo, ...props }: FlowPreviewProps & { readonly flow: Flow }) {
  const findings = useFindings({ flow, ...props });
  return (
    <>
      <FlowMap agentId={props.agent.id} flow={flow} start={startOf(flow, props.values.startSkillId)} />
      {findings.length > 0 && (
        <div className={classes.previewProblems}>
          <ProblemList
            flow={flow}
            findings={findings}
            onGo={(position, path) => onGo(`agentSettings.flow.skills.${position}${path === '' ? '' : `.${path}`}`)}
          />
        </div>
      )}
    </>
  );
}

const margin = 24;

/** A picture: everything in it is in the editor. */
function FlowMap({ agentId, flow, start }: { readonly agentId: string; readonly flow: Flow; readonly start: number }) {
  const texts = useFlowTexts();
  const request = useMemo(() => layoutRequestOf(flow, start), [flow, start]);
  const ids = useMemo(() => flow.skills.map(({ id }) => id), [flow]);
  const { places, edges } = useLayout(request, ids);
  const shown = places.map((place) => place ?? { x: 0, y: 0 });
  const boxes = boxesOf(request.nodes, shown);
  const bounds = boundsOf(boxes);
  const isThere = places.some((place) => place !== null);
  return (
    <div className={classes.map}>
      {isThere && (
        <svg
          viewBox={`${bounds.x - margin} ${bounds.y - margin} ${bounds.width + 2 * margin} ${bounds.height + 2 * margin}`}
          aria-hidden="true"
        >
          {Object.entries(edges).map(([id, points]) => (
            <path key={id} d={roundedPath(points)} className={classes.mapEdge} />
          ))}
          {boxes.map(({ x, y, width, height }, position) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: ids of a draft may not be unique.
            <g key={position} className={classes.mapStep} data-type={flow.skills[position]?.type}>
              <rect x={x} y={y} width={width} height={height} rx="12" />
              <text x={x + width / 2} y={y + height / 2}>
                {shortened(ids[position] ?? '')}
              </text>
            </g>
          ))}
        </svg>
      )}
      <Link
        href={hrefOf(agentId, 'flow')}
        className={classes.mapLink as string}
        aria-label={`${texts.open}: ${texts.map(ids.length)}`}
      />
    </div>
  );
}

const maxLetters = 13;

function shortened(id: string): string {
  return id.length > maxLetters ? `${id.slice(0, maxLetters - 1)}…` : id;
}
