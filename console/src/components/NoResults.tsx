import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { announce } from './announcer';
import { EmptyState } from './EmptyState';

/** A list whose filters select nothing. The button removes them all, except for those of `keep`. */
export function NoResults({
  title,
  keep = {},
  next,
  children,
}: {
  title: string;
  keep?: Record<string, string | undefined>;
  next?: ReactNode;
  children: ReactNode;
}) {
  const navigate = useNavigate();
  useEffect(() => announce(title), [title]);
  return (
    <EmptyState
      title={title}
      next={
        <>
          <Button variant="default" w="fit-content" onClick={() => void navigate({ to: '.', search: keep })}>
            Remove the filters
          </Button>
          {next}
        </>
      }
    >
      {children}
    </EmptyState>
  );
}
