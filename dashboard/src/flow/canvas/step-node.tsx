import { Handle, type Node, type NodeProps, Position } from '@xyflow/react';
import { Fragment } from 'react';
import { StepIcon } from '../step-icons.tsx';
import classes from './canvas.module.css';
import type { CanvasStep } from './canvas-steps.ts';

export interface StepData extends Record<string, unknown> {
  readonly step: CanvasStep;
}

export type StepNode = Node<StepData, 'step'>;

/** A step: what it is called, what it says, and a line for each of its routes. */
export function StepBox({ data: { step }, selected }: NodeProps<StepNode>) {
  const { type, typeName, id, text, badge, isActive, problems, ways } = step;
  const named = problems.map(({ place, text: problem }) => `${place}: ${problem}`).join('\n');
  return (
    <div
      className={classes.node}
      data-type={type}
      data-is-selected={selected || undefined}
      data-is-active={isActive || undefined}
      data-is-invalid={problems.length > 0 || undefined}
      title={named === '' ? undefined : named}
    >
      <Handle
        type="target"
        position={Position.Left}
        className={`target ${classes.target}`}
        isConnectableStart={false}
      />
      <div className={classes.head}>
        <span className={classes.sign}>
          <StepIcon type={type} size={14} />
        </span>
        <span className={classes.id}>{id}</span>
        {badge !== null && <span className={classes.badge}>{badge}</span>}
        {problems.length > 0 && <span className={classes.problem}>{problems.length}</span>}
        <span className={classes.type}>{typeName}</span>
      </div>
      <div className={classes.text}>
        <span>{text}</span>
      </div>
      {ways.map((way) => (
        <div
          key={way.path}
          className={classes.way}
          data-is-invalid={way.problem !== null || undefined}
          data-is-taken={way.taken === null ? undefined : way.taken > 0}
        >
          <span>{way.problem ?? way.label}</span>
          <Handle type="source" id={way.path} position={Position.Right} className={classes.source as string} />
        </div>
      ))}
      <div className={classes.far} aria-hidden="true">
        <span>
          {id.split('_').map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts are in their order.
            <Fragment key={index}>
              {index > 0 && (
                <>
                  _<wbr />
                </>
              )}
              {part}
            </Fragment>
          ))}
        </span>
      </div>
    </div>
  );
}
