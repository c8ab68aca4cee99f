import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AgentDiff } from '../../../../sdk/src/index.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { PageSkeleton } from '../../parts/page-skeleton.tsx';
import { useClient } from '../../session/use-session.ts';
import sides from './compared-value.module.css';
import { FieldTitle, isLineWise, SideBySide, ValueBox } from './compared-value.tsx';
import { type Field, fields } from './fields.ts';
import { useAgentTexts } from './texts.ts';
import { type Values, valuesOf } from './values.ts';
import classes from './versions.module.css';

interface ComparisonProps {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** The ETag of the latest version, because a draft changes without a new version number. */
  readonly etag: string;
}

export function useComparison({ id, from, to, etag }: ComparisonProps) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['agent-diff', id, from, to, etag],
    queryFn: async ({ signal }) => {
      const [diff, before, after] = await Promise.all([
        client.agents.diff(id, { from, to }, { signal }),
        client.agents.versions.get(id, from, { signal }),
        client.agents.versions.get(id, to, { signal }),
      ]);
      return { differing: differingFields(diff), before: valuesOf(before), after: valuesOf(after) };
    },
  });
  return { data, error, refetch };
}

/** The differences between two versions, as returned by the service. */
export function Comparison(props: ComparisonProps) {
  const texts = useAgentTexts();
  const { from, to } = props;
  const { data, error, refetch } = useComparison(props);
  if (data === undefined) return error === null ? <PageSkeleton /> : <ErrorState error={error} onRetry={refetch} />;
  const { differing } = data;
  if (differing.length === 0) return <Text c="dimmed">{texts.compareSame}</Text>;
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {texts.differences(differing.length)}
      </Text>
      <div className={classes.compareHead}>
        <span>{texts.version(from)}</span>
        <span>{texts.version(to)}</span>
      </div>
      {differing.map((field) => (
        <Difference key={field.name} field={field} before={data.before} after={data.after} />
      ))}
    </>
  );
}

/** A change at `/responseEngine/model` belongs to `responseEngine.model`; a deeper one belongs to its field. */
function differingFields({ changes }: AgentDiff): readonly Field[] {
  const paths = changes.map(({ path }) => path.slice(1).split('/'));
  return fields.filter(({ name }) => {
    // Each version has its own.
    if (name === 'versionDescription') return false;
    const names = name.split('.');
    return paths.some((path) => names.every((part, index) => path[index] === part));
  });
}

function Difference({
  field,
  before,
  after,
}: {
  readonly field: Field;
  readonly before: Values;
  readonly after: Values;
}) {
  const [was, is] = [before[field.name], after[field.name]];
  return (
    <section className={sides.field} data-difference={field.name}>
      <FieldTitle field={field} order={3} />
      {isLineWise(was, is) ? (
        <SideBySide before={was} after={is} />
      ) : (
        <div className={sides.pair}>
          <ValueBox field={field} value={was} tone="removed" />
          <ValueBox field={field} value={is} tone="added" />
        </div>
      )}
    </section>
  );
}
