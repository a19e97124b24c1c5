import { Button } from '@mantine/core';
import { requestedKey } from './requested-key';

/** Creates a game key on the page. */
export const CreateKey = ({ tenantId, isFirst }: { tenantId: string; isFirst: boolean }) => (
  <Button w="fit-content" variant={isFirst ? 'filled' : 'default'} onClick={() => requestedKey.set(tenantId)}>
    Create a game key
  </Button>
);
