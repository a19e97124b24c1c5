import { Button } from '@mantine/core';
import { useGame } from '../../app/game';
import { requestedKey } from '../first-run/requested-key';

/** Creates a game key on the page. */
export function CreateKey({ isFirst }: { isFirst: boolean }) {
  const { id } = useGame();
  return (
    <Button w="fit-content" variant={isFirst ? 'filled' : 'default'} onClick={() => requestedKey.set(id)}>
      Create a game key
    </Button>
  );
}
