import { Text } from '@mantine/core';
import { Scrollable } from '../../parts/scrollable.tsx';
import { Comparison, useComparison } from './comparison.tsx';
import { useLiveVersion } from './live-version.ts';
import classes from './publish-changes.module.css';
import { effectsOf, isOnlyLayout } from './publish-effects.ts';
import type { StoredAgent } from './stored-agent.ts';
import { useAgentTexts } from './texts.ts';

/** What publishing changes: for callers in words, and in full as a comparison with the live version. */
export function PublishChanges({ stored, isBrief }: { readonly stored: StoredAgent; readonly isBrief: boolean }) {
  const texts = useAgentTexts();
  const live = useLiveVersion(stored.agent);
  if (stored.agent.isPublished || live === undefined) return null;
  if (live === null) return <Text size="sm">{texts.publishFirst}</Text>;
  return <Changes stored={stored} live={live} isBrief={isBrief} />;
}

interface ChangesProps {
  readonly stored: StoredAgent;
  readonly live: number;
  readonly isBrief: boolean;
}

function Changes({ stored: { agent, etag }, live, isBrief }: ChangesProps) {
  const texts = useAgentTexts();
  const versions = { id: agent.id, from: live, to: agent.version, etag };
  const { data } = useComparison(versions);
  const noticed = (data?.differing ?? []).filter(({ name }) => !isOnlyLayout(name, data?.before, data?.after));
  const effects = effectsOf(noticed, texts);
  return (
    <>
      {data !== undefined && (
        <section aria-labelledby="publish-effects">
          <h3 className={classes.title} id="publish-effects">
            {texts.effects}
          </h3>
          {effects.length === 0 ? (
            <Text size="sm">{texts.effectNone}</Text>
          ) : (
            <ul className={classes.effects}>
              {effects.map((effect) => (
                <li key={effect}>{effect}</li>
              ))}
            </ul>
          )}
          <Text size="sm" c="dimmed">
            {texts.publishSwitch(live, agent.version)}
          </Text>
        </section>
      )}
      <details className={classes.details} open={!isBrief}>
        <summary>{texts.compareTitle(live, agent.version)}</summary>
        <Scrollable className={classes.comparison} label={texts.compareTitle(live, agent.version)}>
          <Comparison {...versions} />
        </Scrollable>
      </details>
    </>
  );
}
