import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  title: string;
  /** What this page is for, and why it is empty. */
  children: ReactNode;
  /** The next step: a button, or a snippet that works when it is pasted. */
  next?: ReactNode;
}

export function EmptyState({ title, children, next }: EmptyStateProps) {
  return (
    <Stack gap="sm" px="var(--gh-inset)" py="xl" maw={760}>
      <Title order={2}>{title}</Title>
      <Text c="dimmed">{children}</Text>
      {next}
    </Stack>
  );
}
