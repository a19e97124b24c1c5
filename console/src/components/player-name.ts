interface Named {
  playerId: string;
  displayName: string | null;
  authMethods: { username: string | null; email: string | null }[];
}

/** What players are called. Without a name of their own, the end of the id tells them apart, and can be typed. */
export function playerName({ playerId, displayName, authMethods: [method] }: Named): string {
  return displayName ?? method?.username ?? method?.email ?? `Player ${playerId.slice(-6)}`;
}
