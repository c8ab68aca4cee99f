import { useQuery } from '@tanstack/react-query';
import type { Agent, Call } from '../../../../sdk/src/index.ts';
import { typeTexts } from '../../calls/call-texts.ts';
import { useLanguage, useTexts } from '../../language/language.tsx';
import controls from '../../parts/controls.module.css';
import { useClient, useScope } from '../../session/use-session.ts';
import { useTrial, useTrialCall } from '../../try/try-context.ts';
import { recordedScript } from './script-text.ts';
import classes from './simulate.module.css';
import { simulateTexts } from './texts.ts';

const maxCalls = 20;

interface RecordChoiceProps {
  readonly agent: Agent;
  readonly onRecorded: (script: string) => void;
  readonly onProblem: (problem: string) => void;
}

/** Makes a script of a call or chat with the agent: of the one at the side, or of an earlier one. */
export function RecordChoice({ agent, onRecorded, onProblem }: RecordChoiceProps) {
  const texts = useTexts(simulateTexts);
  const types = useTexts(typeTexts);
  const { format } = useLanguage();
  const client = useClient();
  const { isAllowed } = useScope('calls:read');
  const trial = useTrial();
  const call = useTrialCall();
  const here = trial.agent?.id === agent.id ? call : null;
  const { data: calls = [], refetch } = useQuery({
    queryKey: ['calls', 'of-agent', agent.id],
    queryFn: async ({ signal }) =>
      (await client.calls.list({ agentId: [agent.id], limit: maxCalls }, { signal })).items,
    enabled: isAllowed,
  });
  const record = async (id: string) => {
    try {
      const [chosen, { turns }] = await Promise.all([client.calls.get(id), client.calls.transcript.get(id)]);
      if (turns.length === 0) return onProblem(texts.recordEmpty);
      const script = await recordedScript(chosen, turns, agent.language);
      if (script === null) onProblem(texts.recordTooLong);
      else onRecorded(script);
    } catch {
      onProblem(texts.recordEmpty);
    }
  };
  if (!isAllowed) return null;
  const others = calls.filter(({ id }) => id !== here?.id);
  return (
    <div>
      <label className={classes.label} htmlFor="simulation-call">
        {texts.record}
      </label>
      <select
        id="simulation-call"
        className={controls.input}
        value=""
        aria-describedby="simulation-record-hint"
        onFocus={() => refetch()}
        onChange={({ currentTarget }) => record(currentTarget.value)}
      >
        <option value="" disabled>
          {texts.recordChoose}
        </option>
        {here !== null && <option value={here.id}>{texts.recordHere}</option>}
        {others.map((each: Call) => (
          <option key={each.id} value={each.id}>
            {format.dateTime(each.createdAt)} · {types[each.type]}
          </option>
        ))}
      </select>
      <p className={classes.hint} id="simulation-record-hint">
        {texts.recordHint}
      </p>
    </div>
  );
}
