import type { ReactNode } from 'react';
import type { Figures } from '../../../../sdk/src/index.ts';
import { CheckIcon, WarningIcon } from '../../icons.tsx';
import { useLanguage, useTexts } from '../../language/language.tsx';
import { Tile, Tiles } from '../../parts/tile.tsx';
import classes from './service.module.css';
import type { Summary } from './summary.ts';
import { serviceTexts } from './texts.ts';

interface HealthProps {
  readonly summary: Summary;
  readonly period: 'hour' | 'day';
}

/** The overall status, above the numbers. */
export function Health({ summary, period }: HealthProps) {
  const { format } = useLanguage();
  const texts = useTexts(serviceTexts);
  const { requests, errors } = summary;
  if (errors > 0) {
    const share = errors / requests;
    return (
      <Banner tone={share < 0.01 ? 'warn' : 'bad'} title={texts.errorsTitle(format.number(errors))}>
        {texts.errorsText(format.share(share))}
      </Banner>
    );
  }
  if (requests === 0) {
    return (
      <Banner tone="good" title={texts.quietTitle}>
        {period === 'hour' ? texts.quietHour : texts.quietDay}
      </Banner>
    );
  }
  return (
    <Banner tone="good" title={texts.wellTitle}>
      {period === 'hour' ? texts.wellHour : texts.wellDay}
    </Banner>
  );
}

interface BannerProps {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly title: string;
  readonly children: ReactNode;
}

function Banner({ tone, title, children }: BannerProps) {
  return (
    <div className={classes.banner} data-tone={tone} role="status">
      <span className={classes.sign}>{tone === 'good' ? <CheckIcon /> : <WarningIcon />}</span>
      <div>
        <strong>{title}</strong>
        <div className={classes.quiet}>{children}</div>
      </div>
    </div>
  );
}

interface TilesProps {
  readonly figures: Figures;
  readonly summary: Summary;
}

export function RequestTiles({ figures, summary }: TilesProps) {
  const { format } = useLanguage();
  const texts = useTexts(serviceTexts);
  const { requests, refusals, latestP95Ms, highestP95Ms } = summary;
  const agents = format.number(figures.agents);
  return (
    <Tiles>
      <Tile label={texts.agents} href="/agents" value={figures.hasMoreAgents ? texts.moreThan(agents) : agents} />
      <Tile
        label={texts.requests}
        value={format.number(requests)}
        more={texts.perMinute(format.rounded(summary.requestsPerMinute))}
      />
      <Tile
        label={texts.refused}
        value={format.number(refusals)}
        more={requests === 0 ? texts.noRequests : texts.refusedShare(format.share(refusals / requests))}
      />
      <Tile
        label={texts.slowest}
        value={latestP95Ms === null ? '–' : format.milliseconds(latestP95Ms)}
        more={highestP95Ms === null ? texts.noRequests : texts.highest(format.milliseconds(highestP95Ms))}
      />
    </Tiles>
  );
}
