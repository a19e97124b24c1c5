import sharp from 'sharp';
import type { TestApp } from './test-app.ts';

/** A PNG of 9 × 9 pixels. */
export const smallPicture = await sharp({ create: { width: 9, height: 9, channels: 3, background: '#123' } })
  .png()
  .toBuffer();

/** Uploads a small picture as a player's avatar. */
export async function uploadAvatar({ url }: TestApp, bearer: string) {
  const body = new FormData();
  body.append('avatarFile', new Blob([smallPicture]), 'a.png');
  const headers = { authorization: `Bearer ${bearer}` };
  const response = await fetch(`${url}/api/player-profile/me/avatar`, { method: 'POST', headers, body });
  return {
    status: response.status,
    body: (await response.json()) as { avatarUrl?: string; code?: string; detail?: string },
  };
}
