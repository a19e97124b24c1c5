import { Text } from '@mantine/core';
import { useState } from 'react';
import { createdKey } from '../../app/created-keys';
import { useCanChangeGame, useGame } from '../../app/game';
import { useSnippetKey } from '../keys/queries';
import { CreateKey } from './CreateKey';

/** What to do before the commands of an empty page work, if this tab does not have a whole key. */
export function WholeKeyNote() {
  const { id } = useGame();
  const snippetKey = useSnippetKey(id, 'game');
  const canChange = useCanChangeGame();
  const isWhole = createdKey(id, 'game') !== undefined;
  // The dialog with the new key is part of the button, and must not close when the key is there.
  const [wasWhole] = useState(isWhole);
  if (wasWhole) return null;
  return (
    <>
      {!isWhole && (
        <Text size="sm">
          Replace <code>{snippetKey}</code> with your whole key
          {canChange && ', or create a key, which this page then has'}.
        </Text>
      )}
      {canChange && <CreateKey tenantId={id} isFirst={false} />}
    </>
  );
}
