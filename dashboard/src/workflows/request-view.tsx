import { useTexts } from '../language/language.tsx';
import { inBothLanguages } from '../language/texts.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Scrollable } from '../parts/scrollable.tsx';
import { curlOf, type RenderedRequest } from './curl.ts';
import classes from './request-view.module.css';

const requestTexts = inBothLanguages(
  {
    request: 'Request',
    copyCurl: 'Copy as curl',
    noBody: 'No body',
  },
  {
    request: 'リクエスト',
    copyCurl: 'curlとしてコピー',
    noBody: '本文なし',
  },
);

/** A request as it was rendered. Secrets are named, not shown. */
export function RequestView({ request }: { readonly request: RenderedRequest }) {
  const texts = useTexts(requestTexts);
  const { method, url, headers, body } = request;
  return (
    <div className={classes.frame}>
      <div className={classes.head}>
        <span className={classes.address}>
          <strong>{method}</strong> {url}
        </span>
        <CopyButton size="compact-xs" value={curlOf(request)} label={texts.copyCurl} />
      </div>
      <Scrollable className={classes.body} label={texts.request}>
        {Object.entries(headers).map(([name, value]) => (
          <div key={name} className={classes.header}>
            {name}: {value}
          </div>
        ))}
        <pre className={classes.text}>{body === null ? texts.noBody : readable(body)}</pre>
      </Scrollable>
    </div>
  );
}

/** JSON with line breaks; anything else as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
