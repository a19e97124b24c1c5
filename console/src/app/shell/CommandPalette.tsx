import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate, type NavigateOptions } from '@tanstack/react-router';
import { Boxes, Search, Swords, UserRound, type LucideIcon } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { api, hasStatus } from '../client';
import { describeError } from '../../components/ErrorState';
import { distinctNames } from '../../components/format';
import { playerName } from '../../components/player-name';
import { gamesQuery, usePlace } from '../game';
import { useDestinations } from './navigation';
import classes from './CommandPalette.module.css';

interface Command {
  key: string;
  label: string;
  hint: string;
  icon: LucideIcon;
  run: () => void;
}

const MAX_FOUND_PLAYERS = 6;
const MAX_FOUND_GAMES = 6;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Jumps to any page, to games by name, to a match by id, and to players by id, name or address. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      // It has no button that Escape could press, and is above all other dialogs.
      closeOnEscape
      closeOnClickOutside
      centered={false}
      yOffset="12vh"
      size={560}
      transitionProps={{ duration: 0 }}
      padding={0}
      title="Search and commands"
      classNames={{ header: classes.header! }}
    >
      <Palette onClose={onClose} />
    </Modal>
  );
}

function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const { commands, isSearching, error } = useCommands(text.trim(), onClose);
  const current = Math.min(index, commands.length - 1);

  const move = (step: number): void => {
    if (commands.length > 0) setIndex((current + step + commands.length) % commands.length);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // The key that ends the input of a word, for example in Japanese.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') commands[current]?.run();
    else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <TextInput
        autoFocus
        data-autofocus
        variant="unstyled"
        className={classes.input}
        leftSection={<Search size={16} />}
        placeholder="Go to a page, a game, a player or a match"
        aria-label="Go to a page, a game, a player or a match"
        role="combobox"
        aria-expanded
        aria-controls="commands"
        aria-activedescendant={commands[current] ? `command-${current}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className={classes.list}>
        <div id="commands" role="listbox" aria-label="Commands">
          {commands.map(({ key, label, hint, icon: Icon, run }, position) => (
            <div
              key={key}
              id={`command-${position}`}
              role="option"
              aria-selected={position === current}
              className={classes.item}
              onClick={run}
              onMouseMove={() => setIndex(position)}
              ref={position === current ? scrollIntoView : undefined}
            >
              <Icon size={15} aria-hidden />
              <span>{label}</span>
              <span className={classes.hint}>{hint}</span>
            </div>
          ))}
        </div>
        <div role="status">
          {isSearching ? (
            <div className={classes.none}>Searching…</div>
          ) : (
            commands.length === 0 &&
            error === null && (
              <div className={classes.none}>
                Nothing found. Games are found by their name, players and matches by their id, and players
                also by the beginning of their name or email address.
              </div>
            )
          )}
        </div>
        {error !== null && !isSearching && (
          <div className={classes.none} role="alert">
            The search failed. {describeError(error)}
          </div>
        )}
      </div>
    </>
  );
}

function scrollIntoView(element: Element | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

function useCommands(
  text: string,
  onClose: () => void,
): { commands: Command[]; isSearching: boolean; error: unknown } {
  const navigate = useNavigate();
  const { workspaceId, tenantId } = usePlace();
  const allGames = useQuery({ ...gamesQuery(workspaceId ?? ''), enabled: workspaceId !== undefined });
  const groups = useDestinations();
  const [search] = useDebouncedValue(text, 120);
  const players = useQuery({
    queryKey: ['palette', tenantId, search],
    queryFn: ({ signal }) =>
      api.GET('/api/bus_tenants/{tenantId}/players', {
        params: { path: { tenantId: tenantId! }, query: { search, limit: MAX_FOUND_PLAYERS } },
        signal,
      }),
    enabled: tenantId !== undefined && search.length >= 2,
  });

  const match = useQuery({
    queryKey: ['palette', tenantId, 'match', search],
    queryFn: ({ signal }) => findMatch(tenantId!, search, signal),
    enabled: tenantId !== undefined && ID.test(search),
  });

  const go = (to: NavigateOptions) => () => {
    onClose();
    void navigate(to);
  };
  const isNamed = (name: string): boolean => name.toLowerCase().includes(text.toLowerCase());
  const pages = groups.flatMap(({ label: group, items }) =>
    items
      .filter(({ label }) => isNamed(label))
      .map(({ label, icon, link, open }): Command => ({
        key: label,
        label,
        icon,
        hint: group ?? 'Game',
        run: open
          ? () => {
              onClose();
              open();
            }
          : go(link as NavigateOptions),
      })),
  );
  const games = [...distinctNames(allGames.data?.items ?? [])]
    .filter(([, name]) => text !== '' && isNamed(name))
    // The shortest name is the closest one.
    .toSorted(([, one], [, other]) => one.length - other.length)
    .slice(0, MAX_FOUND_GAMES)
    .map(([id, label]): Command => ({
      key: id,
      label,
      icon: Boxes,
      hint: 'Open the game',
      run: go({ to: '/games/$tenantId', params: { tenantId: id } }),
    }));
  const isWaitingForGames = text !== '' && isWaiting(allGames);
  const errorOfGames = text === '' ? null : allGames.error;
  if (text.length < 2 || tenantId === undefined)
    return { commands: [...pages, ...games], isSearching: isWaitingForGames, error: errorOfGames };
  // The players of an earlier text would be opened by a quick Enter.
  const items = search === text ? players.data?.items : undefined;
  const names = distinctNames(
    (items ?? []).map((player) => ({ id: player.playerId, name: playerName(player) })),
  );
  const found = [...names].map(([playerId, label]): Command => ({
    key: playerId,
    label,
    icon: UserRound,
    hint: 'Player',
    run: go({ to: '/games/$tenantId/players/$playerId', params: { tenantId, playerId } }),
  }));
  if (search === text && match.data)
    found.push({
      key: search,
      label: match.data.mode === null ? 'Match' : `Match · ${match.data.mode}`,
      icon: Swords,
      hint: 'Match',
      run: go({
        to: '/games/$tenantId/matches/$matchSessionId',
        params: { tenantId, matchSessionId: match.data.matchSessionId },
      }),
    });
  return {
    commands: [...pages, ...games, ...found],
    isSearching: search !== text || isWaitingForGames || isWaiting(players) || isWaiting(match),
    error: errorOfGames ?? players.error ?? match.error,
  };
}

/** Whether a request has no answer yet, or waits for the connection. */
const isWaiting = ({ isPending, fetchStatus }: UseQueryResult): boolean =>
  isPending && fetchStatus !== 'idle';

/** The match with an id. Null if the game has none, because the id may be that of a player. */
async function findMatch(tenantId: string, matchSessionId: string, signal: AbortSignal) {
  try {
    return await api.GET('/api/bus_tenants/{tenantId}/matches/{matchSessionId}', {
      params: { path: { tenantId, matchSessionId } },
      signal,
    });
  } catch (error) {
    if (hasStatus(error, 404)) return null;
    throw error;
  }
}
