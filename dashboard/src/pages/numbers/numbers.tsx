import { useState } from 'react';
import { NumberIcon, PlusIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useFocusReturn } from '../../parts/focus-return.ts';
import { useNewParameter } from '../../parts/new-parameter.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { ListCard } from '../../parts/resource-state.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { ViewTabs } from '../../parts/view-tabs.tsx';
import { phoneTexts } from '../../phone/texts.ts';
import { usePhoneNumbers } from '../../phone/use-phone.ts';
import { Carriers } from './carriers.tsx';
import { DoNotCallList } from './do-not-call.tsx';
import { ImportNumber } from './import/import-number.tsx';
import { NumberTable } from './number-table.tsx';
import classes from './numbers.module.css';
import { numbersTexts } from './texts.ts';

export function Numbers() {
  const texts = useTexts(numbersTexts);
  const [isImporting, setIsImporting] = useState(false);
  useNewParameter('phone-numbers:write', () => setIsImporting(true));
  useFocusReturn(isImporting);
  const actions = (
    <GuardedButton
      scope="phone-numbers:write"
      leftSection={<PlusIcon size={16} />}
      onClick={() => setIsImporting(true)}
    >
      {texts.import}
    </GuardedButton>
  );
  return (
    <>
      <PageHeader description={texts.description} actions={actions} />
      <ScopeGuard scope="phone-numbers:read">
        <Parts />
      </ScopeGuard>
      {isImporting && <ImportNumber onClose={() => setIsImporting(false)} />}
    </>
  );
}

function Parts() {
  const texts = useTexts(numbersTexts);
  const { responsible } = useTexts(phoneTexts);
  const views = {
    numbers: { title: texts.tabNumbers, content: () => <NumberList /> },
    carriers: { title: texts.tabCarriers, content: () => <Carriers /> },
    'do-not-call': { title: texts.tabDoNotCall, content: () => <DoNotCallList /> },
  };
  return (
    <>
      <ViewTabs label={texts.tabs} views={views} />
      <p className={classes.note}>{responsible}</p>
    </>
  );
}

function NumberList() {
  const texts = useTexts(numbersTexts);
  const empty = (
    <EmptyState icon={<NumberIcon />} title={texts.emptyTitle}>
      {texts.emptyNext}
    </EmptyState>
  );
  return (
    <ListCard list={usePhoneNumbers()} empty={empty}>
      {(numbers) => <NumberTable numbers={numbers} />}
    </ListCard>
  );
}
