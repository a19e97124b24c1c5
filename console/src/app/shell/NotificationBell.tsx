import {
  ActionIcon,
  Button,
  Group,
  Indicator,
  Popover,
  Stack,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useInViewport } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { Bell } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useWorkspaceNames } from '../account';
import { ErrorState, ErrorText } from '../../components/ErrorState';
import { formatCount } from '../../components/format';
import { RelativeTime, TimesAreTabStops } from '../../components/RelativeTime';
import { useTableRows } from '../../components/use-table-rows';
import {
  pageOf,
  useDropOlder,
  useNotifications,
  useReadAll,
  useReadOne,
  type Notification,
} from './notifications';
import classes from './NotificationBell.module.css';

/** The notifications of the account. New ones arrive live. */
export function NotificationBell() {
  const dropOlder = useDropOlder();
  const [opened, popover] = useDisclosure(false, { onClose: dropOlder });
  const notifications = useNotifications();
  const { rows, loadMore, hasFailedToLoadMore } = useTableRows(notifications, ({ id }) => id);
  const readOne = useReadOne();
  const readAll = useReadAll();
  const unread = notifications.data?.pages[0]?.unreadCount ?? 0;
  const list = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const workspaceNames = useWorkspaceNames();
  const error = readAll.error ?? (hasFailedToLoadMore ? null : notifications.error);
  const toggle = (): void => {
    readAll.reset();
    if (notifications.error) void notifications.refetch();
    popover.toggle();
  };
  const open = (notification: Notification): void => {
    if (notification.readAt === null) readOne.mutate(notification.id);
    const page = pageOf(notification);
    if (!page) return;
    popover.close();
    void navigate(page);
  };
  return (
    <Popover
      opened={opened}
      onChange={(next) => (next ? popover.open() : popover.close())}
      position="bottom-end"
      width={360}
      trapFocus
      shadow="md"
    >
      <VisuallyHidden role="status">
        {unread > 0 && formatCount(unread, 'unread notification')}
      </VisuallyHidden>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={unread === 0 ? 'Notifications' : `Notifications: ${unread} unread`}
          onClick={toggle}
        >
          <Indicator disabled={unread === 0} size={7} color="red.8" offset={2}>
            <Bell size={17} />
          </Indicator>
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0} className={classes.notifications} aria-label="Notifications">
        <Group justify="space-between" px="sm" py={8} className={classes.head}>
          <Text fw={600}>Notifications</Text>
          <Button
            variant="subtle"
            size="compact-xs"
            disabled={unread === 0}
            loading={readAll.isPending}
            onClick={() => {
              // The button becomes disabled, and would lose the focus.
              list.current?.focus();
              readAll.mutate();
            }}
          >
            Mark all as read
          </Button>
        </Group>
        <div
          className={classes.list}
          tabIndex={0}
          role="region"
          aria-label="List of notifications"
          ref={list}
        >
          {error && (
            <div className={classes.item}>
              <ErrorText error={error} />
            </div>
          )}
          {rows?.length === 0 && (
            <Text c="dimmed" p="sm">
              No notifications. Alerts and usage warnings of your workspaces appear here.
            </Text>
          )}
          {rows?.map((item) => (
            <UnstyledButton
              key={item.id}
              className={classes.item}
              data-unread={item.readAt === null || undefined}
              onClick={() => open(item)}
            >
              <Stack gap={2}>
                <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
                  <Text fw={500}>{item.title}</Text>
                  <Text size="xs" c="dimmed" component="span" className={classes.time}>
                    <TimesAreTabStops value={false}>
                      <RelativeTime at={item.createdAt} />
                    </TimesAreTabStops>
                  </Text>
                </Group>
                <Text size="xs" c="dimmed">
                  {item.text}
                </Text>
                {workspaceNames.size > 1 && workspaceNames.has(item.workspaceId ?? '') && (
                  <Text size="xs" c="dimmed">
                    Workspace: {workspaceNames.get(item.workspaceId ?? '')}
                  </Text>
                )}
              </Stack>
            </UnstyledButton>
          ))}
          {hasFailedToLoadMore ? (
            <div className={classes.item}>
              <ErrorState
                error={notifications.error}
                what="Older notifications could not be loaded"
                retry={loadMore}
              />
            </div>
          ) : (
            // Not while the list fades out: it has just dropped its older notifications.
            opened && loadMore && !notifications.isFetching && <End onSeen={loadMore} />
          )}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The end of the loaded notifications. */
function End({ onSeen }: { onSeen: () => void }) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  useEffect(() => {
    if (inViewport) onSeen();
  }, [inViewport, onSeen]);
  return <div ref={ref} className={classes.end} />;
}
