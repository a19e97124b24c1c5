import { Button, Group, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { formatNumber } from './format';
import classes from './Figure.module.css';

interface FigureProps {
  label: string;
  value: number | undefined;
  /** The same figure in the period before. */
  before?: number | undefined;
  /** The course over the period, drawn small. */
  course?: number[] | undefined;
  query: Pick<UseQueryResult, 'error' | 'refetch'>;
  /** In the place of a course. */
  children?: ReactNode;
}

/** One figure with its course and its change to the period before. */
export function Figure({ label, value, before, course, query, children }: FigureProps) {
  return (
    <div className={classes.figure}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        query.error === null ? (
          <Skeleton height={26} width={70} my={4} />
        ) : (
          <Group gap="xs">
            <Text role="alert">Not available</Text>
            <Button
              variant="default"
              size="compact-xs"
              aria-label={`Try again: ${label}`}
              onClick={() => void query.refetch()}
            >
              Try again
            </Button>
          </Group>
        )
      ) : (
        <div className={classes.row}>
          <span className={classes.value}>{formatNumber(value)}</span>
          {before !== undefined && <Change value={value} before={before} />}
        </div>
      )}
      <div className={classes.sparkline}>
        {course && course.length > 1 ? <Sparkline values={course} /> : children}
      </div>
    </div>
  );
}

function Change({ value, before }: { value: number; before: number }) {
  if (before === 0)
    return <span className={classes.change}>{value === 0 ? 'unchanged' : 'none before'}</span>;
  const percent = Math.round(((value - before) / before) * 100);
  if (percent === 0) return <span className={classes.change}>unchanged</span>;
  return (
    <span className={classes.change}>
      {percent > 0 ? '▲' : '▼'} {formatNumber(Math.abs(percent))} %
    </span>
  );
}

const WIDTH = 120;
const HEIGHT = 28;
/** Room for half of the circle. */
const PADDING = 4;

function Sparkline({ values }: { values: number[] }) {
  const top = Math.max(...values, 1);
  const points = values.map(
    (value, index) =>
      `${((index / (values.length - 1)) * WIDTH).toFixed(1)},${(HEIGHT - PADDING - (value / top) * (HEIGHT - 2 * PADDING)).toFixed(1)}`,
  );
  const last = `M${points.at(-1)}h0`;
  return (
    <svg
      width="100%"
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <polyline points={points.slice(0, -1).join(' ')} />
      {/* The last bucket is not over. A circle would be stretched, and the round end of a line is not. */}
      <path className={classes.circle} d={last} />
      <path className={classes.circle} data-inside d={last} />
    </svg>
  );
}
