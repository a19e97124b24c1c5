import { useState } from 'react';
import { SecretDialog } from '../../components/SecretDialog';
import { CreateKeyDialog } from '../keys/KeyDialogs';
import { requestedKey } from './requested-key';

/** Creates the game key that a page has requested. The commands of the page then have the whole key, so that they work when they are pasted. */
export function NewGameKey() {
  const tenantId = requestedKey.use();
  const [secret, setSecret] = useState<string>();
  return (
    <>
      {tenantId !== undefined && (
        <CreateKeyDialog
          tenantId={tenantId}
          kind="game"
          onClose={() => requestedKey.set(undefined)}
          onCreated={setSecret}
        />
      )}
      <SecretDialog name="key" label="New key" secret={secret} onClose={() => setSecret(undefined)}>
        Until you reload this page, its commands have the key.
      </SecretDialog>
    </>
  );
}
