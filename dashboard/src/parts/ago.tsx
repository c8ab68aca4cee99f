import { useLanguage } from '../language/language.tsx';

/** A time as people say it, and exactly where one points at it. */
export function Ago({ at }: { readonly at: string }) {
  const { format } = useLanguage();
  return (
    <time dateTime={at} title={format.dateTime(at)}>
      {format.ago(at)}
    </time>
  );
}
