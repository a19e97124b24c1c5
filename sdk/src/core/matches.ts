import type { Answer, Api, Body } from './api-types.ts';
import { idempotencyHeader, type Idempotent } from './retries.ts';

type MatchPath = '/api/game/matches/{matchSessionId}';

/** Matches. Every call can be repeated, so the client sends it again after a lost answer. */
export interface Matches {
  create(
    match: Body<'/api/game/matches', 'post'>,
    options?: Idempotent,
  ): Promise<Answer<'/api/game/matches', 'post'>>;
  join(
    matchSessionId: string,
    player: Body<`${MatchPath}/join`, 'post'>,
    options?: Idempotent,
  ): Promise<Answer<`${MatchPath}/join`, 'post'>>;
  leave(matchSessionId: string, matchPlayerId: string): Promise<Answer<`${MatchPath}/leave`, 'post'>>;
  end(matchSessionId: string): Promise<Answer<`${MatchPath}/end`, 'post'>>;
  /** Replaces the result of each named player. */
  recordResults(
    matchSessionId: string,
    results: Body<`${MatchPath}/results`, 'put'>['results'],
  ): Promise<Answer<`${MatchPath}/results`, 'put'>>;
  get(matchSessionId: string): Promise<Answer<MatchPath, 'get'>>;
}

/** Makes the calls about matches from an API that repeats its requests. */
export function createMatches(api: Api): Matches {
  const match = (matchSessionId: string) => ({ path: { matchSessionId } });
  return {
    create: (body, options) =>
      api.POST('/api/game/matches', { body, params: { header: idempotencyHeader(options) } }),
    join: (id, body, options) =>
      api.POST('/api/game/matches/{matchSessionId}/join', {
        body,
        params: { ...match(id), header: idempotencyHeader(options) },
      }),
    leave: (id, matchPlayerId) =>
      api.POST('/api/game/matches/{matchSessionId}/leave', {
        body: { matchPlayerId },
        params: match(id),
      }),
    end: (id) => api.POST('/api/game/matches/{matchSessionId}/end', { params: match(id) }),
    recordResults: (id, results) =>
      api.PUT('/api/game/matches/{matchSessionId}/results', { body: { results }, params: match(id) }),
    get: (id) => api.GET('/api/game/matches/{matchSessionId}', { params: match(id) }),
  };
}
