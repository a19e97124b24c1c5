import { Text } from '@mantine/core';

/** One sentence in place of the rows of a small table. */
export function NoRows({ children }: { children: string }) {
  return (
    <Text c="dimmed" p="var(--gh-inset)">
      {children}
    </Text>
  );
}
