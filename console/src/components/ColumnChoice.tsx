import { ActionIcon, Menu } from '@mantine/core';
import { Columns3 } from 'lucide-react';

interface NamedColumn {
  id: string;
  header: string;
}

/** Chooses the columns that a table shows. The last one stays. */
export function ColumnChoice({
  columns,
  visible,
  onChange,
}: {
  columns: NamedColumn[];
  visible: NamedColumn[];
  onChange: (id: string, isShown: boolean) => void;
}) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon data-tip="Choose columns" variant="default" size={30} aria-label="Choose columns">
          <Columns3 size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map(({ id, header }) => {
          const isShown = visible.some((column) => column.id === id);
          return (
            <Menu.CheckboxItem
              key={id}
              checked={isShown}
              disabled={isShown && visible.length === 1}
              onChange={(next) => onChange(id, next)}
            >
              {header}
            </Menu.CheckboxItem>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
