import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { Check, Copy, Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { writeJson } from '../app/client';
import { saveText } from './save-file';
import { useCopy } from './use-copy';
import classes from './JsonView.module.css';

/** Longer texts are downloaded instead: to lay them out would freeze the page. */
const MAX_RENDERED_LENGTH = 200 * 1024;
/** Members that a level shows before "Show more". */
const FIRST_MEMBERS = 100;
const OPEN_LEVELS = 2;

/** JSON, folded below the second level. Integers that a number cannot hold are shown as texts of digits. */
export function JsonView({ value, name }: { value: unknown; name: string }) {
  const plain = useMemo(() => JSON.parse(writeJson(value ?? null)) as unknown, [value]);
  const text = useMemo(() => JSON.stringify(plain, null, 2), [plain]);
  const clipboard = useCopy();
  const isLong = text.length > MAX_RENDERED_LENGTH;
  return (
    <div className={classes.view}>
      <Group gap={4} className={classes.tools}>
        <ActionIcon
          data-tip={clipboard.result ?? 'Copy'}
          variant="default"
          size="sm"
          aria-label={`Copy ${name}`}
          onClick={() => clipboard.copy(text)}
        >
          {clipboard.result === 'Copied' ? <Check size={13} /> : <Copy size={13} />}
        </ActionIcon>
        <ActionIcon
          data-tip="Download"
          variant="default"
          size="sm"
          aria-label={`Download ${name}`}
          onClick={() => saveText(`${name}.json`, text, 'application/json')}
        >
          <Download size={13} />
        </ActionIcon>
      </Group>
      {isLong ? (
        <Text p="sm">This document is longer than 200 KiB. Download it to read it.</Text>
      ) : (
        <div className={classes.code} tabIndex={0} role="region" aria-label={name}>
          <Value value={plain} level={0} />
        </div>
      )}
    </div>
  );
}

function Value({ name, value, level }: { name?: string; value: unknown; level: number }) {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS);
  const [count, setCount] = useState(FIRST_MEMBERS);
  const label = name === undefined ? null : <span className={classes.key}>{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div>
        {label}
        <span data-kind={value === null ? 'null' : typeof value} className={classes.value}>
          {JSON.stringify(value)}
        </span>
      </div>
    );
  const members = Object.entries(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (members.length === 0)
    return (
      <div>
        {label}
        {open}
        {close}
      </div>
    );
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        {open}
        {!isOpen && ` ${members.length} ${close}`}
      </summary>
      {isOpen && (
        <div className={classes.members}>
          {members.slice(0, count).map(([key, member]) => (
            <Value key={key} {...(!Array.isArray(value) && { name: key })} value={member} level={level + 1} />
          ))}
          {members.length > count && (
            <Button size="compact-xs" variant="subtle" onClick={() => setCount(count + 10 * FIRST_MEMBERS)}>
              Show more ({members.length - count})
            </Button>
          )}
        </div>
      )}
      {isOpen && close}
    </details>
  );
}
