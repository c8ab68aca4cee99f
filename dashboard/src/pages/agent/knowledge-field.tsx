import { Anchor, MultiSelect, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { attachedIn, maxAttachedBases, withBases } from '../../knowledge/attached.ts';
import { SearchBox } from '../../knowledge/search-box.tsx';
import { useBases } from '../../knowledge/use-knowledge.ts';
import { useTexts } from '../../language/language.tsx';
import { inBothLanguages } from '../../language/texts.ts';
import { useScope } from '../../session/use-session.ts';
import { type FieldName, placeOf } from './fields.ts';
import classes from './form.module.css';
import { isObject, type Values } from './values.ts';

const knowledgeFieldTexts = inBothLanguages(
  {
    title: 'Knowledge',
    bases: 'Knowledge bases',
    meaning: 'The agent looks things up in them before every reply to the caller, up to 10.',
    none: 'There is no knowledge base yet.',
    create: 'Create a knowledge base',
    nothing: 'No matching knowledge base',
    test: 'Test question',
    unreadable: 'The knowledge in “Additional settings” cannot be shown here. Correct it there, as JSON.',
  },
  {
    title: 'ナレッジ',
    bases: '参照するナレッジ',
    meaning: '発信者に応答する前に、毎回ここから調べます（10件まで）。',
    none: 'ナレッジはまだありません。',
    create: 'ナレッジを作成',
    nothing: '該当するナレッジはありません',
    test: '質問を試す',
    unreadable: '「その他の設定」のナレッジをここに表示できません。JSONを修正してください。',
  },
);

interface KnowledgeFieldProps {
  readonly values: Values;
  readonly isReadOnly: boolean;
  readonly onChange: (name: FieldName, value: unknown) => void;
}

/** Which knowledge bases the agent uses (`agentSettings.knowledge.bases`), and what it would find there. */
export function KnowledgeField(props: KnowledgeFieldProps) {
  const texts = useTexts(knowledgeFieldTexts);
  return (
    <section
      className={classes.group}
      id={placeOf('agentSettings.knowledge')}
      tabIndex={-1}
      aria-labelledby="group-knowledge"
    >
      <Title order={2} className={classes.groupTitle as string} id="group-knowledge">
        {texts.title}
      </Title>
      <Stack gap="md" px="1.25rem" py="0.95rem">
        <Content {...props} />
      </Stack>
    </section>
  );
}

function Content({ values: { agentSettings }, isReadOnly, onChange }: KnowledgeFieldProps) {
  const texts = useTexts(knowledgeFieldTexts);
  const { isAllowed, reason } = useScope('knowledge:read');
  const { data: bases } = useBases();
  const settings = isObject(agentSettings) ? agentSettings : {};
  const attached = agentSettings === undefined || isObject(agentSettings) ? attachedIn(settings) : null;
  if (attached === null) return <Text size="sm">{texts.unreadable}</Text>;
  const { ids, ...thresholds } = attached;
  if (bases?.length === 0 && ids.length === 0) {
    return (
      <Text size="sm">
        {texts.none}{' '}
        <Anchor component={Link} underline="always" href="/knowledge?new">
          {texts.create}
        </Anchor>
      </Text>
    );
  }
  const known = (bases ?? []).map(({ id, name }) => ({ value: id, label: name }));
  // One that has been deleted, or that the key may not read.
  const unknown = ids.filter((id) => !known.some(({ value }) => value === id)).map((id) => ({ value: id, label: id }));
  const searched = ids.filter((id) => known.some(({ value }) => value === id));
  return (
    <>
      <MultiSelect
        label={texts.bases}
        description={isAllowed ? texts.meaning : reason}
        data={[...known, ...unknown]}
        value={[...new Set(ids)]}
        onChange={(chosen) => onChange('agentSettings', withBases(settings, chosen))}
        readOnly={isReadOnly}
        maxValues={maxAttachedBases}
        searchable
        nothingFoundMessage={texts.nothing}
      />
      {searched.length > 0 && <SearchBox baseIds={searched} label={texts.test} {...thresholds} />}
    </>
  );
}
