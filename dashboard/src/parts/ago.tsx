import { useLanguage } from '../language/language.tsx';
import { useAgo } from './use-ago.ts';

/** A relative time, with the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  const { format } = useLanguage();
  return (
    <time dateTime={at} title={format.dateTime(at)}>
      {useAgo(at)}
    </time>
  );
}
