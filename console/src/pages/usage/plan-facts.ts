import type { Answer } from '../../app/client';
import { formatNumber } from '../../components/format';

export type Plan = Answer<'/api/workspaces/{workspaceId}', 'get'>['plan'];

function whenUsedUp({ monthlyUnits, hardStop }: Plan): string {
  if (monthlyUnits === null) return '–';
  return hardStop ? 'Requests are refused' : 'Requests are still accepted';
}

/** The limits of a plan. */
export const planFacts = (plan: Plan) => ({
  Plan: plan.name,
  'Units per month': plan.monthlyUnits === null ? 'Unlimited' : formatNumber(plan.monthlyUnits),
  'When they are used up': whenUsedUp(plan),
  'Requests per minute and key': formatNumber(plan.rateLimit.perMinute),
  'Requests per hour and key': formatNumber(plan.rateLimit.perHour),
  'Match events per request': formatNumber(plan.maxMatchEventRecordsPerRequest),
  'Player events per request': formatNumber(plan.maxPlayerEventRecordsPerRequest),
});
