import { endReasonTexts, statusTexts, typeTexts } from '../calls/call-texts.ts';
import { useLanguage, useTexts } from '../language/language.tsx';
import { useAgentNames } from '../parts/agent-name.ts';
import { directionTexts } from '../phone/texts.ts';
import { partsOf } from './metric.ts';
import { aggregateTexts, dimensionTexts, familyTexts, figureTexts, sentimentTexts } from './metric-texts.ts';
import { type Group, metricOf, nameOf, type RequestedMetric, type Scalar } from './query.ts';

export interface Labels {
  metric(entry: RequestedMetric): string;
  /** Without what all metrics beside it have in common, such as p95 of p50, p95 and p99. */
  metricAmong(entry: RequestedMetric, all: readonly RequestedMetric[]): string;
  group(group: Group): string;
  dimension(name: string): string;
  /** A value of a dimension. */
  value(dimension: string, value: Scalar): string;
}

/** The words for metrics and groups. `agentIds` are those whose names are needed. */
export function useLabels(agentIds: readonly string[] = []): Labels {
  const { language, format } = useLanguage();
  const families = useTexts(familyTexts);
  const aggregates = useTexts(aggregateTexts);
  const texts = useTexts(figureTexts);
  const names = useAgentNames(agentIds);
  const dimensions = useTexts(dimensionTexts);
  const words = useWords();
  const metric: Labels['metric'] = (entry) => {
    const name = metricOf(entry);
    if (name === undefined || typeof entry === 'object') return families[nameOf(entry)] ?? nameOf(entry);
    const { family, aggregate } = partsOf(name);
    const known = families[family] ?? family;
    return aggregate === null || name === 'cost.sum'
      ? known
      : texts.combined(known, aggregates[aggregate] ?? aggregate);
  };
  const value: Labels['value'] = (dimension, given) => {
    if (given === null) return dimension === 'agentId' ? texts.noAgent : texts.none;
    if (given === '(other)') return texts.other;
    if (typeof given === 'boolean') return given ? texts.yes : texts.no;
    if (dimension === 'agentId') return names[agentIds.indexOf(String(given))] ?? String(given);
    if (dimension === 'agentVersion') return texts.version(String(given));
    if (dimension === 'dayOfWeek') return weekdayName(language, Number(given));
    if (dimension === 'hourOfDay') return `${given}:00`;
    return words[dimension]?.[String(given)] ?? (typeof given === 'number' ? format.number(given) : given);
  };
  return {
    metric,
    metricAmong: (entry, all) => {
      const name = metricOf(entry);
      const { family, aggregate } = partsOf(name ?? '');
      const isOneFamily = all.every((other) => partsOf(metricOf(other) ?? '').family === family);
      if (isOneFamily && all.length > 1 && aggregate !== null) return aggregates[aggregate] ?? aggregate;
      return metric(entry);
    },
    dimension: (name) => dimensions[name] ?? name,
    value,
    group: (group) =>
      Object.entries(group)
        .filter(([dimension]) => dimension !== 'currency')
        .map(([dimension, given]) => value(dimension, given))
        .join(' '),
  };
}

function useWords(): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return {
    endReason: useTexts(endReasonTexts),
    status: useTexts(statusTexts),
    type: useTexts(typeTexts),
    direction: useTexts(directionTexts),
    'analysis.sentiment': useTexts(sentimentTexts),
  };
}

export function weekdayName(language: string, day: number): string {
  // The first of January 2024 was a Monday.
  return new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));
}

export function agentIdsOf(groups: readonly Group[]): readonly string[] {
  const ids = groups.map(({ agentId }) => agentId).filter((id) => typeof id === 'string');
  return [...new Set(ids)];
}
