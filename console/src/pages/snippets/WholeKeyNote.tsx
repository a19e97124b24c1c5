import { Text } from '@mantine/core';
import { createdKey } from '../../app/created-keys';
import { useCanChangeGame, useGame } from '../../app/game';
import { useSnippetKey } from '../keys/queries';
import { CreateKey } from './CreateKey';

/** What to do before the commands of an empty page work, if this tab does not have a whole key. */
export function WholeKeyNote() {
  const { id } = useGame();
  const snippetKey = useSnippetKey();
  const canChange = useCanChangeGame();
  if (createdKey(id, 'game') !== undefined) return null;
  return (
    <>
      <Text>
        Replace <code>{snippetKey}</code> with your whole key
        {canChange && ', or create a key. The commands then contain it'}.
      </Text>
      {canChange && <CreateKey isFirst={false} />}
    </>
  );
}
