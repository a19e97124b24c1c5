import { Button } from '@mantine/core';
import { requestGameKey } from './requested-key';

/** Creates a game key on the page. */
export const CreateKey = ({ tenantId, isFirst }: { tenantId: string; isFirst: boolean }) => (
  <Button w="fit-content" variant={isFirst ? 'filled' : 'default'} onClick={() => requestGameKey(tenantId)}>
    Create a game key
  </Button>
);
