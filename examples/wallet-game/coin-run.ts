/** An event in a level, with the score after it. */
export type GameEvent = { key: 'coin' | 'spike' | 'ghost' | 'door'; value: string; score: number };

const LENGTH = 24;
const LIVES = 3;

/** Plays a level with coins and spikes, and a ghost in the middle. Yields its events. */
export function* runLevel(random: () => number): Generator<GameEvent> {
  let lives = LIVES;
  let score = 0;
  for (let step = 1; step <= LENGTH; step++) {
    if (step === LENGTH / 2) {
      score += 25;
      yield { key: 'ghost', value: 'caught', score };
      continue;
    }
    const roll = random();
    if (roll < 0.4) {
      score += 10;
      yield { key: 'coin', value: 'gold', score };
    } else if (roll > 0.92) {
      lives--;
      yield { key: 'spike', value: `${lives} lives left`, score };
      if (lives === 0) return;
    }
  }
  yield { key: 'door', value: 'reached', score: score + 50 };
}
