import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { SecretDialog } from '../../components/SecretDialog';
import { CreateKeyDialog } from '../keys/KeyDialogs';

/** Creates a game key on the page. Its commands then have the whole key, so that they work when they are pasted. */
export function CreateKey({ tenantId, isFirst }: { tenantId: string; isFirst: boolean }) {
  const [isCreating, creating] = useDisclosure();
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <Button w="fit-content" variant={isFirst ? 'filled' : 'default'} onClick={creating.open}>
        Create a game key
      </Button>
      {isCreating && (
        <CreateKeyDialog tenantId={tenantId} kind="game" onClose={creating.close} onCreated={setSecret} />
      )}
      <SecretDialog name="key" label="New key" secret={secret} onClose={() => setSecret(undefined)}>
        Until you reload this page, its commands have the key.
      </SecretDialog>
    </>
  );
}
