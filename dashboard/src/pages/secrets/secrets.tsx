import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Secret } from '../../../../sdk/src/index.ts';
import { PlusIcon, SecretIcon } from '../../icons.tsx';
import { useTexts } from '../../language/language.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { ListCard } from '../../parts/resource-state.tsx';
import { GuardedButton, ScopeGuard } from '../../parts/scope-guard.tsx';
import { useClient } from '../../session/use-session.ts';
import { DeleteSecret } from './delete-secret.tsx';
import { SecretForm } from './secret-form.tsx';
import { SecretTable } from './secret-table.tsx';
import { secretsTexts } from './texts.ts';

/** The open dialog; only one at a time. */
type Open =
  | { readonly dialog: 'create' }
  | { readonly dialog: 'replace'; readonly secret: Secret }
  | { readonly dialog: 'delete'; readonly secret: Secret };

export function Secrets() {
  const { description, create } = useTexts(secretsTexts);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const actions = (
    <GuardedButton
      scope="secrets:write"
      leftSection={<PlusIcon size={16} />}
      onClick={() => setOpen({ dialog: 'create' })}
    >
      {create}
    </GuardedButton>
  );
  return (
    <>
      <PageHeader description={description} actions={actions} />
      <ScopeGuard scope="secrets:read">
        <SecretList
          onReplace={(secret) => setOpen({ dialog: 'replace', secret })}
          onDelete={(secret) => setOpen({ dialog: 'delete', secret })}
        />
      </ScopeGuard>
      {open?.dialog === 'create' && <SecretForm secret={null} onClose={close} />}
      {open?.dialog === 'replace' && <SecretForm secret={open.secret} onClose={close} />}
      {open?.dialog === 'delete' && <DeleteSecret secret={open.secret} onClose={close} />}
    </>
  );
}

interface SecretListProps {
  readonly onReplace: (secret: Secret) => void;
  readonly onDelete: (secret: Secret) => void;
}

function SecretList({ onReplace, onDelete }: SecretListProps) {
  const texts = useTexts(secretsTexts);
  const client = useClient();
  const list = useQuery({
    queryKey: ['secrets'],
    queryFn: async ({ signal }) => (await client.secrets.list({ signal })).items,
  });
  const empty = (
    <EmptyState icon={<SecretIcon />} title={texts.emptyTitle}>
      {texts.emptyNext}
    </EmptyState>
  );
  return (
    <ListCard list={list} empty={empty}>
      {(secrets) => <SecretTable secrets={secrets} onReplace={onReplace} onDelete={onDelete} />}
    </ListCard>
  );
}
