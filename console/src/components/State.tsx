import type { ReactNode } from 'react';
import classes from './State.module.css';

type Tone = 'good' | 'warn' | 'bad' | 'info' | 'neutral';

/** A state as a word with a color. The color alone never carries the meaning. */
export function State({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={classes.state} data-tone={tone}>
      {children}
    </span>
  );
}
