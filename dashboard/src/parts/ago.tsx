import { useLanguage } from '../language/language.tsx';

/** A relative time, with the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  const { format } = useLanguage();
  return (
    <time dateTime={at} title={format.dateTime(at)}>
      {format.ago(at)}
    </time>
  );
}
