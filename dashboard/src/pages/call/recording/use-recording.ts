import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Turn } from '../../../../../sdk/src/index.ts';
import { useClient } from '../../../session/use-session.ts';
import { createPeakReader, type Peaks, peaksOfTurns } from './peaks.ts';

/** About a quarter of an hour. Reading more for a picture would take too long. */
const maxReadBytes = 64 * 1024 * 1024;
/** More than the pixels of most screens. */
const peakCount = 2400;

export interface RecordingSource {
  readonly path: string;
  readonly durationMs: number;
  readonly sizeBytes: number;
  readonly channels: number;
  readonly fetchedAt: number;
}

/** On this origin: the page may read nothing else, whatever PUBLIC_URL is. */
export function pathOf(url: string): string {
  return new URL(url, location.href).pathname;
}

/** A signed link to the recording. It is valid for a few minutes: `refetch` gets another. */
export function useRecordingSource(callId: string) {
  const { calls } = useClient();
  return useQuery({
    queryKey: ['call', callId, 'recording'],
    queryFn: async ({ signal }): Promise<RecordingSource> => {
      const { url, durationMs, sizeBytes, channels } = await calls.recording.get(callId, { signal });
      return { path: pathOf(url), durationMs, sizeBytes, channels, fetchedAt: Date.now() };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export interface Waveform {
  readonly peaks: Peaks;
  /** Whether it only shows who spoke when, because the recording is too long or could not be read. */
  readonly isRough: boolean;
}

/** How loud the recording is; until it has been read, who spoke when. */
export function useWaveform(callId: string, source: RecordingSource, turns: readonly Turn[]): Waveform {
  const isLong = source.sizeBytes > maxReadBytes;
  const { data, isError } = useQuery({
    queryKey: ['call', callId, 'peaks'],
    queryFn: ({ signal }) => readPeaks(source, signal),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: !isLong,
    retry: false,
  });
  const rough = useMemo(() => peaksOfTurns(turns, source.durationMs, peakCount), [turns, source.durationMs]);
  return data === undefined ? { peaks: rough, isRough: isLong || isError } : { peaks: data, isRough: false };
}

async function readPeaks({ path, sizeBytes, channels }: RecordingSource, signal: AbortSignal): Promise<Peaks> {
  const response = await fetch(path, { signal });
  if (!response.ok || response.body === null) throw new Error(`The recording could not be read: ${response.status}.`);
  const reader = createPeakReader(sizeBytes, channels, peakCount);
  const parts = response.body.getReader();
  for (let part = await parts.read(); !part.done; part = await parts.read()) reader.add(part.value);
  return reader.peaks();
}
