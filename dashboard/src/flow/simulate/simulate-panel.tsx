import { ActionIcon, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { Agent } from '../../../../sdk/src/index.ts';
import { CloseIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import type { Flow } from '../flow.ts';
import { ExplorePanel } from './explore-panel.tsx';
import { exploreTexts } from './explore-texts.ts';
import { ScriptPanel } from './script-panel.tsx';
import classes from './simulate.module.css';
import type { ChangeSimulation, Simulation } from './simulation.ts';
import { simulateTexts } from './texts.ts';

interface SimulatePanelProps {
  readonly agent: Agent;
  readonly flow: Flow;
  readonly startSkillId: unknown;
  /** Simulations use what is saved. */
  readonly isSaved: boolean;
  readonly simulation: Simulation;
  readonly onChange: ChangeSimulation;
  readonly onGo: (position: number, path: string) => void;
  /** Null: it stays open. */
  readonly onClose: (() => void) | null;
}

/** Runs a script against the flow, or explores all of it. The canvas shows where it goes. */
export function SimulatePanel(props: SimulatePanelProps) {
  const { simulation, onChange, onClose } = props;
  const texts = useTexts(simulateTexts);
  const exploring = useTexts(exploreTexts);
  const { language } = useLanguage();
  const [isRequested, setIsRequested] = useState(false);
  const isScript = simulation.mode === 'script';
  return (
    <section className={classes.panel} lang={language}>
      <div className={classes.head}>
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={exploring.mode}
          value={simulation.mode}
          onChange={(mode) => onChange({ ...simulation, mode: mode as Simulation['mode'] })}
          data={[
            { value: 'script', label: exploring.script },
            { value: 'explore', label: exploring.explore },
          ]}
        />
        {onClose !== null && (
          <ActionIcon variant="subtle" color="gray" aria-label={texts.close} onClick={onClose}>
            <CloseIcon />
          </ActionIcon>
        )}
      </div>
      <p className={classes.about}>{isScript ? texts.about : exploring.about}</p>
      {isScript ? (
        <ScriptPanel {...props} isRequested={isRequested} onStarted={() => setIsRequested(false)} />
      ) : (
        <ExplorePanel
          {...props}
          explored={simulation.explored}
          onExplored={(explored) => onChange((now) => ({ ...now, explored }))}
          onPlay={(text) => {
            onChange({ ...simulation, mode: 'script', text, runs: 1 });
            setIsRequested(true);
          }}
        />
      )}
    </section>
  );
}
